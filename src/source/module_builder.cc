#include "source/module_builder.h"

namespace cutelab::source {
namespace {

/// "name" of `globals()["name"]`.
std::string name_set_through_globals(Node target) {
  if (!target.is(Kind::subscript)) return {};
  const Node object = target.child(Field::value_field), index = target.child(Field::subscript_field);
  if (!object.is(Kind::call) || object.child(Field::function_field).text() != "globals") return {};
  return index.is(Kind::string) ? string_value(index) : std::string();
}

}  // namespace

void ModuleBuilder::build() {
  scopes_.push_back({tree_.size(), -1, -1, false});
  module_.function_of_node_.resize(tree_.size(), -1);
  module_.class_of_node_.resize(tree_.size(), -1);
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    while (scopes_.size() > 1 && i >= scope().after) scopes_.pop_back();
    module_.function_of_node_[i] = scope().function;
    module_.class_of_node_[i] = scope().class_index;
    visit(tree_.at(i));
  }
}

void ModuleBuilder::visit(Node node) {
  switch (node.kind()) {
    case Kind::function_definition:
      return add_function(node);
    case Kind::class_definition:
      return add_class(node);
    case Kind::import_statement:
      return add_import(node);
    case Kind::import_from_statement:
      return add_import_from(node);
    case Kind::assignment:
    case Kind::augmented_assignment:
    case Kind::named_expression:
    case Kind::for_statement:
      return add_assignment(node);
    case Kind::global_statement:
      return add_global_names(node);
    default:
      return;
  }
}

void ModuleBuilder::add_assignment(Node node) {
  Assignment made;
  made.function = scope().function;
  made.class_index = scope().class_index;
  switch (node.kind()) {
    case Kind::named_expression:
      made.value = node.child(Field::value_field);
      made.statement = statement_of(node);
      return bind(node.child(Field::name_field), made);
    case Kind::for_statement:
      made.value = node.child(Field::right_field);
      made.form = Assignment::Form::loop;
      made.statement = node;
      return bind(node.child(Field::left_field), made);
    default:
      made.value = node.child(Field::right_field);
      made.annotation = node.child(Field::type_field).first();
      made.form = node.is(Kind::assignment) ? Assignment::Form::plain : Assignment::Form::augmented;
      made.statement = statement_of(node);
      return bind(node.child(Field::left_field), made);
  }
}

void ModuleBuilder::add_function(Node node) {
  PythonFunction function;
  function.name = node.child(Field::name_field).text();
  function.node = node;
  function.body = node.child(Field::body_field);
  function.enclosing = scope().function;
  function.class_index = scope().class_body ? scope().class_index : -1;
  if (scope().class_body)
    function.qualified = module_.classes_[static_cast<std::size_t>(scope().class_index)].name + ".";
  else if (scope().function >= 0)
    function.qualified = module_.functions_[static_cast<std::size_t>(scope().function)].qualified + ".";
  function.qualified += function.name;
  function.decorators = decorators_of(node);
  add_parameters(node.child(Field::parameters_field), function);
  const int index = static_cast<int>(module_.functions_.size());
  if (scope().class_body)
    module_.classes_[static_cast<std::size_t>(scope().class_index)].methods.push_back(index);
  else
    module_.function_by_scope_[{scope().function, function.name}] = index;
  module_.functions_.push_back(std::move(function));
  scopes_.push_back({node.end_index(), index, scope().class_index, false});
}

void ModuleBuilder::add_parameters(Node list, PythonFunction& function) {
  bool by_name = false;
  for (const Node p : list.children()) {
    Parameter made;
    made.by_name = by_name;
    by_name = by_name || p.is(Kind::keyword_separator);
    if (p.is(Kind::positional_separator))
      for (Parameter& before : function.parameters) before.by_place = true;
    Node name = p;
    if (p.is(Kind::default_parameter) || p.is(Kind::typed_default_parameter)) {
      name = p.child(Field::name_field);
      made.default_value = p.child(Field::value_field);
      made.annotation = p.child(Field::type_field).first();
    } else if (p.is(Kind::typed_parameter)) {
      name = p.first();
      made.annotation = p.child(Field::type_field).first();
    }
    if (name.is(Kind::list_splat_pattern)) made.form = Parameter::Form::star;
    if (name.is(Kind::dictionary_splat_pattern)) made.form = Parameter::Form::double_star;
    if (made.form != Parameter::Form::plain) name = name.first();
    if (!name.is(Kind::identifier)) continue;  // the bare * and / separators
    by_name = by_name || made.form == Parameter::Form::star;
    made.name = name.text();
    function.parameters.push_back(std::move(made));
  }
}

