#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <set>
#include <tuple>

#include "base/process.h"
#include "base/text.h"
#include "cli/compare_run.h"
#include "cli/exports.h"
#include "cli/kernel_profile.h"
#include "cli/kernel_sweep_flags.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "evidence/metrics.h"
#include "profile/outcome.h"
#include "profile/store.h"
#include "reading/read.h"
#include "report/compare_view.h"
#include "report/diff.h"

namespace cutelab::cli {
namespace {

VerbSpec compare_spec() {
  VerbSpec spec;
  spec.name = "compare";
  spec.summary = "kernels, versions or libraries against each other, timed in the same rounds";
  spec.step = "4 PROFILE";
  spec.positionals = {
      {"KERNEL",
       "DESIGN[:VERSION][,NAME=VALUE…]: parameters or configuration of this one; the first is "
       "what the others are held against. Numbers alone are kept runs (`cutelab runs list`): nothing is run",
       1, 16}};
  spec.flags = {
      {"--l2", "STATE", "what L2 holds when a timed launch starts", "cold", false, {"cold", "dirty", "warm"}},
      {"--fill", "KIND", "what the inputs hold", "uniform", false, kernel::fill_words()},
      {"--margin", "PERCENT", "differences below this are SAME", "1", false, {}},
      {"--seconds", "SECONDS", "measure at most so long", "6", false, {}},
      {"--fail-on",
       "VERDICT",
       "exit with 1 when one of the others is that against the first",
       "",
       true,
       {"slower", "faster", "ambiguous"}},
      {"--structure", "", "show how the sources differ in facts (two kernels with a source)", "", false, {}},
      {"--self-test",
       "PAIRS",
       "how often the verdict is right here: so many pairs of the first kernel with itself, and with itself "
       "slowed by --handicap",
       "",
       false,
       {}},
      {"--handicap", "PERCENT", "for --self-test", "3", false, {}},
      {"--gpu", "N", "which GPU", "0", false, {}},
      {"--time-limit", "SECONDS", "a step on the GPU that lasts longer is ended", "120", false, {}},
      output_flag("--json", "write the comparison as JSON; - is standard output"),
      {"--no-store", "", "do not keep the runs (`cutelab runs`)", "", false, {}},
      {"--store", "FILE", "keep runs in this file, and look for their numbers there", "", false, {}}};
  spec.open_flags = true;
  spec.examples = {"cutelab compare dense_gemm:v5 dense_gemm:v7 cublaslt_gemm --m=8192 --n=8192 --k=8192",
                   "cutelab compare rmsnorm rmsnorm,vector_elements=4 --fail-on slower",
                   "cutelab compare rmsnorm --self-test 20", "cutelab compare 7 12        # two kept runs"};
  return spec;
}

/// A flag's number; errors name the flag.
Result<double> number_of(const Arguments& arguments, const char* flag, const char* otherwise, double least,
                         double most) {
  const std::string text = arguments.get(flag, otherwise);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == 0 && value >= least && value <= most) return value;
  return Error{ErrorKind::usage, "compare", fmt::format("{} does not take '{}'", flag, text), "",
               fmt::format("it wants a number from {:g} to {:g}", least, most)};
}

/// Parameters that no contender has are mistakes.
Status check_shared(const CompareRequest& request,
                    const std::vector<std::pair<std::string, std::string>>& shared) {
  std::vector<std::string> known;
  for (const Contender& contender : request.contenders)
    for (const auto& spec : contender.package.plan->parameters()) known.push_back(spec.name);
  for (const auto& [name, value] : shared) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return Error{ErrorKind::usage, "compare", fmt::format("none of the kernels has a parameter --{}", name),
                 "", near ? fmt::format("did you mean --{}?", *near) : "`cutelab list --json` shows them"};
  }
  return {};
}

class CompareVerb final : public Verb {
 public:
  VerbSpec spec() const override { return compare_spec(); }
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override;

 private:
  static Result<CompareRequest> request_of(const Arguments& arguments, Context& context);
  static Result<ExitCode> self_test(const CompareRequest& request, const Arguments& arguments,
                                    Context& context);
  static Status keep(const CompareOutcome& outcome, const report::ComparedRuns& compared,
                     const Arguments& arguments, Context& context);
};

