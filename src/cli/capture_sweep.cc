#include "cli/capture_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <ostream>

#include "base/text.h"
#include "capture/recipe.h"
#include "capture/sweep.h"
#include "cli/captures.h"
#include "cli/parts.h"
#include "corpus/checkout.h"
#include "corpus/index.h"
#include "reading/read.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

/// CuTe DSL programs with a main below the folder, by path.
Result<std::vector<capture::Swept>> programs_of(const CaptureSweep& asked, const std::string& root,
                                                const Context& context) {
  auto signals = corpus::SignalTable::load(context.files, context.source_root + "/data");
  if (!signals) return signals.error();
  corpus::IndexReport report;
  auto index = corpus::open_index(context.files, *signals, root, context.environment.cache_home(), report);
  if (!index) return index.error();
  std::vector<capture::Swept> found;
  for (const corpus::FileFacts& file : index->files) {
    const bool imports_dsl = std::any_of(file.imports.begin(), file.imports.end(), [](const auto& module) {
      return module.name == "cutlass" || module.name.starts_with("cutlass.");
    });
    if (!file.has_main || !(imports_dsl || !file.kernels.empty() || !file.jits.empty()) ||
        !file.path.ends_with(".py") || file.path.find(asked.only) == std::string::npos)
      continue;
    capture::Swept one;
    one.file = file.path;
    one.holds_kernel = !file.kernels.empty();
    found.push_back(std::move(one));
  }
  if (found.empty())
    return Error{ErrorKind::input, "capture --sweep " + asked.folder,
                 "there is no CuTe DSL program with a main" +
                     (asked.only.empty() ? std::string() : " whose path holds '" + asked.only + "'"),
                 root, "name a CUTLASS checkout or a folder of such programs"};
  return found;
}

Result<std::vector<capture::Request>> programs_of_folder(const CaptureSweep& asked, const Context& context,
                                                         capture::Sweep& sweep) {
  const std::string inner = corpus::dsl_example_root(context.files, asked.folder);
  sweep.root = inner.empty() ? asked.folder : asked.folder + "/" + inner;
  auto programs = programs_of(asked, sweep.root, context);
  if (!programs) return programs.error();
  sweep.programs = std::move(*programs);
  std::vector<capture::Request> requests(sweep.programs.size(), asked.request);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].program = sweep.root + "/" + sweep.programs[i].file;
    requests[i].arch = asked.arch;
  }
  return requests;
}

bool is_recipe(const std::string& path) { return path.ends_with(".json"); }

/// Errors (kind input): the recipe names a part that set-up does not know.
Status check_parts(const capture::Recipe& recipe, const std::string& path, const Context& context) {
  const auto known = part_names(context);
  for (const std::string& part : recipe.parts) {
    if (known.empty() || std::find(known.begin(), known.end(), part) != known.end()) continue;
    const auto near = nearest(part, known);
    return Error{ErrorKind::input, "read a recipe", "`parts`: set-up knows no part '" + printable(part) + "'",
                 path, near ? fmt::format("did you mean '{}'?", *near) : "parts: " + join(known, ", ")};
  }
  return {};
}

/// Parts of set-up that the recipe names. Torch is one that an interpreter may have of its own.
Status require_parts(const std::vector<std::string>& parts, capture::Toolchain& toolchain, Context& context) {
  for (const std::string& part : parts)
    if (auto status = part == "torch" ? add_torch(toolchain, true, context) : require_part(part, context);
        !status)
      return status;
  return {};
}

