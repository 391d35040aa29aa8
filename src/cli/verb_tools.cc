// The verbs that must work without a built program: the launcher runs their scripts itself; here they have
// their place in the help, and the program can be asked for them too.
#include <fmt/format.h>

#include "cli/parts.h"
#include "cli/verbs.h"

namespace cutelab::cli {
namespace {

class ScriptVerb final : public Verb {
 public:
  explicit ScriptVerb(VerbSpec spec) : spec_(std::move(spec)) {}
  VerbSpec spec() const override { return spec_; }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const std::string script = fmt::format("{}/tools/setup/{}.py", context.source_root, spec_.name);
    if (const auto there = context.files.status(script); !there)
      return Error{
          ErrorKind::input, "run cutelab " + spec_.name, there.error().wrong, script,
          "it lies in cutelab's source tree: use the launcher there, or set CUTELAB_ROOT to that folder"};
    std::vector<std::string> argv = {"python3", script};
    for (const Flag& flag : spec_.flags) {
      const std::string name = flag.name.substr(flag.name.rfind("--"));
      if (!arguments.has(name)) continue;
      if (flag.value.empty()) argv.push_back(name);
      for (const std::string& value : arguments.all(name)) argv.push_back(name + "=" + value);
    }
    for (const std::string& word : arguments.positionals()) argv.push_back(word);
    auto code = run_attached(argv);
    if (!code) return code.error();
    return static_cast<ExitCode>(*code);
  }

 private:
  VerbSpec spec_;
};

}  // namespace

std::unique_ptr<Verb> make_setup_verb() {
  VerbSpec spec;
  spec.name = "setup";
  spec.summary = "install, list and remove what cutelab can use";
  spec.positionals = {{"PART", "parts to install; none: what building and reading need", 0, -1}};
  spec.flags = {{"-l,--list", "", "every part: installed or not, size, what it is for", "", false, {}},
                {"--json", "", "the list as JSON", "", false, {}},
                {"--remove", "PART", "delete an optional part", "", false, {}},
                {"--offline", "", "use only files fetched before (CUTELAB_DOWNLOADS)", "", false, {}}};
  spec.examples = {"cutelab setup --list", "cutelab setup dsl cuda-tools", "cutelab setup --remove cutile"};
  return std::make_unique<ScriptVerb>(std::move(spec));
}

std::unique_ptr<Verb> make_test_verb() {
  VerbSpec spec;
  spec.name = "test";
  spec.summary = "build everything and run every test that can run here";
  spec.positionals = {{"STEP", "run only these steps", 0, -1}};
  spec.flags = {{"-l,--list", "", "the steps", "", false, {}}};
  spec.examples = {"cutelab test", "cutelab test unit golden"};
  return std::make_unique<ScriptVerb>(std::move(spec));
}

std::unique_ptr<Verb> make_bench_verb() {
  VerbSpec spec;
  spec.name = "bench";
  spec.summary = "measure the program itself: host benchmarks, results as JSON";
  spec.positionals = {{"WORD", "benchmarks whose name contains one of the words; none: all", 0, -1}};
  spec.flags = {{"-l,--list", "", "names of the benchmarks", "", false, {}},
                {"--json", "FILE", "where the results go", "build/bench/results.json", false, {}},
                {"--repetitions", "N", "runs of each benchmark", "5", false, {}}};
  spec.examples = {"cutelab bench", "cutelab bench select --repetitions=9"};
  return std::make_unique<ScriptVerb>(std::move(spec));
}

}  // namespace cutelab::cli
