#include <algorithm>

#include "reading/evaluator/folder.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Assignment;
using source::Field;
using source::Node;
using source::PythonModule;
using NodeKind = source::Kind;

Abstract Folder::attribute_of(const Abstract& object, const std::string& name, Node use, const Frame* frame) {
  (void)frame;
  if (object.is(Kind::instance)) return attribute_of_instance(object, name, use);
  if (object.is(Kind::type)) {
    Abstract as_instance = object;
    as_instance.kind = Kind::instance;
    Abstract out = attribute_of_instance(as_instance, name, use);
    if (out.path.empty()) out.path = object.path + "." + name;
    return out;
  }
  if (object.is(Kind::object) &&
      (object.path.ends_with("parse_args") || object.path.ends_with("parse_known_args[0]"))) {
    const Node words = object.made_at.child(Field::arguments_field);  // of its own, not of the command line
    for (const Node word : words.children())
      if (word.is(NodeKind::list) && word.end_index() > word.index() + 3)
        return Abstract::unknown("what words of the program's own say", {}, use);
    return flag_default(name);
  }
  if (object.is(Kind::object) && object.path.ends_with("SimpleNamespace"))
    if (auto field = argument_named(object, name)) return *field;
  if (object.is(Kind::name)) {
    if (auto known = models::attribute_of_name(object.path, name)) return *known;
    const int submodule = object.module >= 0 ? object.module : program_.import(0, object.path);
    if (submodule >= 0) {
      const PythonModule& other = program_.module(submodule);
      if (defined(submodule, -1, name) || !other.bindings(-1, name).empty() || other.import_of(name)) {
        Abstract out = member_of_module(submodule, name);
        if (out.is(Kind::function) || out.is(Kind::type)) out.path = object.path + "." + name;
        return out;
      }
    }
    return Abstract::name(object.path + "." + name);
  }
  if (object.is(Kind::object)) {
    Abstract member = object;
    member.path += "." + name;
    return member;
  }
  Abstract out = Abstract::unknown(object.known() ? "needs evaluation: attribute ." + name : object.text,
                                   object.depends_on, use);
  out.path = (object.path.empty() ? source::dotted_text(use.child(Field::object_field)) : object.path);
  out.path = out.path.empty() ? "?." + name : out.path + "." + name;
  if (out.depends_on.empty()) out.depends_on.push_back(std::string(use.text().substr(0, 60)));
  return out;
}

Folder::Ancestry Folder::ancestry(int module, int class_index) {
  const auto known = ancestry_.find({module, class_index});
  if (known != ancestry_.end()) return known->second;
  const int cuts_before = cuts_;
  Ancestry out = {{module, class_index}};
  for (std::size_t i = 0; i < out.size() && out.size() < 16; ++i) {
    const auto [m, c] = out[i];
    for (const Node base : program_.module(m).classes()[static_cast<std::size_t>(c)].bases) {
      const Abstract& found =
          evaluate(base, root(m, program_.module(m).classes()[static_cast<std::size_t>(c)].enclosing));
      const auto entry = std::make_pair(found.module, found.index);
      if (found.is(Kind::type) && std::find(out.begin(), out.end(), entry) == out.end()) out.push_back(entry);
    }
  }
  if (cuts_ == cuts_before) ancestry_[{module, class_index}] = out;
  return out;
}

std::optional<Abstract> Folder::method_of(const Abstract& instance, const std::string& name) {
  for (const auto& [m, c] : ancestry(instance.module, instance.index)) {
    const int method = program_.module(m).method(c, name);
    if (method < 0) continue;
    Abstract out;
    out.kind = Kind::function;
    out.module = m;
    out.index = method;
    out.path = program_.module(m).functions()[static_cast<std::size_t>(method)].qualified;
    return out;
  }
  return std::nullopt;
}

namespace {
struct Candidate {
  int module;
  const Assignment* assignment;
  int rank;
};

/// None stands for "not set yet" beside other values: whether there was one.
bool leave_out_none(std::vector<Candidate>& candidates) {
  const auto is_none = [](const Candidate& c) { return c.assignment->value.is(NodeKind::none); };
  return !std::all_of(candidates.begin(), candidates.end(), is_none) &&
         std::erase_if(candidates, is_none) > 0;
}
}  // namespace