Result<std::vector<capture::Request>> kernels_of_recipe(const CaptureSweep& asked,
                                                        capture::Toolchain& toolchain, Context& context,
                                                        capture::Sweep& sweep) {
  sweep.root = asked.folder;
  auto recipe = capture::read_recipe(context.files, asked.folder);
  if (!recipe) return recipe.error();
  if (auto status = require_parts(recipe->parts, toolchain, context); !status) return status.error();
  const bool with_torch =
      std::find(recipe->parts.begin(), recipe->parts.end(), "torch") != recipe->parts.end();
  std::vector<capture::Request> requests;
  for (const capture::RecipeKernel& kernel : recipe->kernels)
    for (const std::string& arch : kernel.archs) {
      if ((!asked.arch.empty() && arch != asked.arch) || kernel.name.find(asked.only) == std::string::npos)
        continue;
      capture::Request request = asked.request;
      request.program = context.source_root + "/src/capture/recipes/run_recipe.py";
      request.flags = recipe->folders;
      request.flags.insert(request.flags.begin(), kernel.entry);
      request.arch = arch;
      if (with_torch && request.torch == capture::Torch::automatic) request.torch = capture::Torch::real;
      requests.push_back(std::move(request));
      sweep.programs.push_back({kernel.name, false, std::nullopt, ""});
    }
  if (requests.empty())
    return Error{ErrorKind::input, "capture --sweep " + asked.folder, "no kernel of the recipe is asked for",
                 asked.folder, "leave out --only or --arch"};
  return requests;
}

class ProgramSweep {
 public:
  ProgramSweep(const CaptureSweep& asked, const capture::Toolchain& toolchain, Context& context,
               std::vector<capture::Request> requests, capture::Sweep& sweep)
      : asked_(asked),
        toolchain_(toolchain),
        context_(context),
        requests_(std::move(requests)),
        sweep_(sweep) {}

  void go() {
    const std::int64_t begin = context_.clock.now_ns();
    capture::run_all(sweep_.programs.size(), asked_.jobs,
                     [this](std::size_t i) { one(requests_[i], sweep_.programs[i]); });
    sweep_.seconds = static_cast<double>(context_.clock.now_ns() - begin) * 1e-9;
    if (context_.err_is_terminal) context_.err << "\r\x1b[K" << std::flush;
  }

 private:
  void one(capture::Request& request, capture::Swept& swept) {
    request.keep_modules = request.keep_failures = true;
    if (request.arch.empty()) {
      request.arch_is_guess = true;
      auto arch = arch_of(request.program);
      if (arch)
        request.arch = *arch;
      else
        swept.problem = arch.error().wrong;
    }
    if (swept.problem.empty()) take(capture::capture(request, toolchain_, context_.files), request, swept);
    tell(swept);
  }

  void take(Result<capture::Capture> made, capture::Request& request, capture::Swept& swept) {
    if (made && made->kept && asked_.retry && !made->compiled()) {
      request.fresh = true;
      made = capture::capture(request, toolchain_, context_.files);
    }
    if (made)
      swept.capture = std::move(*made);
    else
      swept.problem = made.error().wrong;
  }

  /// One program is read at a time; the captures beside it are not held up for long.
  Result<std::string> arch_of(const std::string& program) {
    const std::lock_guard<std::mutex> alone(reading_);
    reading::Request request;
    request.path = program;
    const auto roots = reading::library_roots_for(
        program, context_.files,
        {context_.source_root + "/build/deps/dsl-sources/nvidia_cutlass_dsl/dsl_packages"});
    auto& known = libraries_[roots.front()];
    if (!known) known = reading::library_for(roots, context_.files);
    request.library = known;
    auto made = reading::read(request, context_.files);
    if (!made) return made.error();
    return target_arch(made->arch.minimum.empty() ? default_arch : made->arch.minimum, context_, program);
  }

  void tell(const capture::Swept& swept) {
    const std::lock_guard<std::mutex> alone(telling_);
    ++done_;
    const double seconds = swept.capture ? swept.capture->seconds : 0;
    if (context_.err_is_terminal)
      context_.err << fmt::format(
                          "\r\x1b[K{} of {}: {}", done_, sweep_.programs.size(),
                          printable(swept.file).substr(0, static_cast<std::size_t>(context_.width) / 2))
                   << std::flush;
    else
      context_.err << fmt::format("[{:>3} of {}] {:<8} {:6.1f} s  {}{}\n", done_, sweep_.programs.size(),
                                  outcome_of(swept), seconds, printable(swept.file),
                                  swept.capture && swept.capture->kept ? " (kept)" : "")
                   << std::flush;
  }

 public:
  static const char* outcome_of(const capture::Swept& swept) {
    if (swept.captured()) return "captured";
    return swept.capture && swept.capture->recorded() ? "recorded" : "failed";
  }