Result<CompareRequest> CompareVerb::request_of(const Arguments& arguments, Context& context) {
  CompareRequest request;
  const auto packages = every_package(context);
  std::vector<std::string> words = {context.program, "compare"};
  for (const std::string& word : arguments.positionals()) {
    auto contender = parse_contender(word, packages, arguments.open());
    if (!contender) return contender.error();
    request.contenders.push_back(std::move(*contender));
    words.push_back(word);
  }
  if (auto s = check_shared(request, arguments.open()); !s) return s.error();
  for (const auto& [name, value] : arguments.open()) words.push_back(fmt::format("--{}={}", name, value));
  const auto margin = number_of(arguments, "--margin", "1", 0.01, 100);
  const auto seconds = number_of(arguments, "--seconds", "6", 0.01, most_seconds);
  const auto limit = number_of(arguments, "--time-limit", "120", 1, most_seconds);
  const auto gpu = gpu_number(arguments.get("--gpu", "0"), "compare", "--gpu");
  for (const auto* given : {&margin, &seconds, &limit})
    if (!*given) return given->error();
  if (!gpu) return gpu.error();
  request.spec.margin = *margin / 100;
  request.spec.most_seconds = *seconds;
  request.time_limit_seconds = *limit;
  request.gpu = *gpu;
  const std::string l2 = arguments.get("--l2", "cold");
  request.spec.timing.l2 = l2 == "warm"    ? profile::L2State::warm
                           : l2 == "dirty" ? profile::L2State::dirty
                                           : profile::L2State::cold;
  words.push_back("--l2=" + l2);
  request.spec.timing.fill = kernel::fill_of(arguments.get("--fill", "uniform"));
  if (arguments.has("--fill")) words.push_back("--fill=" + arguments.get("--fill"));
  request.command = shell_line(words);
  return request;
}

