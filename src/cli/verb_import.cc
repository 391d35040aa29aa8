#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/captures.h"
#include "cli/example_names.h"
#include "cli/exports.h"
#include "cli/host_exports.h"
#include "cli/import_copy.h"
#include "cli/import_open.h"
#include "cli/import_operator.h"
#include "cli/import_probe.h"
#include "cli/import_recipe.h"
#include "cli/import_spec.h"
#include "cli/import_sweep.h"
#include "cli/import_uses.h"
#include "cli/import_write.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "kernel/call_text.h"
#include "kernel/imported_plan.h"
#include "reading/read.h"

namespace cutelab::cli {
namespace {

/// Names that the verb `kernel` takes as its own flags.
std::set<std::string> reserved_names() {
  std::set<std::string> names = {"help"};
  for (const Flag& flag : make_kernel_verb()->spec().flags) {
    const std::string spelled = flag.name.substr(flag.name.rfind(',') + 1);
    names.insert(spelled.substr(std::min(spelled.find_first_not_of('-'), spelled.size())));
  }
  return names;
}

/// A folder's or file's name as a package's: "Dense GEMM-2.py" gives "dense_gemm_2".
std::string design_of(const std::string& path) {
  std::string name = to_lower(std::filesystem::path(path).stem().string());
  for (char& c : name)
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) c = '_';
  return name;
}

constexpr int most_versions = 999, most_jobs = 1024, most_seconds = 86400;

Result<ExportSettings> settings_of(const Arguments& arguments) {
  ExportSettings settings;
  settings.python = arguments.get("--python");
  settings.dsl_version = arguments.get("--dsl-version");
  settings.torch = torch_of(arguments);
  settings.made_by_this_harness = true;
  auto seconds = bounded_number(arguments, "import", "--timeout", static_cast<int>(settings.most_seconds), 1,
                                most_seconds);
  if (!seconds) return seconds.error();
  settings.most_seconds = *seconds;
  return settings;
}

class Importing {
 public:
  Importing(const Arguments& arguments, Context& context) : arguments_(arguments), context_(context) {}

  Result<ExitCode> go() {
    if (auto status = begin(); !status) return status.error();
    tell("the program as it is");
    auto base = exporter_->get(wanted_);
    if (!base) return done_telling(), without_call(base.error());
    note_uses(*base, context_.files);
    if (!context_.err_is_terminal)
      context_.err << fmt::format(
          "import: a run of the program took {:.1f} s; its options are tried now, one or more runs each, {} "
          "at "
          "once …\n",
          base->seconds, jobs_);
    describe(*base);
    done_telling();
    const bool dry = arguments_.has("--dry-run");
    std::vector<PackageFile> files;
    if (arguments_.has("--copy-helpers")) {
      auto copies = copied_sources(description_, path_, *base, context_);
      if (!copies) return copies.error();
      files = std::move(*copies);
    }
    files.emplace_back("README.md", package_readme(description_, *base));
    if (!dry)
      if (auto status = write_package(description_, files, context_); !status) return status.error();
    report(*base, dry);
    return description_.undetermined.empty() ? ExitCode::ok : ExitCode::failed_check;
  }

 private:
  Status begin();
  Status find_program();
  void describe(const kernel::Exported& base);
  void keep_default_problem();
  Result<ExitCode> without_call(const Error& because);
  std::string summary() const;
  void report(const kernel::Exported& base, bool dry) const;
  void tell(const std::string& what) const {
    if (context_.err_is_terminal) context_.err << "\r\x1b[Kimport: " << what << " …" << std::flush;
  }
  void done_telling() const {
    if (context_.err_is_terminal)
      context_.err << "\r\x1b[K" << std::flush;
    else
      context_.err << fmt::format("import: over after {:.1f} s\n",
                                  static_cast<double>(context_.clock.now_ns() - since_ns_) * 1e-9);
  }