void ModuleBuilder::add_class(Node node) {
  PythonClass made;
  made.name = node.child(Field::name_field).text();
  made.node = node;
  made.body = node.child(Field::body_field);
  made.enclosing = scope().function;
  made.decorators = decorators_of(node);
  for (const Node base : node.child(Field::superclasses_field).children())
    if (!base.is(Kind::keyword_argument)) made.bases.push_back(base);
  const int index = static_cast<int>(module_.classes_.size());
  module_.class_by_scope_[{scope().function, made.name}] = index;
  module_.classes_.push_back(std::move(made));
  scopes_.push_back({node.end_index(), scope().function, index, true});
}

std::vector<std::string> ModuleBuilder::decorators_of(Node definition) {
  std::vector<std::string> out;
  if (!definition.parent().is(Kind::decorated_definition)) return out;
  for (const Node c : definition.parent().children()) {
    if (!c.is(Kind::decorator)) continue;
    Node expression = c.first();
    if (expression.is(Kind::call)) expression = expression.child(Field::function_field);
    out.push_back(module_.qualified(expression));
  }
  return out;
}

void ModuleBuilder::add_import(Node node) {
  for (const Node c : node.children()) {
    Import import;
    import.statement = node;
    const bool aliased = c.is(Kind::aliased_import);
    import.module = (aliased ? c.child(Field::name_field) : c).text();
    import.local = aliased ? std::string(c.child(Field::alias_field).text())
                           : import.module.substr(0, import.module.find('.'));
    add_import_entry(std::move(import));
  }
}

void ModuleBuilder::add_import_from(Node node) {
  const Node module = node.child(Field::module_name_field);
  for (const Node c : node.children()) {
    if (c == module) continue;
    Import import;
    import.statement = node;
    import.module = module.text();
    if (c.is(Kind::wildcard_import)) {
      import.name = "*";
    } else if (c.is(Kind::aliased_import)) {
      import.name = c.child(Field::name_field).text();
      import.local = c.child(Field::alias_field).text();
    } else {
      import.name = c.text();
      import.local = import.name;
    }
    add_import_entry(std::move(import));
  }
}

void ModuleBuilder::add_import_entry(Import import) {
  if (!import.local.empty())
    if (!module_.import_by_local_.find({-1, import.local}))  // the first counts
      module_.import_by_local_[{-1, import.local}] = static_cast<int>(module_.imports_.size());
  module_.imports_.push_back(std::move(import));
}

namespace {
bool is_sequence(Node target) {
  return target.is(Kind::pattern_list) || target.is(Kind::tuple_pattern) || target.is(Kind::list_pattern) ||
         target.is(Kind::tuple);
}
}  // namespace

void ModuleBuilder::bind(Node target, Assignment assignment) {
  if (!is_sequence(target)) {
    assignment.name = dotted_text(target);
    if (!assignment.name.empty()) add_binding(std::move(assignment));
    return;
  }
  struct Pending {
    Node target;
    std::vector<int> slots;
  };
  std::vector<Pending> pending = {{target, {}}};
  while (!pending.empty()) {
    const Pending now = pending.back();
    pending.pop_back();
    if (is_sequence(now.target)) {
      int slot = 0;
      for (const Node c : now.target.children()) {
        auto slots = now.slots;
        slots.push_back(slot++);
        if (slots.size() < 8) pending.push_back({c, std::move(slots)});
      }
      continue;
    }
    const std::string set = name_set_through_globals(now.target);
    assignment.name = set.empty() ? dotted_text(now.target) : set;
    assignment.through_globals = !set.empty();
    assignment.slots = now.slots;
    if (!assignment.name.empty()) add_binding(assignment);
  }
}

void ModuleBuilder::add_binding(Assignment a) {
  const int index = static_cast<int>(module_.assignments_.size());
  if (a.name.starts_with("self.") && a.name.find('.', 5) == std::string::npos) {
    if (a.class_index >= 0)
      module_.attributes_[{a.class_index, std::string_view(a.name).substr(5)}].push_back(index);
  } else if (scope().class_body) {
    module_.attributes_[{a.class_index, a.name}].push_back(index);
  }
  if (names_global(a) && a.function >= 0) module_.bindings_[{-1, a.name}].push_back(index);
  if (!scope().class_body && (!a.through_globals || a.function < 0))
    module_.bindings_[{a.function, a.name}].push_back(index);
  module_.assignments_.push_back(std::move(a));
}

void ModuleBuilder::add_global_names(Node statement) {
  for (const Node name : statement.children()) global_names_.emplace(scope().function, name.text());
}

bool ModuleBuilder::names_global(const Assignment& a) const {
  return a.through_globals ||
         (!global_names_.empty() && !scope().class_body && global_names_.contains({a.function, a.name}));
}

}  // namespace cutelab::source