Abstract Folder::attribute_of_instance(const Abstract& instance, const std::string& name, Node use) {
  if (auto given = settings_.empty() ? std::nullopt : setting("self." + name)) return *given;
  if (auto field = field_given(instance, name)) return *field;
  const Abstract* self = intern(instance);
  std::vector<Candidate> candidates;
  const auto classes = ancestry(instance.module, instance.index);
  int rank = static_cast<int>(classes.size()) * 4;
  for (const auto& [m, c] : classes) {
    const PythonModule& module = program_.module(m);
    rank -= 4;
    for (const int index : module.attributes(c, name)) {
      const Assignment& a = module.assignments()[static_cast<std::size_t>(index)];
      if (!a.value) continue;
      const std::string& method =
          a.function < 0 ? "" : module.functions()[static_cast<std::size_t>(a.function)].name;
      const int step = a.function < 0 ? 0 : method == "__init__" ? 1 : method == "__call__" ? 3 : 2;
      candidates.push_back({m, &a, step * 100 + rank});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](auto& a, auto& b) { return a.rank < b.rank; });
  const bool starts_as_none = leave_out_none(candidates);
  std::vector<Abstract> alternatives;
  for (auto it = candidates.rbegin(); it != candidates.rend() && alternatives.size() < 12; ++it) {
    const Assignment& a = *it->assignment;
    const bool same_tree = use.tree() == a.statement.tree();
    const bool same_function = same_tree && program_.module(it->module).function_at(use) == a.function;
    if (same_function && (a.statement.contains(use) || a.statement.index() > use.index())) continue;
    const bool from_constructor =
        a.function >= 0 && instance.made_at &&
        program_.module(it->module).functions()[static_cast<std::size_t>(a.function)].name == "__init__" &&
        classes.front().first == it->module;
    const Frame* frame = a.function < 0 ? root(it->module, -1)
                         : from_constructor
                             ? enter({it->module, a.function, instance.frame, instance.made_at, 0, self})
                             : root(it->module, a.function, self);
    const Tristate reach = reaches(a.statement, same_function ? use : a.statement, frame);
    if (reach == Tristate::no) continue;
    Abstract value = bound_value(it->module, a, frame);
    if (reach == Tristate::yes && alternatives.empty()) return value;
    alternatives.push_back(std::move(value));
    if (reach == Tristate::yes) break;
  }
  if (!alternatives.empty()) return join(std::move(alternatives));
  if (starts_as_none) return Abstract::none();  // nothing else is reached
  if (auto method = method_of(instance, name)) {
    method->frame = nullptr;
    method->items = {instance};
    if (program_.module(method->module)
            .functions()[static_cast<std::size_t>(method->index)]
            .has_decorator("property"))
      return returned(root(method->module, method->index, self));
    return *method;
  }
  return field_of_constructor(instance, name);
}

/// The keyword argument of the call that made an object; a SimpleNamespace(x=…) has no other attributes.
std::optional<Abstract> Folder::argument_named(const Abstract& object, const std::string& name) {
  if (!object.made_at.is(NodeKind::call)) return std::nullopt;
  for (const Node a : object.made_at.child(Field::arguments_field).children())
    if (a.is(NodeKind::keyword_argument) && a.child(Field::name_field).text() == name)
      return argument_of(object, a.child(Field::value_field));
  return std::nullopt;
}

/// A field of a class without a constructor of its own (a dataclass): what the call that made it gives, by
/// name or by place among the annotated fields.
std::optional<Abstract> Folder::field_given(const Abstract& instance, const std::string& name) {
  if (!instance.made_at.is(NodeKind::call) || !instance.frame || method_of(instance, "__init__"))
    return std::nullopt;
  const PythonModule& module = program_.module(instance.module);
  int position = -1, fields = 0;
  for (const Assignment& a : module.assignments()) {
    if (a.class_index != instance.index || a.function >= 0 || !a.annotation) continue;
    if (a.name == name) position = fields;
    ++fields;
  }
  if (position < 0) return std::nullopt;
  if (auto named = argument_named(instance, name)) return named;
  int at = 0;
  for (const Node a : instance.made_at.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) continue;
    if (a.is(NodeKind::list_splat) || a.is(NodeKind::dictionary_splat)) return std::nullopt;
    if (at++ == position) return evaluate(a, instance.frame);
  }
  return std::nullopt;
}

