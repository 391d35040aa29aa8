#include <fmt/format.h>
#include <map>
#include <memory>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"
#include "capture/program.h"
#include "cli/captures.h"
#include "cli/compiled_reading.h"
#include "cli/example_names.h"
#include "cli/read_known.h"
#include "cli/read_lints.h"
#include "cli/read_spec.h"
#include "cli/read_targets.h"
#include "cli/verbs.h"
#include "evidence/json.h"
#include "reading/read.h"
#include "report/card.h"
#include "report/comparison.h"
#include "report/compiled_diff.h"
#include "report/diff.h"
#include "report/full.h"
#include "report/html.h"
#include "report/known_view.h"
#include "report/listing.h"
#include "report/overview.h"
#include "report/sarif.h"

namespace cutelab::cli {
namespace {
using evidence::Reading;

/// One run of the verb: what was asked, what could be read, and what went wrong on the way.
class ReadRun {
 public:
  ReadRun(const Arguments& arguments, Context& context)
      : arguments_(arguments),
        context_(context),
        names_(context, arguments.get("--cutlass"), arguments.get("--arch")),
        lints_(arguments, context) {}

  Result<ExitCode> go() {
    if (auto status = settings(); !status) return status.error();
    if (auto status = lints_.prepare(); !status) return status.error();
    if (auto status = known_.load(arguments_.get("--knowledge"), context_); !status) return status.error();
    const ReadTargets targets =
        read_targets(arguments_.positionals(), context_.files,
                     [&](const std::string& name, auto& notes) { return names_(name, notes); });
    std::vector<std::string> paths = targets.paths;
    if (diffs_compiled() && paths.size() == 1) paths.push_back(paths[0]);
    for (const std::string& note : targets.notes) context_.err << "note: " << printable(note) << "\n";
    for (const Error& error : targets.errors) complain(error);
    many_ = paths.size() > 1;
    if (many_ && (arguments_.has("--html") || arguments_.has("--card")))
      return Error{ErrorKind::usage, "read", "--html and --card take one file", "", "name one of the files"};
    if (arguments_.has("--diff") && targets.errors.empty() && paths.size() != 2)
      return Error{ErrorKind::usage, "read --diff", fmt::format("compares two files, not {}", paths.size()),
                   "", "write cutelab read --diff A B"};
    read_all(paths);
    if (!readings_.empty())
      if (auto status = write(); !status) return status.error();
    if (written_) context_.out << text_.end();
    if (failures_) return unavailable_ ? ExitCode::unavailable : ExitCode::usage;
    if (arguments_.has("--strict") && (diffs_compiled() ? compilations_differ() : differs_from_compiled()))
      return ExitCode::failed_check;
    return rules_fail_ ? ExitCode::failed_check : ExitCode::ok;
  }

 private:
  Status settings() {
    for (const char* needs : {"--other-arch", "--other-dsl-version", "--other-with"})
      if (arguments_.has(needs) && !diffs_compiled())
        return Error{ErrorKind::usage, fmt::format("read {}", needs),
                     "says how the second of two compilations is made", "", "add --diff --compile"};
    for (const char* needs : {"--strict", "--with", "--dsl-version"})
      if (arguments_.has(needs) && !compiles())
        return Error{ErrorKind::usage, fmt::format("read {}", needs),
                     "says something about a compiled reading", "", "add --compile or --verify"};
    for (const char* given : {"--arch", "--other-arch"})
      if (const std::string arch = arguments_.get(given);
          arguments_.has(given) && !capture::is_architecture(arch))
        return no_architecture(std::string("read ") + given, arch);
    if (const auto arch = context_.environment.get("CUTE_DSL_ARCH"); arch && !capture::is_architecture(*arch))
      return no_architecture("read, by CUTE_DSL_ARCH", *arch);
    for (const std::string& word : arguments_.all("--set")) {
      const auto equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        return Error{ErrorKind::usage, "read --set " + word, "is not NAME=VALUE", "",
                     "write --set num_stages=4"};
      settings_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    return {};
  }

  /// Packages have files without a byte; only one that was asked for by name is worth a complaint.
  bool empty_of_a_folder(const std::string& path) const {
    const auto& asked = arguments_.positionals();
    const auto status = context_.files.status(path);
    return status && status->bytes == 0 && std::find(asked.begin(), asked.end(), path) == asked.end();
  }

  void complain(const Error& error) {
    context_.err << error.message() << "\n";
    ++failures_;
  }

  void progress(std::size_t done, std::size_t all) const {
    if (!many_ || !context_.err_is_terminal || (passes_on() && context_.out_is_terminal)) return;
    if (done == all)
      context_.err << "\r\x1b[K" << std::flush;
    else if (done % 8 == 0)
      context_.err << fmt::format("\r\x1b[Kreading {} of {}", done + 1, all) << std::flush;
  }

  /// The DSL's own sources that go with a file, parsed once for all files of a checkout.
  std::shared_ptr<reading::machine::Library> library(const std::string& path) {
    const auto [of_folder, fresh] = library_of_folder_.try_emplace(path.substr(0, path.rfind('/') + 1));
    if (!fresh) return of_folder->second;
    const auto roots = reading::library_roots_for(
        path, context_.files,
        {context_.source_root + "/build/deps/dsl-sources/nvidia_cutlass_dsl/dsl_packages"});
    auto& known = libraries_[roots.front()];
    if (!known) known = reading::library_for(roots, context_.files);
    return of_folder->second = known;
  }

  void read_all(const std::vector<std::string>& paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      progress(i, paths.size());
      reading::Request request;
      request.path = paths[i];
      request.arch = arch_of(i);
      request.settings = settings_;
      request.library = library(paths[i]);
      request.modules = modules_;
      if (auto text = read_source(context_.files, paths[i])) request.text = std::move(*text);
      auto reading = reading::read(request, context_.files);
      if (!reading) {
        if (!empty_of_a_folder(paths[i])) complain(reading.error());
        continue;
      }
      lints_.apply(*reading, *request.text);
      if (compiles() && !compile(*reading, i)) continue;
      rules_fail_ |= lints_.fails(*reading);
      take(std::move(*reading));
    }
    progress(paths.size(), paths.size());
  }