Result<ExitCode> CompareVerb::self_test(const CompareRequest& request, const Arguments& arguments,
                                        Context& context) {
  const auto pairs = bounded_number(arguments, "compare", "--self-test", 20, 1, 10'000);
  const auto handicap = number_of(arguments, "--handicap", "3", 0.1, 1000);
  if (!pairs) return pairs.error();
  if (!handicap) return handicap.error();
  const auto device = device::machine_device(cupti_paths(context.environment, context.source_root));
  auto test = run_self_test(request, *pairs, *handicap / 100, *device, package_loader(context), context);
  if (!test) return test.error();
  const auto lines = [&](const char* what, const std::vector<evidence::Verdict>& verdicts,
                         evidence::VerdictKind right) {
    const auto hits =
        std::count_if(verdicts.begin(), verdicts.end(), [&](auto& v) { return v.kind == right; });
    for (const auto& v : verdicts)
      context.out << fmt::format("  {}: {} {}\n", what, report::word_of(v.kind), v.reason);
    context.out << fmt::format("{}: {} of {} judged {}\n", what, hits, verdicts.size(),
                               report::word_of(right));
    return static_cast<int>(hits) == test->pairs;
  };
  const bool same = lines("the same kernel twice", test->same, evidence::VerdictKind::same);
  const bool slow = lines(fmt::format("slowed by {:.2f} %", test->handicap * 100).c_str(), test->slow,
                          evidence::VerdictKind::slower);
  if (test->outcome.kind != "done") {
    context.err << "not done: " << test->outcome.reason << "\n";
    return profile::exit_code_of(test->outcome);
  }
  return same && slow ? ExitCode::ok : ExitCode::failed_check;
}

/// How the sources differ, where each side has one of its own.
void print_structure(const CompareRequest& request, Context& context) {
  std::vector<evidence::Reading> readings;
  for (std::size_t i = 0; i < 2 && i < request.contenders.size(); ++i) {
    reading::Request wanted;
    wanted.path = context.source_root + "/" + request.contenders[i].package.folder + "/kernel.cu";
    if (request.contenders[i].package.language == "library" || !context.files.status(wanted.path)) return;
    auto read = reading::read(wanted, context.files);
    if (!read) return;
    readings.push_back(std::move(*read));
  }
  if (readings.size() == 2)
    context.out << "\n" << report::diff(readings[0], readings[1], report::ViewOptions());
}

Status CompareVerb::keep(const CompareOutcome& outcome, const report::ComparedRuns& compared,
                         const Arguments& arguments, Context& context) {
  const std::string file = arguments.get("--json");
  if (file == "-") context.out << report::comparison_json(compared);
  if (!file.empty() && file != "-")
    if (auto s = write_file_atomically(file, report::comparison_json(compared)); !s) return s;
  if (arguments.has("--no-store")) return {};
  auto store = profile::Store::open(store_file(arguments, context));
  if (!store) return store.error();
  std::vector<std::string> ids;
  for (const evidence::Run& run : outcome.runs) {
    auto id = store->add(run);
    if (!id) return id.error();
    ids.push_back(fmt::format("{}", *id));
  }
  if (file != "-") context.out << "kept as runs " << join(ids, ", ") << "\n";
  return {};
}

/// Whether one of the verdicts is one that --fail-on names.
bool fails(const report::ComparedRuns& compared, const Arguments& arguments) {
  for (const auto& pair : compared.pairs)
    for (const std::string& verdict : arguments.all("--fail-on"))
      if (to_lower(report::word_of(pair.verdict.kind)) == verdict) return true;
  return false;
}

/// Runs of the store by their numbers.
Result<ExitCode> compare_kept(const Arguments& arguments, Context& context) {
  const auto margin = number_of(arguments, "--margin", "1", 0.01, 100);
  if (!margin) return margin.error();
  auto store = profile::Store::open(store_file(arguments, context));
  if (!store) return store.error();
  report::ComparedRuns compared;
  compared.margin = *margin / 100;
  for (const std::string& word : arguments.positionals()) {
    auto kept = store->get(*parse_integer(word));
    if (!kept) return kept.error();
    compared.names.push_back(fmt::format("run {}: {} {}", word, kept->run.kernel, kept->run.version));
    compared.runs.push_back(std::move(kept->run));
  }
  for (std::size_t i = 1; i < compared.runs.size(); ++i) {
    const auto seen = profile::compare_stored(compared.runs[0], compared.runs[i], compared.margin,
                                              profile::CompareSpec().z);
    report::ComparedPair pair{seen.verdict, 0, 0, 0, seen.difference.has_value()};
    if (const auto& d = seen.difference)
      std::tie(pair.low, pair.centre, pair.high) = std::tie(d->low, d->centre, d->high);
    compared.pairs.push_back(std::move(pair));
  }
  const std::string file = arguments.get("--json");
  if (file == "-")
    context.out << report::comparison_json(compared);
  else
    context.out << as_called(report::comparison_report(compared, context.table_width()), context);
  if (!file.empty() && file != "-")
    if (auto s = write_file_atomically(file, report::comparison_json(compared)); !s) return s.error();
  return fails(compared, arguments) ? ExitCode::failed_check : ExitCode::ok;
}

Result<ExitCode> CompareVerb::run(const Arguments& arguments, Context& context) const {
  const auto& words = arguments.positionals();
  if (words.size() > 1 &&
      std::all_of(words.begin(), words.end(), [](auto& w) { return parse_integer(w).has_value(); }))
    return compare_kept(arguments, context);
  auto request = request_of(arguments, context);
  if (!request) return request.error();
  if (arguments.has("--self-test")) return self_test(*request, arguments, context);
  if (request->contenders.size() < 2)
    return Error{ErrorKind::usage, "compare", "one kernel alone cannot be compared", "",
                 "name a second one, or add --self-test 20"};
  const auto device = device::machine_device(cupti_paths(context.environment, context.source_root));
  auto outcome = run_comparison(*request, *device, package_loader(context), context);
  if (!outcome) return outcome.error();
  const auto compared = compared_of(*request, *outcome);
  if (arguments.get("--json") != "-") {
    context.out << as_called(report::comparison_report(compared, context.table_width()), context);
    if (arguments.has("--structure")) print_structure(*request, context);
    context.out << "again: " << request->command << "\n";
  }
  if (auto s = keep(*outcome, compared, arguments, context); !s) return s.error();
  std::set<std::string> said;  // what keeps several kernels from being compiled is said once
  for (const std::string& reason : outcome->not_done)
    if (said.insert(reason).second) context.err << "not done: " << reason << "\n";
  for (const std::string& text : outcome->disagreements) context.err << "outputs differ: " << text << "\n";
  if (outcome->outcome.kind != "done") return profile::exit_code_of(outcome->outcome);
  if (!outcome->disagreements.empty()) return ExitCode::failed_check;
  if (fails(compared, arguments)) return ExitCode::failed_check;
  return outcome->not_done.empty() ? ExitCode::ok : ExitCode::unavailable;
}

}  // namespace

std::unique_ptr<Verb> make_compare_verb() { return std::make_unique<CompareVerb>(); }

}  // namespace cutelab::cli
