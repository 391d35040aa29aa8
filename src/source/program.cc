#include "source/program.h"

#include <filesystem>
#include <optional>

namespace cutelab::source {
namespace fs = std::filesystem;
namespace {
constexpr int most_modules = 120;
constexpr int most_levels_up = 6;

std::string normal(const fs::path& path) {
  std::string out = path.lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

/// Whether `dotted` is made of names alone, so that it needs no normalisation as a path.
bool plain_name(std::string_view dotted) {
  bool after_dot = true;
  for (const char c : dotted) {
    if (c == '/' || (c == '.' && after_dot)) return false;
    after_dot = c == '.';
  }
  return !after_dot;
}

/// `root`/a/b of "a.b"; `root` is normal.
std::string path_below(const std::string& root, std::string_view dotted) {
  std::string relative(dotted);
  for (char& c : relative)
    if (c == '.') c = '/';
  if (!plain_name(dotted)) return normal(fs::path(root) / relative);
  if (root.empty() || root == ".") return relative;
  return root + (root.ends_with('/') ? "" : "/") + relative;
}

/// The folder that holds `path`, which is normal; above the folder that the program was started in "..",
/// "../..".
fs::path folder_of(const fs::path& path) {
  if (path.empty() || path == ".") return "..";
  return path.filename() == ".." ? path / ".." : path.parent_path();
}

/// Value of a path expression such as os.path.join(os.path.dirname(__file__), ".."),
/// Path(__file__).resolve().parent.
class PathExpression {
 public:
  explicit PathExpression(const PythonModule& module) : module_(module) {}

  std::optional<std::string> evaluate(Node n, int depth = 0) const {
    if (depth > 32) return std::nullopt;
    if (n.is(Kind::string)) return string_value(n);
    if (n.is(Kind::parenthesized_expression)) return evaluate(n.first(), depth + 1);
    if (n.is(Kind::identifier)) return identifier(n, depth);
    if (n.is(Kind::attribute) && n.child(Field::attribute_field).text() == "parent")
      return above(evaluate(n.child(Field::object_field), depth + 1), 1);
    if (n.is(Kind::subscript)) return parents(n, depth);
    if (n.is(Kind::binary_operator) && n.child(Field::operator_token).text() == "/")
      return joined(evaluate(n.child(Field::left_field), depth + 1),
                    evaluate(n.child(Field::right_field), depth + 1));
    if (n.is(Kind::call)) return call(n, depth);
    return std::nullopt;
  }

 private:
  std::optional<std::string> identifier(Node n, int depth) const {
    if (n.text() == "__file__") return module_.path();
    const int function = module_.function_at(n);
    for (const int scope : {function, -1}) {
      const auto& bound = module_.bindings(scope, std::string(n.text()));
      if (!bound.empty())
        return evaluate(module_.assignments()[static_cast<std::size_t>(bound.front())].value, depth + 1);
    }
    return std::nullopt;
  }

  std::optional<std::string> parents(Node n, int depth) const {
    const Node list = n.child(Field::value_field);
    if (!list.is(Kind::attribute) || list.child(Field::attribute_field).text() != "parents")
      return std::nullopt;
    const std::string_view digits = n.child(Field::subscript_field).text();
    if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9') return std::nullopt;
    return above(evaluate(list.child(Field::object_field), depth + 1), digits[0] - '0' + 1);
  }

  std::optional<std::string> call(Node n, int depth) const {
    const Node function = n.child(Field::function_field);
    const std::string name(function.is(Kind::attribute) ? function.child(Field::attribute_field).text()
                                                        : function.text());
    const auto arguments = n.child(Field::arguments_field).children().all();
    if (name == "resolve" || name == "absolute")
      return evaluate(function.child(Field::object_field), depth + 1);
    if (arguments.empty()) return std::nullopt;
    auto first = evaluate(arguments[0], depth + 1);
    if (name == "dirname") return above(first, 1);
    if (name == "abspath" || name == "realpath" || name == "normpath" || name == "str" || name == "Path")
      return first;
    if (name != "join") return std::nullopt;
    for (std::size_t i = 1; i < arguments.size(); ++i)
      first = joined(first, evaluate(arguments[i], depth + 1));
    return first;
  }

  static std::optional<std::string> above(std::optional<std::string> path, int levels) {
    if (!path) return path;
    fs::path p = fs::path(*path).lexically_normal();
    for (; levels > 0; --levels) p = folder_of(p);
    return p.empty() ? "." : p.string();
  }

  static std::optional<std::string> joined(const std::optional<std::string>& a,
                                           const std::optional<std::string>& b) {
    if (!a || !b) return std::nullopt;
    return (fs::path(*a) / *b).lexically_normal().string();
  }

  const PythonModule& module_;
};
}  // namespace

Status Program::open(const std::string& path) {
  auto text = read_source(files_, path);
  if (!text) return text.error();
  open(path, std::move(*text));
  return {};
}

void Program::open(const std::string& path, std::string text) {
  auto known = options_.shared->known(path, text);
  add(known ? std::move(known) : PythonModule::parse(path, std::move(text)));
}

void Program::add(std::shared_ptr<const PythonModule> module) {
  normal_paths_.push_back(normal(module->path()));
  module_by_path_[normal_paths_.back()] = size();
  modules_.push_back(std::move(module));
}

bool SharedModules::is_file(const FileSource& files, const std::string& path) {
  const auto [known, fresh] = is_file_.try_emplace(path, false);
  if (fresh) {
    const auto status = files.status(path);
    known->second = status.ok() && !status->is_directory;
  }
  return known->second;
}

bool SharedModules::is_folder(const FileSource& files, const std::string& path) {
  const auto [known, fresh] = is_folder_.try_emplace(path, false);
  if (fresh) {
    const auto status = files.status(path);
    known->second = status.ok() && status->is_directory;
  }
  return known->second;
}

std::string SharedModules::below(const FileSource& files, const std::string& root, std::string_view dotted) {
  // Most packages lie in none of the folders: one question about the first name spares those about each
  // module.
  const auto dot = dotted.find('.');
  if (dot != std::string_view::npos && !is_folder(files, path_below(root, dotted.substr(0, dot)))) return {};
  const std::string base = path_below(root, dotted);
  for (const char* ending : {".py", "/__init__.py"})
    if (is_file(files, base + ending)) return base + ending;
  return {};
}

std::shared_ptr<const PythonModule> SharedModules::known(const std::string& path,
                                                         const std::string& text) const {
  const auto found = modules_.find(path);
  return found != modules_.end() && found->second && found->second->tree().text() == text ? found->second
                                                                                          : nullptr;
}

std::shared_ptr<const PythonModule> SharedModules::module(const FileSource& files, const std::string& path,
                                                          Extent extent) {
  const auto [known, fresh] = modules_.try_emplace(path);
  if (fresh)
    if (auto text = read_source(files, path))
      known->second = PythonModule::parse(path, std::move(*text), extent);
  return known->second;
}

std::vector<std::string> Program::path_edits(const PythonModule& module) const {
  std::vector<std::string> out;
  for (const Node n : module.tree().all(Kind::call)) {
    const Node function = n.child(Field::function_field);
    const std::string_view method = function.child(Field::attribute_field).text();
    if (method != "insert" && method != "append") continue;
    const std::string name = dotted_text(function);
    if (name != "sys.path.insert" && name != "sys.path.append") continue;
    const auto arguments = n.child(Field::arguments_field).children().all();
    if (arguments.empty()) continue;
    const auto folder = PathExpression(module).evaluate(arguments.back());
    if (folder) out.push_back(normal(*folder));
  }
  return out;
}

const Program::Roots& Program::roots_of(int from) {
  const auto [known, fresh] = roots_.try_emplace(from);
  if (fresh) {
    known->second.folders = folders_of(from);
    known->second.answers = &options_.shared->answers_of(known->second.folders);
  }
  return known->second;
}

std::vector<std::string> Program::folders_of(int from) const {
  std::vector<std::string> out;
  const fs::path folder = fs::path(module(from).path()).parent_path();
  out.push_back(normal(folder));
  for (const auto& edit : path_edits(module(from))) out.push_back(edit);
  if (from != 0)
    for (const auto& edit : path_edits(module(0))) out.push_back(edit);
  fs::path up = normal(folder);
  for (int level = 0; level < most_levels_up && up != folder_of(up); ++level) {
    if (!options_.corpus_root.empty() && up == normal(options_.corpus_root)) break;
    up = folder_of(up);
    out.push_back(normal(up));
  }
  for (const auto& root : options_.extra_roots) out.push_back(normal(root));
  return out;
}

Program::Found& Program::found(int from, std::string_view name) {
  const auto importer = static_cast<std::size_t>(from);
  if (importer >= found_.size()) found_.resize(importer + 1);
  if (const auto known = found_[importer].find(name); known != found_[importer].end()) return known->second;
  Found& out = found_[importer][std::string(name)];
  out.path = search(from, name);
  return out;
}

std::string Program::search(int from, std::string_view name) {
  if (name.empty()) return {};
  SharedModules& shared = *options_.shared;
  if (name[0] == '.') {
    const auto dots = name.find_first_not_of('.');
    fs::path folder = folder_of(normal_paths_[static_cast<std::size_t>(from)]);
    const std::size_t up = (dots == std::string_view::npos ? name.size() : dots) - 1;
    for (std::size_t i = 0; i < up; ++i) folder = folder_of(folder);
    if (dots != std::string_view::npos) return shared.below(files_, normal(folder), name.substr(dots));
    std::string package = normal(folder / "__init__.py");
    return shared.is_file(files_, package) ? package : std::string();
  }
  const Roots& roots = roots_of(from);
  const auto answer = roots.answers->find(name);
  if (answer != roots.answers->end() && answer->second.empty()) return {};
  const std::string& importer = normal_paths_[static_cast<std::size_t>(from)];
  if (answer != roots.answers->end() && answer->second != importer) return answer->second;
  std::string first;
  for (const auto& root : roots.folders) {
    std::string path = shared.below(files_, root, name);
    if (path.empty()) continue;
    if (first.empty()) first = path;
    if (path == importer) continue;  // a file does not import itself
    roots.answers->try_emplace(std::string(name), first);
    return path;
  }
  roots.answers->try_emplace(std::string(name), first);
  return {};
}

int Program::import(int from, std::string_view name) {
  Found& wanted = found(from, name);
  if (!wanted.asked_for && !wanted.path.empty()) {
    wanted.asked_for = true;
    wanted.module = load(wanted.path);
  }
  return wanted.module;
}

int Program::load(const std::string& path) {
  const std::string key = normal(path);
  if (const auto known = module_by_path_.find(key); known != module_by_path_.end()) return known->second;
  if (size() >= most_modules) return -1;
  auto module =
      options_.shared->module(files_, path, options_.extent ? options_.extent(path) : Extent::whole);
  if (!module) return module_by_path_[key] = -1;
  add(std::move(module));
  return size() - 1;
}

}  // namespace cutelab::source
