#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "capture/capture_json.h"
#include "cli/capture_sweep.h"
#include "cli/captures.h"
#include "cli/example_names.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

VerbSpec capture_spec() {
  VerbSpec spec;
  spec.name = "capture";
  spec.summary = "run a CuTe DSL program without a GPU and record its kernel launches";
  spec.step = "2 READ";
  spec.positionals = {
      {"FILE", "a CuTe DSL program with a main, or an example's name; a folder with --sweep", 1, 1},
      {"-- FLAG", "the program's own command line", 0, -1}};
  spec.flags = program_flags();
  const std::vector<Flag> own = {
      {"--json", "", "everything recorded, for machines (docs/capture.md)", "", false, {}},
      {"--timeout", "SECONDS", "kill it after this long", "180", false, {}},
      {"--memory", "GIB", "kill it above this much resident memory", "8", false, {}},
      {"--fresh", "", "run it even if an earlier capture of the same source is kept", "", false, {}},
      {"--sweep",
       "",
       "FILE is a CUTLASS checkout, a folder or a recipe (docs/recipes.md): run every program with a main, "
       "every kernel of the recipe, and say of each how it ended",
       "",
       false,
       {}},
      {"--only", "TEXT", "of a sweep: programs whose path holds this", "", false, {}},
      {"--jobs", "N", "of a sweep: programs at once", "2", false, {}},
      {"--retry", "", "of a sweep: run again what an earlier one did not capture", "", false, {}},
      {"--cutlass", "DIR", "CUTLASS checkout in which names are looked up, else CUTLASS_DIR", "", false, {}}};
  spec.flags.insert(spec.flags.end(), own.begin(), own.end());
  spec.examples = {"cutelab capture examples/cute_dsl/rmsnorm.py --arch sm_90a",
                   "cutelab capture gemm_wgmma_pipelined --arch sm_90a -- --mnk 4096,4096,4096",
                   "cutelab capture examples/cute_dsl/rmsnorm.py --json",
                   "cutelab capture --sweep ../cutlass",
                   "cutelab capture --sweep data/recipes/quack.json --arch sm_90a"};
  return spec;
}

std::string spelled(const capture::Extents& extents) {
  return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
}

std::string spelled(const capture::LaunchAttribute& attribute) {
  switch (attribute.id) {
    case 2:
      return attribute.value.empty() || attribute.value[0] == 0 ? "" : "cooperative";
    case 6:
      return attribute.value.empty() || attribute.value[0] == 0 ? "" : "dependent launch";
    case 4:
      return "";  // a column of its own
    case 11:
      return attribute.value.size() == 3 ? fmt::format("preferred cluster {} x {} x {}", attribute.value[0],
                                                       attribute.value[1], attribute.value[2])
                                         : "";
    default:
      return fmt::format("attribute {}", attribute.id);
  }
}

std::vector<std::string> row_of(const capture::Launch& launch) {
  std::vector<std::string> others;
  for (const auto& attribute : launch.attributes)
    if (std::string text = spelled(attribute); !text.empty()) others.push_back(std::move(text));
  return {printable(launch.qualified.empty() ? launch.symbol : launch.qualified) +
              (launch.own ? "" : " (library)"),
          spelled(launch.grid),
          spelled(launch.block),
          launch.cluster ? spelled(*launch.cluster) : "-",
          with_thousands(static_cast<long long>(launch.dynamic_shared_bytes)),
          fmt::format("{}", launch.times),
          join(others, ", ")};
}

void print(const capture::Capture& capture, const Context& context) {
  std::ostream& out = context.out;
  out << fmt::format("{} for {}: CuTe DSL {}{}, {:.1f} s{}\n", capture.program, capture.arch,
                     capture.dsl_version,
                     capture.torch.empty() || capture.torch == "none" ? "" : ", " + capture.torch,
                     capture.seconds, capture.kept ? " (kept)" : "");
  out << "ended: " << capture::name_of(capture.ended);
  if (!capture.reason.empty()) out << ": " << printable(capture.reason);
  out << (capture.at.empty() ? "" : "\n   at: " + printable(capture.at)) << "\n\n";
  if (capture.launches.empty()) {
    out << "No launch was recorded.\n";
  } else {
    render::Table table{{{"Kernel", render::Align::left, 60},
                         {"Grid"},
                         {"Block"},
                         {"Cluster"},
                         {"Dynamic SMEM (B)", render::Align::right},
                         {"Times", render::Align::right},
                         {"Also"}},
                        {}};
    for (const auto& launch : capture.launches) table.rows.push_back(row_of(launch));
    out << render::fitted(table, context.table_width());
  }
  if (!capture.output.empty()) out << "\nThe end of what it printed:\n" << printable(capture.output) << "\n";
}