/// `x: int = 4` in a dataclass body: the constructor's argument of that name or place, else the default.
Abstract Folder::field_of_constructor(const Abstract& instance, const std::string& name) {
  Abstract out = Abstract::unknown("no assignment found", {"self." + name});
  out.path =
      program_.module(instance.module).classes()[static_cast<std::size_t>(instance.index)].name + "." + name;
  if (!instance.made_at) return out;
  for (const Node a : instance.made_at.child(Field::arguments_field).children())
    if (a.is(NodeKind::keyword_argument) && a.child(Field::name_field).text() == name && instance.frame)
      return evaluate(a.child(Field::value_field), instance.frame);
  return out;
}

std::optional<Abstract> Folder::setting(const std::string& name) {
  for (const auto& [key, text] : settings_) {
    if (key != name) continue;
    used_settings_.insert(key);
    return models::from_text(text);
  }
  return std::nullopt;
}

std::vector<std::string> Folder::unused_settings() const {
  std::vector<std::string> out;
  for (const auto& [key, text] : settings_)
    if (!used_settings_.contains(key)) out.push_back(key);
  return out;
}

const std::vector<Flag>& Folder::flags(int module) {
  const auto known = flags_.find(module);
  if (known != flags_.end()) return known->second;
  return flags_[module] = flags_of(program_.module(module));
}

Abstract Folder::flag_default(const std::string& dest) {
  if (auto given = setting(dest)) return *given;
  if (inputs_ == Inputs::anything) return Abstract::unknown("any value may be given", {"--" + dest});
  if (calls_by_leaf(0).count("set_defaults") > 0)
    return Abstract::unknown("set_defaults() may give it another default", {"--" + dest});
  std::vector<Abstract> alternatives;
  for (const Flag& flag : flags(0)) {
    if (flag.dest != dest) continue;
    const Frame* frame = root(0, program_.module(0).function_at(flag.call));
    if (flag.default_value) {
      Abstract value = evaluate(flag.default_value, frame);
      if (value.is(Kind::text) && flag.type) value = models::converted(value, flag.type);
      alternatives.push_back(std::move(value));
    } else if (flag.action.ends_with("store_true") || flag.action.ends_with("store_false")) {
      alternatives.push_back(Abstract::boolean(flag.action.ends_with("store_false")));
    } else {
      alternatives.push_back(Abstract::none());
    }
  }
  if (alternatives.empty()) return Abstract::unknown("known only at run time: command line", {"--" + dest});
  Abstract out = join(std::move(alternatives));
  if (!out.known()) out.depends_on.insert(out.depends_on.begin(), "--" + dest);
  return out;
}

const Abstract* Folder::intern(const Abstract& a) {
  for (const Abstract& known : interned_)
    if (known.module == a.module && known.index == a.index && known.made_at == a.made_at &&
        known.frame == a.frame)
      return &known;
  interned_.push_back(a);
  return &interned_.back();
}

/// `self` in a method seen from all its callers: the object made at the one place that constructs the class,
/// if there is one.
const Abstract* Folder::self_of(int module, int function) {
  const int class_index = program_.module(module).functions()[static_cast<std::size_t>(function)].class_index;
  if (class_index < 0) return nullptr;
  const auto key = std::make_pair(module, class_index);
  if (const auto known = self_by_class_.find(key); known != self_by_class_.end()) return known->second;
  Abstract self;
  self.kind = Kind::instance;
  self.module = module;
  self.index = class_index;
  self.path = program_.module(module).classes()[static_cast<std::size_t>(class_index)].name;
  self_by_class_[key] = intern(self);
  std::vector<std::pair<int, Node>> sites;
  for (const int m : {0, module}) {
    const auto& calls = calls_by_leaf(m);
    if (const auto found = calls.find(self.path); found != calls.end())
      for (const Node site : found->second) sites.emplace_back(m, site);
    if (module == 0) break;
  }
  if (sites.size() == 1) {
    self.made_at = sites.front().second;
    self.frame = root(sites.front().first, program_.module(sites.front().first).function_at(self.made_at));
    self_by_class_[key] = intern(self);
  }
  return self_by_class_[key];
}

}  // namespace cutelab::reading
