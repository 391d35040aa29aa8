#include "cli/study_ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/text.h"
#include "cli/example_names.h"
#include "cli/read_targets.h"
#include "knowledge/questions.h"
#include "reading/read.h"
#include "render/columns.h"
#include "report/model.h"

namespace cutelab::cli {
namespace {
using evidence::Reading;
using knowledge::Answers;

constexpr std::size_t most_answers = 16;  ///< of one source on a terminal; the rest is counted

void print(const Reading& reading, const Answers& answers, const Context& context) {
  std::ostream& out = context.out;
  const std::string path = reading.files.empty() ? "?" : render::one_line(reading.files[0].path);
  if (answers.found.empty()) {
    out << path << ": no fact answers this\n";
    return;
  }
  out << path << (answers.topics.empty() ? "" : ": " + join(answers.topics, ", ")) << "\n";
  render::Columns columns = {{{""}, {"", render::Align::left, true, 24}}, {}};
  for (std::size_t i = 0; i < std::min(answers.found.size(), most_answers); ++i)
    columns.rows.push_back({{answers.found[i].at.known() ? report::place(reading, answers.found[i].at) : "",
                             render::Style::place},
                            {answers.found[i].text}});
  out << render::columns(columns, std::max(40, context.width), render::Paint());
  if (answers.found.size() > most_answers)
    out << fmt::format("  … and {} more (--json has all)\n", answers.found.size() - most_answers);
}

nlohmann::ordered_json json_of(const Reading& reading, const Answers& answers) {
  using Json = nlohmann::ordered_json;
  Json found = Json::array();
  for (const knowledge::Answer& answer : answers.found) {
    const auto file = static_cast<std::size_t>(answer.at.file);
    const bool known = answer.at.known() && file < reading.files.size();
    found.push_back({{"text", answer.text},
                     {"file", known ? Json(reading.files[file].path) : Json(nullptr)},
                     {"line", known ? Json(answer.at.line()) : Json(nullptr)}});
  }
  return {{"file", reading.files.empty() ? "" : reading.files[0].path},
          {"topics", answers.topics},
          {"answers", found}};
}
}  // namespace

Result<ExitCode> answer_from_sources(const std::string& question, const std::vector<std::string>& sources,
                                     bool json, Context& context) {
  const auto terms = knowledge::QuestionTerms::load(context.files, context.source_root + "/data");
  if (!terms) return terms.error();
  ExampleNames names(context, "", "");
  const ReadTargets targets = read_targets(
      sources, context.files, [&](const std::string& name, auto& notes) { return names(name, notes); });
  for (const Error& error : targets.errors) context.err << error.message() << "\n";
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::size_t answered = 0, read = 0;
  for (const std::string& path : targets.paths) {
    reading::Request request;
    request.path = path;
    request.library_roots = reading::library_roots_for(
        path, context.files,
        {context.source_root + "/build/deps/dsl-sources/nvidia_cutlass_dsl/dsl_packages"});
    const auto reading = reading::read(request, context.files);
    if (!reading) {
      context.err << reading.error().message() << "\n";
      continue;
    }
    ++read;
    const Answers answers = terms->answer(question, *reading);
    answered += answers.found.empty() ? 0 : 1;
    if (json)
      all.push_back(json_of(*reading, answers));
    else
      print(*reading, answers, context);
  }
  if (read == 0)
    return Error{ErrorKind::input, "study ask", "no source could be read", "",
                 "name a source with --in FILE"};
  if (json)
    context.out << nlohmann::ordered_json{{"schema", "cutelab.answers"},
                                          {"schema_version", 1},
                                          {"question", question},
                                          {"sources", all}}
                       .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                << "\n";
  else if (answered == 0)
    context.out << as_called("no fact answers this; what is known of a source: cutelab read FILE --full\n",
                             context);
  return ExitCode::ok;
}

}  // namespace cutelab::cli
