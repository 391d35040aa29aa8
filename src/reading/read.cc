#include "reading/read.h"

#include <array>
#include <string_view>

#include "base/text.h"
#include "reading/cpp/cpp_reading.h"
#include "reading/python_reading.h"

namespace cutelab::reading {
namespace {
bool ends_with_one_of(const std::string& path, std::initializer_list<std::string_view> endings) {
  const std::string low = to_lower(path);
  for (const auto ending : endings)
    if (low.ends_with(ending)) return true;
  return false;
}
}  // namespace

Result<evidence::Reading> read(const Request& request, const FileSource& files) {
  const bool python = ends_with_one_of(request.path, {".py"});
  const bool cpp =
      ends_with_one_of(request.path, {".cu", ".cuh", ".h", ".hpp", ".hxx", ".cpp", ".cc", ".cxx", ".inl"});
  auto text = read_source(files, request.path);
  if (!text) return text.error();
  if (!python && !cpp)
    return Error{ErrorKind::input, "read " + request.path, "this kind of file is not read", request.path,
                 "name a CuTe DSL (.py) or CUDA C++ (.cu, .cuh, .h, .hpp) source"};
  return python ? read_python(request, files, std::move(*text)) : read_cpp(request, std::move(*text));
}

}  // namespace cutelab::reading