class CaptureVerb final : public Verb {
 public:
  VerbSpec spec() const override { return capture_spec(); }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    if (arguments.has("--sweep")) return sweep(arguments, context);
    auto request = request_of(arguments, context);
    if (!request) return request.error();
    auto toolchain = toolchain_of(arguments, *request, context);
    if (!toolchain) return toolchain.error();
    auto captured = capture::capture(*request, *toolchain, context.files);
    if (!captured) return captured.error();
    if (arguments.has("--json"))
      context.out << capture::to_json(*captured);
    else
      print(*captured, context);
    context.err << torch_hint(captured->wants_torch() ? 1 : 0, *toolchain, context);
    if (captured->recorded()) return ExitCode::ok;
    return captured->ended == capture::Ended::missing_module ? ExitCode::unavailable : ExitCode::failed_check;
  }

 private:
  static Result<ExitCode> sweep(const Arguments& arguments, Context& context) {
    CaptureSweep asked;
    asked.folder = arguments.positionals()[0];
    if (arguments.positionals().size() > 1)
      return Error{ErrorKind::usage, "capture --sweep", "the programs of a sweep run with their defaults", "",
                   "leave out what follows --, or capture one program with it"};
    asked.only = arguments.get("--only");
    asked.retry = arguments.has("--retry");
    asked.json = arguments.has("--json");
    asked.arch = arguments.get("--arch", context.environment.get("CUTE_DSL_ARCH").value_or(""));
    if (!asked.arch.empty()) {
      auto arch = target_arch(asked.arch, context, asked.folder);
      if (!arch) return arch.error();
    }
    auto jobs = bounded_number(arguments, "capture --sweep", "--jobs", 2, 1, 1024);
    if (!jobs) return jobs.error();
    asked.jobs = *jobs;
    if (auto status = check_recipe(asked.folder, context); !status) return status.error();
    if (auto status = set_common(arguments, context, asked.request); !status) return status.error();
    auto toolchain = toolchain_of(arguments, asked.request, context);
    if (!toolchain) return toolchain.error();
    return run_capture_sweep(asked, *toolchain, context);
  }

  static Result<capture::Toolchain> toolchain_of(const Arguments& arguments, const capture::Request& request,
                                                 Context& context) {
    auto python =
        dsl_python({request.program, arguments.get("--python"), arguments.get("--dsl-version")}, context);
    if (!python) return python.error();
    auto toolchain = capture::find_toolchain(*python, context.source_root + "/src/capture/harness",
                                             request.cache, context.environment, context.files);
    if (!toolchain) return toolchain;
    const bool wanted = request.torch == capture::Torch::real;
    if (auto status = add_torch(*toolchain, wanted, context); !status) return status.error();
    return toolchain;
  }

  /// What one program and a sweep are asked alike.
  static Status set_common(const Arguments& arguments, const Context& context, capture::Request& request) {
    request.cache = context.environment.cache_home() + "/capture";
    request.fresh = arguments.has("--fresh");
    request.torch = torch_of(arguments);
    return set_limits(arguments, request.limits);
  }

  static Result<capture::Request> request_of(const Arguments& arguments, Context& context) {
    capture::Request request;
    const std::string& word = arguments.positionals()[0];
    if (auto status = check_is_program("capture", word, "capture --sweep " + word, context); !status)
      return status.error();
    ExampleNames names(context, arguments.get("--cutlass"), arguments.get("--arch"));
    std::vector<std::string> notes;
    auto file = names(word, notes);
    for (const std::string& note : notes) context.err << note << "\n";
    if (!file) return file.error();
    request.program = *file;
    request.flags.assign(arguments.positionals().begin() + 1, arguments.positionals().end());
    if (auto status = set_common(arguments, context, request); !status) return status.error();
    request.arch_is_guess = !arguments.has("--arch") && !context.environment.get("CUTE_DSL_ARCH");
    auto arch = target_arch(arguments.get("--arch"), context, request.program);
    if (!arch) return arch.error();
    request.arch = *arch;
    return request;
  }

  static Status set_limits(const Arguments& arguments, capture::Limits& limits) {
    constexpr int most = 100'000;
    auto seconds =
        bounded_number(arguments, "capture", "--timeout", static_cast<int>(limits.seconds), 1, most);
    if (!seconds) return seconds.error();
    const int otherwise = static_cast<int>(limits.memory_bytes >> 30);
    auto gib = bounded_number(arguments, "capture", "--memory", otherwise, 1, most);
    if (!gib) return gib.error();
    limits.seconds = *seconds;
    limits.memory_bytes = static_cast<std::uint64_t>(*gib) << 30;
    return {};
  }
};

}  // namespace

std::unique_ptr<Verb> make_capture_verb() { return std::make_unique<CaptureVerb>(); }

}  // namespace cutelab::cli
