#include "source/python_module.h"

#include <algorithm>

#include "base/sha256.h"
#include "source/module_builder.h"

namespace cutelab::source {
namespace {
const std::vector<int>& nothing() {
  static const std::vector<int> empty;
  return empty;
}

const std::vector<int>& find_or_nothing(const ScopedTable<std::vector<int>>& table, ScopedNameView key) {
  const auto* found = table.find(key);
  return found ? *found : nothing();
}

int find_or_none(const ScopedTable<int>& table, ScopedNameView key) {
  const int* found = table.find(key);
  return found ? *found : -1;
}
}  // namespace

bool PythonFunction::has_decorator(std::string_view last_part) const {
  return std::any_of(decorators.begin(), decorators.end(), [&](const std::string& d) {
    return d == last_part || (d.size() > last_part.size() && d.ends_with(last_part) &&
                              d[d.size() - last_part.size() - 1] == '.');
  });
}

std::unique_ptr<PythonModule> PythonModule::parse(std::string path, std::string text, Extent extent) {
  auto module = std::make_unique<PythonModule>();
  module->path_ = std::move(path);
  module->tree_ = Tree::parse(Grammar::python, std::move(text), ParseBy::fastest, extent);
  ModuleBuilder(*module).build();
  return module;
}

const std::vector<int>& PythonModule::bindings(int function, std::string_view name) const {
  return find_or_nothing(bindings_, {function, name});
}

const std::vector<int>& PythonModule::attributes(int class_index, std::string_view attribute) const {
  return find_or_nothing(attributes_, {class_index, attribute});
}

int PythonModule::function_at(Node node) const {
  return node && node.tree() == tree_.get() ? function_of_node_[node.index()] : -1;
}
int PythonModule::class_at(Node node) const {
  return node && node.tree() == tree_.get() ? class_of_node_[node.index()] : -1;
}
int PythonModule::function_defined(int scope, std::string_view name) const {
  return find_or_none(function_by_scope_, {scope, name});
}
int PythonModule::class_defined(int scope, std::string_view name) const {
  return find_or_none(class_by_scope_, {scope, name});
}

int PythonModule::method(int class_index, std::string_view name) const {
  if (class_index < 0) return -1;
  for (const int m : classes_[static_cast<std::size_t>(class_index)].methods)
    if (functions_[static_cast<std::size_t>(m)].name == name) return m;
  return -1;
}

const Import* PythonModule::import_of(std::string_view local) const {
  const int found = find_or_none(import_by_local_, {-1, local});
  return found < 0 ? nullptr : &imports_[static_cast<std::size_t>(found)];
}

std::string PythonModule::qualified(Node expression) const { return qualified(dotted_text(expression)); }

std::string PythonModule::qualified(std::string_view dotted) const {
  const auto dot = dotted.find('.');
  const Import* import = import_of(dotted.substr(0, dot));
  if (!import) return std::string(dotted);
  const std::string_view module = import->module;
  const std::string_view rest = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot);
  std::string out;
  out.reserve(module.size() + 1 + import->name.size() + rest.size());
  // `import a.b` binds `a`: the rest of the dotted text already says `.b`.
  const bool binds_first = import->name.empty() && module.substr(0, module.find('.')) == import->local;
  out += binds_first ? std::string_view(import->local) : module;
  if (!import->name.empty() && !out.ends_with('.')) out += '.';
  out += import->name;
  out += rest;
  return out;
}

const std::string& PythonModule::revision() const {
  if (revision_.empty()) revision_ = sha256(tree_->text()).substr(0, 16);
  return revision_;
}

std::string PythonModule::docstring() const {
  for (const Node statement : tree_->root().children()) {
    if (!statement.is(Kind::expression_statement)) return {};
    const Node text = statement.first();
    return text.is(Kind::string) || text.is(Kind::concatenated_string) ? string_value(text) : std::string();
  }
  return {};
}

std::string dotted_text(Node expression) {
  const auto last = [](Node attribute) { return attribute.child(Field::attribute_field).text(); };
  std::size_t length = 0;
  Node first = expression;
  for (; first.is(Kind::attribute); first = first.child(Field::object_field))
    length += 1 + last(first).size();
  if (!first.is(Kind::identifier)) return {};
  std::string out(length + first.text().size(), '.');
  std::size_t end = out.size();
  for (Node n = expression; n.is(Kind::attribute); n = n.child(Field::object_field), --end)
    end -= last(n).copy(out.data() + end - last(n).size(), std::string_view::npos);
  first.text().copy(out.data(), end);
  return out;
}

Node statement_of(Node node) {
  for (Node n = node; n; n = n.parent()) {
    const Node above = n.parent();
    if (!above || above.is(Kind::block) || above.is(Kind::module) || above.is(Kind::compound_statement) ||
        above.is(Kind::translation_unit))
      return n;
  }
  return {};
}

std::string string_value(Node node) {
  if (node.is(Kind::string_content)) return std::string(node.text());
  std::string out;
  for (const Node part : node.children())
    if (part.is(Kind::string_content) || part.is(Kind::string)) out += string_value(part);
  return out;
}

}  // namespace cutelab::source
