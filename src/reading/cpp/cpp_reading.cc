#include "reading/cpp/cpp_reading.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "reading/cpp/cpp_facts.h"
#include "reading/cpp/cpp_overlap.h"
#include "source/tree.h"

#include <memory>
#include <tuple>

namespace cutelab::reading {
namespace {

/// Code that a comment above it speaks of: what follows describes that, not the file.
bool is_definition(source::Node n) {
  return n.parent().is(source::Kind::translation_unit) &&
         (n.is(source::Kind::function_definition) || n.is(source::Kind::template_declaration) ||
          n.is(source::Kind::struct_specifier) || n.is(source::Kind::class_specifier) ||
          n.is(source::Kind::declaration) || n.is(source::Kind::namespace_definition));
}

/// First sentence of the first comment that is not the licence, above all definitions.
std::string summary_of(const source::Tree& tree) {
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const source::Node n = tree.at(i);
    if (is_definition(n)) break;
    if (!n.is(source::Kind::comment) || !n.parent().is(source::Kind::translation_unit)) continue;
    const std::string_view text = n.text();
    if (text.find("Copyright") != std::string_view::npos || text.find("SPDX") != std::string_view::npos ||
        text.size() < 20)
      continue;
    std::string out;
    for (const auto line : split(text, '\n')) {
      std::string_view t = trim(line);
      while (!t.empty() && std::string_view("/*!<\\").find(t.front()) != std::string_view::npos)
        t.remove_prefix(1);
      while (!t.empty() && std::string_view("/*").find(t.back()) != std::string_view::npos)
        t.remove_suffix(1);
      t = trim(t);
      if (t.starts_with("file")) continue;
      if (t.starts_with("brief")) t = trim(t.substr(5));
      if (t.find_first_not_of("-=*#~ ") == std::string_view::npos) t = {};  // a rule
      if (t.empty()) {
        if (!out.empty()) break;
        continue;
      }
      out += (out.empty() ? "" : " ") + std::string(t);
      if (t.back() == '.') break;
    }
    if (out.size() > 10) return out.substr(0, 300);
  }
  return {};
}

void name_kernels(CppContext& context) {
  for (CppDraft& draft : context.drafts)
    for (const evidence::Function& f : context.reading.functions)
      if (draft.fact.kernel.empty() && f.kind == evidence::Function::Kind::kernel &&
          draft.fact.at.file == f.at.file && draft.fact.at.span.begin >= f.at.span.begin &&
          draft.fact.at.span.end <= f.at.span.end)
        draft.fact.kernel = f.name;
}
}  // namespace

namespace {
constexpr std::size_t most_headers = 24;

using Trees = std::vector<std::unique_ptr<source::Tree>>;

/// "a/b/../c.h" without its steps back.
std::string plain_path(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto part : split(path, '/')) {
    if (part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else
      parts.emplace_back(part);
  }
  return join(parts, "/");
}

/// Where an include of a source in `folder` lies: beside it, or in the folder above, which builds add to
/// their search path.
std::string local_header(const FileSource& files, const std::string& folder, std::string_view written) {
  for (const char* up : {"", "../"}) {
    std::string path = plain_path(folder + up + std::string(written));
    const auto status = files.status(path);
    if (status && !status->is_directory) return path;
  }
  return {};
}

/// Local headers in quotation marks, each once.
void follow_includes(std::size_t from, const FileSource& files, Trees& trees, evidence::Reading& reading) {
  const source::Tree& tree = *trees[from];
  const std::string own = reading.files[from].path;
  const std::string folder = own.find('/') == std::string::npos ? "" : own.substr(0, own.rfind('/') + 1);
  for (std::uint32_t i = 0; i < tree.size() && trees.size() <= most_headers; ++i) {
    const source::Node n = tree.at(i);
    if (!n.is(source::Kind::preproc_include)) continue;
    const std::string_view written = n.child(source::Field::path_field).text();
    if (written.size() < 3 || written.front() != '"') continue;
    const std::string path = local_header(files, folder, written.substr(1, written.size() - 2));
    const bool known =
        std::any_of(reading.files.begin(), reading.files.end(), [&](auto& f) { return f.path == path; });
    if (path.empty() || known) continue;
    auto text = read_source(files, path);
    if (!text) continue;
    reading.imports.push_back({std::string(written), path, {static_cast<int>(from), n.span()}});
    auto header = source::Tree::parse(source::Grammar::cuda, std::move(*text));
    reading.files.push_back({path, sha256(header->text()).substr(0, 16), line_count(header->text())});
    trees.push_back(std::move(header));
  }
}
void extract_cpp(CppContext& context) {
  extract_cpp_functions(context);
  extract_cpp_constructs(context);
  extract_cpp_layouts(context);
  extract_cpp_views(context);
  extract_cpp_launches(context);
  run_cpp_host(context);
  extract_cpp_collectives(context);
  extract_cpp_storage(context);
  finish_cpp_launches(context);
  extract_cpp_mma(context);
  extract_cpp_softmax(context);
  extract_cpp_descriptors(context);
  extract_cpp_copies(context);
  extract_cpp_identities(context);
  extract_cpp_roles(context);
  extract_cpp_stores(context);
  extract_cpp_waits(context);
  extract_cpp_barriers(context);
  extract_cpp_rings(context);
  extract_cpp_store_fences(context);
  extract_cpp_remote_memory(context);
  extract_cpp_pipeline_sides(context);
  extract_cpp_atoms(context);
  extract_cpp_persistence(context);
  extract_cpp_steps(context);
  extract_cpp_counters(context);
  extract_cpp_overlap(context);
  extract_cpp_guards(context);
  tell_cpp_reach(context);
}
}  // namespace