  bool diffs_compiled() const { return arguments_.has("--diff") && compiles(); }

  /// Whether the file is the second of two compilations and this flag says something about it.
  bool other(std::size_t index, const char* name) const {
    return index == 1 && diffs_compiled() && arguments_.has(name);
  }

  /// The same for reading and for compiling.
  std::string arch_of(std::size_t index) const {
    if (other(index, "--other-arch")) return arguments_.get("--other-arch");
    if (arguments_.has("--arch")) return arguments_.get("--arch");
    return context_.environment.get("CUTE_DSL_ARCH").value_or("");
  }

  CompileRequest compile_request(std::size_t index) const {
    CompileRequest request;
    request.arch = arch_of(index);
    request.dsl_version =
        arguments_.get(other(index, "--other-dsl-version") ? "--other-dsl-version" : "--dsl-version");
    request.flags = arguments_.all(other(index, "--other-with") ? "--other-with" : "--with");
    request.code = arguments_.has("--compile");
    return request;
  }

  bool compilations_differ() const {
    return sides_.size() == 2 && !report::compiled_differences(sides_[0], sides_[1]).empty();
  }

  /// Whether readings go out as JSON one by one and none is kept: nothing that is asked for needs them all.
  bool passes_on() const {
    return many_ && arguments_.has("--json") && arguments_.get("--json") == "-" &&
           !arguments_.has("--sarif") && !arguments_.has("--diff") && !arguments_.has("--verify");
  }

  void take(Reading reading) {
    evidence::Knowledge known = known_.of(reading);
    if (passes_on()) {
      context_.out << text_.add(reading, &known);
      written_ = true;
      return;
    }
    knowledge_.push_back(std::move(known));
    readings_.push_back(std::move(reading));
  }

  bool compiles() const { return arguments_.has("--compile") || arguments_.has("--verify"); }

  /// Joins what the compiler says to the reading. A kernel that does not compile keeps the reading from
  /// source.
  bool compile(Reading& reading, std::size_t index) {
    const CompileRequest request = compile_request(index);
    auto merged = compile_and_compare(reading, request, context_);
    if (!merged) {
      complain(merged.error());
      unavailable_ |= merged.error().kind == ErrorKind::unavailable;
      return !arguments_.has("--verify");
    }
    if (diffs_compiled())
      sides_.push_back({reading.files, merged->comparison.arch, merged->comparison.compiler, request.flags,
                        std::move(merged->compiled)});
    reading = std::move(merged->reading);
    comparisons_.push_back(std::move(merged->comparison));
    return true;
  }

  bool differs_from_compiled() const {
    return std::any_of(comparisons_.begin(), comparisons_.end(),
                       [](const auto& c) { return c.count(evidence::Agreement::differ) > 0; });
  }