 private:
  static constexpr const char* default_arch = "sm_90a";

  const CaptureSweep& asked_;
  const capture::Toolchain& toolchain_;
  Context& context_;
  std::vector<capture::Request> requests_;  ///< one per program of the sweep
  capture::Sweep& sweep_;
  std::map<std::string, std::shared_ptr<reading::machine::Library>> libraries_;
  std::mutex reading_, telling_;
  std::size_t done_ = 0;
};

std::string why(const capture::Swept& swept) {
  if (!swept.capture) return swept.problem;
  const capture::Capture& made = *swept.capture;
  if (made.reason.empty())
    return made.recorded() ? "what was compiled does not name the kernel"
                           : "it launches no kernel of its own";
  std::vector<std::string> words;
  const std::string line = replace_all(made.reason, "\n", " ");
  for (const auto word : split(line, ' '))
    if (!word.empty()) words.emplace_back(word);
  const std::string text = join(words, " ");
  constexpr std::size_t most = 200;
  return printable(text.size() > most ? text.substr(0, most) + " …" : text);
}

void print(const capture::Sweep& sweep, const Context& context) {
  std::ostream& out = context.out;
  const int width = context.table_width();
  render::Table captured{{{"Captured", render::Align::left, 90},
                          {"For"},
                          {"Kernels", render::Align::right},
                          {"s", render::Align::right}},
                         {}};
  render::Table others{{{"Not captured", render::Align::left, 90}, {"Ended"}, {"Why"}}, {}};
  std::size_t with_kernel = 0, captured_with_kernel = 0;
  for (const capture::Swept& swept : sweep.programs) {
    with_kernel += swept.holds_kernel;
    captured_with_kernel += swept.holds_kernel && swept.captured();
    if (!swept.captured()) {
      others.rows.push_back({printable(swept.file),
                             swept.capture ? capture::name_of(swept.capture->ended) : "not run", why(swept)});
      continue;
    }
    std::vector<std::string> kernels;
    for (const capture::Launch& launch : swept.capture->launches)
      if (launch.own && std::find(kernels.begin(), kernels.end(), launch.qualified) == kernels.end())
        kernels.push_back(launch.qualified);
    captured.rows.push_back({printable(swept.file), swept.capture->arch, fmt::format("{}", kernels.size()),
                             fmt::format("{:.1f}", swept.capture->seconds)});
  }
  if (!captured.rows.empty()) out << render::fitted(captured, width) << "\n";
  if (!others.rows.empty()) out << render::fitted(others, width) << "\n";
  out << fmt::format(
      "{} of {} programs captured with launch and intermediate form; {} of the {} that hold a kernel "
      "themselves. "
      "CuTe DSL {}, {:.1f} s.\n",
      sweep.captured(), sweep.programs.size(), captured_with_kernel, with_kernel, sweep.dsl_version,
      sweep.seconds);
}

}  // namespace

Status check_recipe(const std::string& path, const Context& context) {
  if (!is_recipe(path)) return {};
  auto recipe = capture::read_recipe(context.files, path);
  return recipe ? check_parts(*recipe, path, context) : Status(recipe.error());
}

Result<ExitCode> run_capture_sweep(const CaptureSweep& asked, capture::Toolchain toolchain,
                                   Context& context) {
  capture::Sweep sweep;
  sweep.dsl_version = toolchain.dsl_version;
  auto requests = is_recipe(asked.folder) ? kernels_of_recipe(asked, toolchain, context, sweep)
                                          : programs_of_folder(asked, context, sweep);
  if (!requests) return requests.error();
  ProgramSweep(asked, toolchain, context, std::move(*requests), sweep).go();
  if (asked.json)
    context.out << capture::to_json(sweep);
  else
    print(sweep, context);
  const auto unserved = std::count_if(
      sweep.programs.begin(), sweep.programs.end(),
      [](const capture::Swept& one) { return one.capture.has_value() && one.capture->wants_torch(); });
  context.err << torch_hint(static_cast<std::size_t>(unserved), toolchain, context);
  return sweep.captured() > 0 ? ExitCode::ok : ExitCode::failed_check;
}

}  // namespace cutelab::cli