Result<evidence::Reading> read_cpp(const Request& request, const FileSource& files, std::string text) {
  evidence::Reading reading;
  reading.language = "cute-cpp";
  Trees trees;
  trees.push_back(source::Tree::parse(source::Grammar::cuda, std::move(text)));
  const source::Tree* tree = trees[0].get();
  reading.files.push_back({request.path, sha256(tree->text()).substr(0, 16), line_count(tree->text())});
  for (std::size_t from = 0; from < trees.size(); ++from) follow_includes(from, files, trees, reading);
  for (const source::Problem& problem : tree->problems())
    reading.problems.push_back({problem.what, {0, problem.span}});
  std::vector<const source::Tree*> all;
  for (const auto& one : trees) all.push_back(one.get());
  CppContext context(*tree, all, request.settings, reading);
  context.included = [&](int from, std::string_view written) {
    const std::string own = reading.files[static_cast<std::size_t>(from)].path;
    const std::string folder = own.find('/') == std::string::npos ? "" : own.substr(0, own.rfind('/') + 1);
    const auto end = written.find('"', 1);
    if (end == std::string_view::npos) return -1;
    const std::string path = local_header(files, folder, written.substr(1, end - 1));
    for (std::size_t i = 0; i < all.size() && !path.empty(); ++i)
      if (reading.files[i].path == path) return static_cast<int>(i);
    return -1;
  };
  extract_cpp(context);
  check_cpp_patterns(context);
  read_cpp_architecture(context);
  name_cpp_roles(context);
  name_kernels(context);
  std::stable_sort(context.drafts.begin(), context.drafts.end(), [](const CppDraft& a, const CppDraft& b) {
    return std::tuple(a.fact.family, a.fact.at.file, a.fact.at.span.begin) <
           std::tuple(b.fact.family, b.fact.at.file, b.fact.at.span.begin);
  });
  for (CppDraft& draft : context.drafts) reading.facts.push_back(std::move(draft.fact));
  for (const auto& [name, given] : request.settings) {
    const auto& used = context.folder.used_settings();
    if (std::find(used.begin(), used.end(), name) == used.end())
      return Error{ErrorKind::input, "read " + request.path,
                   "the setting '" + name + "' names no macro and no constant that a fact depends on",
                   request.path,
                   "settings of a C++ source are macros of the build and constants, as GEMM_STAGES=4"};
  }
  reading.summary = summary_of(*tree);
  reading.helper = std::none_of(reading.functions.begin(), reading.functions.end(),
                                [](auto& f) { return f.kind == evidence::Function::Kind::kernel; }) &&
                   std::none_of(reading.facts.begin(), reading.facts.end(), [](auto& f) {
                     return f.kind == "launch" || f.kind == "pipeline" || f.kind == "mma";
                   });
  reading.style = reading.helper ? "helper" : "cpp";
  return reading;
}

}  // namespace cutelab::reading