  Status write() {
    if (arguments_.has("--card"))
      if (auto status =
              put(arguments_.get("--card"),
                  report::card(readings_[0]).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                      "\n");
          !status)
        return status;
    if (arguments_.has("--html"))
      if (auto status =
              put(arguments_.get("--html"), report::html(readings_[0], texts(), known(),
                                                         comparisons_.empty() ? nullptr : &comparisons_[0]));
          !status)
        return status;
    if (arguments_.has("--json"))
      if (auto status = put_json(arguments_.get("--json")); !status) return status;
    if (arguments_.has("--sarif"))
      if (auto status = put(arguments_.get("--sarif"), report::sarif(readings_, CUTELAB_VERSION)); !status)
        return status;
    if (!arguments_.has("--card") && !arguments_.has("--html") && !arguments_.has("--json")) terminal();
    return {};
  }

  Status put(const std::string& path, const std::string& text) const {
    if (path == "-") {
      context_.out << text;
      return {};
    }
    auto status = write_file_atomically(path, text);
    if (status) context_.err << "wrote " << printable(path) << "\n";
    return status;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const auto& file : readings_[0].files) {
      auto text = read_source(context_.files, file.path);
      out.push_back(text ? *text : "");
    }
    return out;
  }

  bool differs() const { return arguments_.has("--diff") && readings_.size() == 2; }

  /// Of the only reading; null where there is no knowledge base.
  const evidence::Knowledge* known() const { return known_.empty() ? nullptr : &knowledge_[0]; }

  Status put_json(const std::string& path) const {
    if (arguments_.has("--verify") && !comparisons_.empty()) {
      std::string out;
      for (const auto& comparison : comparisons_) out += report::comparison_json(comparison);
      return put(path, out);
    }
    if (sides_.size() == 2) return put(path, report::compiled_diff_json(sides_[0], sides_[1]));
    if (differs()) return put(path, report::diff_json(readings_[0], readings_[1]));
    if (!many_) return put(path, evidence::json_text(readings_[0], known()));
    return put(path, evidence::json_text(readings_, knowledge_));
  }

  void terminal() const {
    report::ViewOptions options;
    options.width = std::max(40, context_.width);
    options.program = context_.program;
    options.paint = render::Paint(render::wants_colour(context_.out_is_terminal,
                                                       context_.environment.get("NO_COLOR").value_or(""),
                                                       context_.environment.get("TERM").value_or("")));
    options.kernel = arguments_.get("--kernel");
    for (const auto family : evidence::all_families)
      for (const std::string& name : arguments_.all("--family"))
        if (name == name_of(family)) options.families.push_back(family);
    if (sides_.size() == 2) {
      context_.out << report::compiled_diff(sides_[0], sides_[1], options, arguments_.has("--full"));
      return;
    }
    for (const auto& comparison : comparisons_)
      context_.out << report::comparison(comparison, options,
                                         arguments_.has("--verify") || arguments_.has("--full"))
                   << "\n";
    if (arguments_.has("--verify")) return;
    if (differs()) {
      context_.out << report::diff(readings_[0], readings_[1], options);
      return;
    }
    const bool full = arguments_.has("--full") || arguments_.has("--family");
    if (many_ && !full) {
      context_.out << report::listing(readings_, options);
      return;
    }
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      context_.out << (i ? "\n" : "")
                   << (full ? report::full(readings_[i], options) : report::overview(readings_[i], options));
      if (!known_.empty() && options.families.empty())
        context_.out << report::known(readings_[i], knowledge_[i], options);
    }
  }

  const Arguments& arguments_;
  Context& context_;
  std::vector<std::pair<std::string, std::string>> settings_;
  ExampleNames names_;
  std::map<std::string, std::shared_ptr<reading::machine::Library>> libraries_;  ///< by their first root
  std::map<std::string, std::shared_ptr<reading::machine::Library>> library_of_folder_;  ///< of sources
  std::shared_ptr<source::SharedModules> modules_ = reading::shared_modules();
  ReadLints lints_;
  ReadKnown known_;
  std::vector<Reading> readings_;
  std::vector<evidence::Comparison> comparisons_;
  std::vector<evidence::Knowledge> knowledge_;  ///< of each reading
  std::vector<report::CompiledSide> sides_;     ///< of --diff --compile
  evidence::ReadingsText text_;                 ///< of readings that are passed on
  bool many_ = false;
  bool written_ = false;  ///< some of `text_`
  bool rules_fail_ = false;
  bool unavailable_ = false;
  int failures_ = 0;
};

class Read final : public Verb {
 public:
  VerbSpec spec() const override { return read_spec(); }
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    return ReadRun(arguments, context).go();
  }
};

}  // namespace

std::unique_ptr<Verb> make_read_verb() { return std::make_unique<Read>(); }

}  // namespace cutelab::cli
