#include "reading/cpp/cpp_reading.h"

#include "reading/digest.h"
#include "source/tree.h"

namespace cutelab::reading {

Result<evidence::Reading> read_cpp(const Request& request, std::string text) {
  evidence::Reading reading;
  reading.language = "cute-cpp";
  reading.style = "cpp";
  const auto tree = source::Tree::parse(source::Grammar::cuda, std::move(text));
  reading.files.push_back({request.path, digest(tree->text()), tree->lines()});
  for (const source::Problem& problem : tree->problems())
    reading.problems.push_back({problem.what, {0, problem.span}});
  return reading;
}

}  // namespace cutelab::reading
