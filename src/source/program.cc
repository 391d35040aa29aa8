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
    for (; levels > 0; --levels) p = p.parent_path();
    return p.string();
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
  modules_.push_back(PythonModule::parse(path, std::move(text)));
  module_by_path_[normal(path)] = static_cast<int>(modules_.size()) - 1;
}

bool Program::is_file(const std::string& path) {
  const auto known = exists_.find(path);
  if (known != exists_.end()) return known->second;
  const auto status = files_.status(path);
  return exists_[path] = status.ok() && !status->is_directory;
}

std::string Program::file_below(const std::string& root, const std::string& dotted) {
  std::string relative = dotted;
  for (char& c : relative)
    if (c == '.') c = '/';
  const std::string base = normal(fs::path(root) / relative);
  if (is_file(base + ".py")) return base + ".py";
  if (is_file(base + "/__init__.py")) return base + "/__init__.py";
  return {};
}

std::vector<std::string> Program::path_edits(const PythonModule& module) const {
  std::vector<std::string> out;
  const Tree& tree = module.tree();
  if (tree.text().find("sys.path") == std::string::npos) return out;
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node n = tree.at(i);
    if (!n.is(Kind::call)) continue;
    const std::string name = dotted_text(n.child(Field::function_field));
    if (name != "sys.path.insert" && name != "sys.path.append") continue;
    const auto arguments = n.child(Field::arguments_field).children().all();
    if (arguments.empty()) continue;
    const auto folder = PathExpression(module).evaluate(arguments.back());
    if (folder) out.push_back(normal(*folder));
  }
  return out;
}

std::vector<std::string> Program::roots_of(int from) {
  const auto known = roots_.find(from);
  if (known != roots_.end()) return known->second;
  const fs::path folder = fs::path(module(from).path()).parent_path();
  std::vector<std::string> out = {normal(folder)};
  for (const auto& edit : path_edits(module(from))) out.push_back(edit);
  if (from != 0)
    for (const auto& edit : path_edits(module(0))) out.push_back(edit);
  fs::path up = folder;
  for (int level = 0; level < most_levels_up && up.has_parent_path() && up != up.parent_path(); ++level) {
    if (!options_.corpus_root.empty() && normal(up) == normal(options_.corpus_root)) break;
    up = up.parent_path();
    out.push_back(normal(up));
  }
  for (const auto& root : options_.extra_roots) out.push_back(normal(root));
  return roots_[from] = out;
}

std::string Program::find(int from, const std::string& name) {
  const std::string key = std::to_string(from) + ":" + name;
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  std::string& out = found_[key];
  if (name.empty()) return out;
  if (name[0] == '.') {
    const auto dots = name.find_first_not_of('.');
    fs::path folder = fs::path(module(from).path()).parent_path();
    const std::size_t up = (dots == std::string::npos ? name.size() : dots) - 1;
    for (std::size_t i = 0; i < up; ++i) folder = folder.parent_path();
    return out = dots == std::string::npos
                     ? (is_file(normal(folder / "__init__.py")) ? normal(folder / "__init__.py") : "")
                     : file_below(folder.string(), name.substr(dots));
  }
  for (const auto& root : roots_of(from)) {
    const std::string path = file_below(root, name);
    if (!path.empty() && normal(path) != normal(module(from).path())) return out = path;
  }
  return out;
}

int Program::import(int from, const std::string& name) {
  const std::string path = find(from, name);
  return path.empty() ? -1 : load(path);
}

int Program::load(const std::string& path) {
  const auto known = module_by_path_.find(normal(path));
  if (known != module_by_path_.end()) return known->second;
  if (size() >= most_modules) return -1;
  auto text = read_source(files_, path);
  if (!text) return module_by_path_[normal(path)] = -1;
  open(path, std::move(*text));
  return size() - 1;
}

}  // namespace cutelab::source