  const Arguments& arguments_;
  Context& context_;
  std::int64_t since_ns_ = context_.clock.now_ns();
  std::string path_;
  std::string said_;  ///< what tells of the program in words: its path, or the entry's name
  std::optional<RecipeEntry> recipe_;
  int jobs_ = 2;
  kernel::PackageDescription description_;
  kernel::ExportWanted wanted_;
  ExportSettings settings_;
  std::shared_ptr<const kernel::Exporter> exporter_;
};

/// A file, an example's name, or an entry of a recipe.
Status Importing::find_program() {
  const std::string& word = arguments_.positionals()[0];
  auto entry = recipe_entry(word, context_);
  if (!entry) return entry.error();
  recipe_ = std::move(*entry);
  if (recipe_) {
    path_ = context_.source_root + "/" + recipe_->program;
    said_ = recipe_->name;
    return {};
  }
  if (const auto file = context_.files.status(word); !file || file->is_directory || !is_cpp_program(word))
    if (auto status = check_is_program("import", word, "import --sweep " + word, context_); !status)
      return status;
  ExampleNames names(context_, arguments_.get("--cutlass"), arguments_.get("--arch"));
  std::vector<std::string> notes;
  auto file = names(word, notes);
  for (const std::string& note : notes) context_.err << note << "\n";
  if (!file) return file.error();
  path_ = said_ = std::filesystem::absolute(*file).lexically_normal().string();
  return {};
}

Status Importing::begin() {
  if (auto status = find_program(); !status) return status;
  auto source = read_source(context_.files, path_);
  if (!source) return source.error();
  if (arguments_.has("--copy-helpers") && (arguments_.has("--by-path") || recipe_))
    return Error{ErrorKind::usage, "import " + arguments_.positionals()[0],
                 recipe_ ? "--copy-helpers is for programs: an entry of a recipe is of an installed package"
                         : "--by-path and --copy-helpers say the opposite of each other",
                 "", "give one of them, or none: by path"};
  auto version = bounded_number(arguments_, "import", "--version", 0, 0, most_versions);
  if (!version) return version.error();
  auto jobs = bounded_number(arguments_, "import", "--jobs", 2, 1, most_jobs);
  if (!jobs) return jobs.error();
  jobs_ = *jobs;
  std::string asked_arch = arguments_.get("--arch");
  if (recipe_ && asked_arch.empty()) asked_arch = recipe_->archs.front();
  if (is_cpp_program(path_) && asked_arch.empty()) asked_arch = cpp_target(*source);
  auto arch = target_arch(asked_arch, context_, path_);
  if (!arch) return arch.error();
  auto& d = description_;
  d.layer = arguments_.get("--layer", "misc");
  d.design = arguments_.get("--design", design_of(said_));
  d.version = fmt::format("v{}", *version);
  d.arch = *arch;
  d.program = program_name(path_, context_);
  d.program_sha256 = sha256(*source);
  d.fixed_flags.assign(arguments_.positionals().begin() + 1, arguments_.positionals().end());
  if (recipe_) d.fixed_flags = recipe_->flags;
  if (auto status = check_package_name(d, arguments_.has("--replace"), context_); !status) return status;
  if (arguments_.has("--python"))
    if (auto python = dsl_python({path_, arguments_.get("--python"), ""}, context_); !python)
      return python.error();
  auto settings = settings_of(arguments_);
  if (!settings) return settings.error();
  if (recipe_ && recipe_->wants_torch && settings->torch == capture::Torch::automatic)
    settings->torch = capture::Torch::real;
  settings_ = *settings;
  exporter_ = make_exporter(context_, *settings);
  if (!context_.err_is_terminal)
    context_.err << fmt::format("import: {} {} for {} without a GPU … ({})\n",
                                is_cpp_program(d.program) ? "compiling" : "running", d.program, d.arch,
                                usual_time(export_seconds(context_)));
  wanted_ = {d.program, d.program_sha256, d.fixed_flags, d.arch};
  return {};
}

/// A host function in C++ seldom refuses extents that its kernel does not guard: they stay multiples of what
/// divides the program's own, up to the largest tile in use.
void hold_to_tiles(const std::vector<ProbedFlag>& flags, kernel::PackageDescription& d) {
  constexpr std::int64_t largest_tile = 256;
  std::vector<std::string> held;
  for (const ProbedFlag& flag : flags) {
    const std::int64_t value = parse_integer(flag.parameter.value).value_or(0);
    if (flag.scaled.empty() || value < 1) continue;
    for (auto& p : d.parameters)
      if (p.name == flag.parameter.name) {
        p.multiple_of = std::min(value & -value, largest_tile);
        held.push_back(fmt::format("{} of {}", p.name, p.multiple_of));
      }
  }
  if (!held.empty())
    d.assumed.push_back("extents stay multiples, as the program's own are (" + join(held, ", ") +
                        "): whether the kernel guards others is not known");
}

/// The program's own words on what it is.
std::string Importing::summary() const {
  if (recipe_) return recipe_->summary;
  reading::Request request;
  request.path = path_;
  auto read = reading::read(request, context_.files);
  return read ? read->summary : "";
}

/// The program makes no call that could be had: a package to fill in, where there is something to call.
Result<ExitCode> Importing::without_call(const Error& because) {
  if (recipe_) return because;
  description_.summary = summary();
  const auto importable = [this](const std::string& path) {
    return check_importable(path, description_.arch, settings_, context_);
  };
  auto open = open_package(description_, path_, because, importable, context_);
  if (!open) return open.error();
  const bool dry = arguments_.has("--dry-run");
  if (!dry)
    if (auto status = write_package(open->description, open->files, context_); !status) return status.error();
  const auto& d = open->description;
  context_.out << fmt::format("{} {}: {}\n", d.design, d.version, d.summary);
  context_.out << "  no call        " << replace_all(printable(because.wrong), "\n", " ") << "\n";
  context_.out << "  to fill in     the arguments of " << open->function << ", in " << open->call << "\n";
  context_.out << (dry ? "would be written: " : "written: ") << package_folder(d) << "\n";
  context_.out << "then: " << open->again << "\n";
  return ExitCode::failed_check;
}

/// The package names each parameter on the command line, the program as it is none: its first run is kept,
/// so that the package can be looked into where the program is not.
void Importing::keep_default_problem() {
  auto wanted = wanted_;
  wanted.flags = kernel::flags_of(description_, {});
  if (wanted.flags == wanted_.flags) return;
  tell("its parameters at their defaults");
  if (auto made = exporter_->get(wanted); !made)
    description_.undetermined.push_back("`parameters`: their defaults together give no call: " +
                                        without_machines_paths(made.error().wrong, context_));
}

void Importing::describe(const kernel::Exported& base) {
  auto& d = description_;
  d.dsl_version = base.dsl_version;
  d.summary = summary();
  if (d.summary.empty())
    d.summary = fmt::format("{} of {}", base.call.callee.empty() ? base.call.function : base.call.callee,
                            std::filesystem::path(path_).filename().string());
  const ProbeRequest probe{*exporter_, wanted_, jobs_, [this](const std::string& what) { tell(what); }};
  const bool tries = !arguments_.has("--as-it-is");
  const auto flags =
      tries ? probe_flags(probe, base.call, reserved_names(), d.passed_over) : std::vector<ProbedFlag>();
  describe_parameters(flags, d);
  if (!tries) d.passed_over.emplace_back("no option was tried: the program was imported as it is");
  if (!is_cpp_program(path_))
    if (auto ragged = probe_ragged(probe, flags, d); !ragged.empty()) d.ragged.push_back(std::move(ragged));
  auto guess =
      guess_operator(base.call, flags, words_of_call(said_, base.call), arguments_.get("--operator"));
  if (const auto text = context_.files.read(path_, 16u << 20)) take_mask(*text, guess);
  d.op = std::move(guess.op);
  d.assumed = std::move(guess.assumed);
  d.undetermined = std::move(guess.undetermined);
  if (is_cpp_program(path_)) hold_to_tiles(flags, d);
  settle_parameters(said_, base.call, flags, d);
  leave_out_misfits(*exporter_, wanted_, d);
  keep_default_problem();
  for (std::string& open : kernel::open_points(base.call)) d.undetermined.push_back(std::move(open));
  d.assumed.insert(d.assumed.end(), base.call.notes.begin(), base.call.notes.end());
  for (auto& c : d.configurations) c.rejected_because = without_machines_paths(c.rejected_because, context_);
  for (std::string& line : d.passed_over) line = without_machines_paths(line, context_);
  if (!base.call.other_functions.empty())
    d.assumed.push_back(fmt::format("of {} compiled functions that the program calls, the first",
                                    base.call.other_functions.size() + 1));
  if (base.call.launches.size() > 1)
    d.assumed.push_back(
        fmt::format("one call launches {} kernels; the table of compiled figures shows the first",
                    base.call.launches.size()));
}

void Importing::report(const kernel::Exported& base, bool dry) const {
  const auto& d = description_;
  auto& out = context_.out;
  out << fmt::format("{} {}: {}\n", d.design, d.version, d.summary);
  out << fmt::format("  program        {} ({}, {})\n", d.program, d.arch, compiled_with(d));
  out << fmt::format("  compiled       {}, {} kernel{}\n",
                     base.call.callee.empty() ? base.call.function : base.call.callee,
                     base.call.symbols.size(), base.call.symbols.size() == 1 ? "" : "s");
  const auto names = [](const std::vector<kernel::ImportedParameter>& all) {
    std::vector<std::string> words;
    for (const auto& p : all) words.push_back(fmt::format("{}={}", p.name, p.value));
    return words.empty() ? std::string("none") : join(words, " ");
  };
  out << "  problem        " << names(d.parameters) << "\n";
  int legal = 0;
  for (const auto& c : d.configurations) legal += c.rejected_because.empty();
  out << fmt::format("  configuration  {}; {} settings tried, {} legal\n", names(d.configuration),
                     d.configurations.size(), legal);
  for (const std::string& line : kernel::tensor_lines({}, base.call, false))
    out << "  tensor         " << line << "\n";
  out << "  operator       " << (d.op.known() ? d.op.name : "undetermined") << "\n";
  for (const std::string& line : d.assumed) out << "  assumed        " << line << "\n";
  for (const std::string& line : d.undetermined) out << "  to fill in     " << line << "\n";
  for (const std::string& line : d.passed_over)
    out << "  no parameter   " << replace_all(printable(line), "\n", " ") << "\n";
  out << (dry ? "would be written: " : "written: ") << package_folder(d) << "\n";
  if (!d.undetermined.empty())
    out << fmt::format("what is legal there: {}/README.md; it does not run before\n", package_folder(d));
  if (!dry && d.undetermined.empty())
    out << fmt::format("run it: {} kernel {} {} --check\n", context_.program, d.design, d.version);
}

Result<ExitCode> sweep(const Arguments& arguments, Context& context) {
  ImportSweep asked;
  asked.folder = arguments.positionals()[0];
  asked.only = arguments.get("--only");
  if (arguments.has("--arch")) {
    auto arch = target_arch(arguments.get("--arch"), context, asked.folder);
    if (!arch) return arch.error();
    asked.arch = *arch;
  }
  auto jobs = bounded_number(arguments, "import", "--jobs", 2, 1, most_jobs);
  if (!jobs) return jobs.error();
  asked.jobs = *jobs;
  auto settings = settings_of(arguments);
  if (!settings) return settings.error();
  settings->keep_failures = true;
  asked.importable = [&](const std::string& path, const std::string& sm) {
    return check_importable(path, sm, *settings, context);
  };
  std::size_t done = 0;
  const auto told = [&](const SweptImport& one) {
    const std::string line = fmt::format("import: {} files, last {} ({})", ++done, one.file, one.end);
    context.err << (context.err_is_terminal ? "\r\x1b[K" + line : line + "\n") << std::flush;
  };
  auto swept = sweep_imports(asked, *make_exporter(context, *settings), context, told);
  if (context.err_is_terminal) context.err << "\r\x1b[K" << std::flush;
  if (!swept) return swept.error();
  context.out << sweep_report(*swept, context.table_width());
  if (arguments.has("--report"))
    if (auto status = write_file_atomically(arguments.get("--report"), sweep_page(*swept)); !status)
      return status.error();
  return ExitCode::ok;
}

class ImportVerb final : public Verb {
 public:
  VerbSpec spec() const override { return import_spec(); }
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    return arguments.has("--sweep") ? sweep(arguments, context) : Importing(arguments, context).go();
  }
};

}  // namespace

std::unique_ptr<Verb> make_import_verb() { return std::make_unique<ImportVerb>(); }

}  // namespace cutelab::cli
