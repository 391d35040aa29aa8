#include <algorithm>
#include <tuple>

#include "reading/evaluator/folder.h"
#include "reading/models/models.h"

namespace cutelab::reading {
using evidence::Tristate;
using source::Field;
using source::Node;
using source::PythonFunction;
using source::PythonModule;
using NodeKind = source::Kind;
namespace {
std::string_view leaf_of(Node function) {
  if (function.is(NodeKind::attribute)) return function.child(Field::attribute_field).text();
  return function.is(NodeKind::identifier) ? function.text() : std::string_view();
}
/// The unknown inside a value, the value itself or an item of a tuple; empty text when all is known.
Abstract first_unknown(const Abstract& a) {
  if (a.is(Abstract::Kind::unknown)) return a;
  for (const Abstract& item : a.items)
    if (a.is(Abstract::Kind::tuple))
      if (Abstract inner = first_unknown(item); !inner.text.empty()) return inner;
  return {};
}
}  // namespace

Folder::Folder(source::Program& program, std::vector<std::pair<std::string, std::string>> settings,
               Inputs inputs)
    : program_(program), settings_(std::move(settings)), inputs_(inputs) {}

const Abstract& Folder::evaluate_in_module(int module, Node expression) {
  return evaluate(expression, root(module, program_.module(module).function_at(expression)));
}

Abstract Folder::value_of(int module, Node expression) { return evaluate_in_module(module, expression); }

const Abstract& Folder::argument_folded(const Abstract& object, Node argument) {
  return object.frame ? evaluate(argument, object.frame) : evaluate_in_module(object.module, argument);
}

Abstract Folder::argument_of(const Abstract& object, Node argument) {
  return argument_folded(object, argument);
}

std::string Folder::callee_path(int module, Node call) {
  const Node function = call.child(Field::function_field);
  const Abstract& callee = called(evaluate_in_module(module, function));
  if (!callee.path.empty()) return callee.path;
  return program_.module(module).qualified(function);
}

bool Folder::callee_function(int module, Node call, int* function_module, int* function) {
  const Abstract& callee = called(evaluate_in_module(module, call.child(Field::function_field)));
  if (!callee.is(Kind::function)) return false;
  *function_module = callee.module;
  *function = callee.index;
  return true;
}

/// The function behind functools.partial(f, …), and behind a name that is bound to one function or another.
const Abstract& Folder::called(const Abstract& callee) {
  const Abstract* out = &callee;
  for (int step = 0; step < 6; ++step) {
    if (out->is(Kind::object) && out->made_at.is(NodeKind::call) && out->path.ends_with("partial") &&
        leaf_of(out->made_at.child(Field::function_field)) == "partial") {
      const Node first = out->made_at.child(Field::arguments_field).first();
      if (!first || first.is(NodeKind::keyword_argument)) return *out;
      out = &argument_folded(*out, first);
    } else if (out->is(Kind::unknown) && !out->items.empty()) {
      // One of several: a function of the library tells more than a helper around it.
      const Abstract* chosen = nullptr;
      for (const Abstract& item : out->items) {
        const bool wrapped = item.is(Kind::object) && item.path.ends_with("partial");
        if (!item.is(Kind::function) && !item.is(Kind::name) && !wrapped) continue;
        if (!chosen || (item.is(Kind::name) && !chosen->is(Kind::name))) chosen = &item;
      }
      if (!chosen) return *out;
      out = chosen;
    } else {
      break;
    }
  }
  return *out;
}

std::string Folder::called_name(int module, Node call) {
  const Node function = call.child(Field::function_field);
  if (!function.is(NodeKind::identifier)) return {};
  const Abstract& callee = called(evaluate_in_module(module, function));
  std::string name;
  if (callee.is(Kind::function))
    name = program_.module(callee.module).functions()[static_cast<std::size_t>(callee.index)].name;
  else if (callee.is(Kind::name) && callee.path.find('.') != std::string::npos)
    name = callee.path.substr(callee.path.rfind('.') + 1);
  return name == function.text() ? "" : name;
}

const Frame* Folder::enter(Frame frame) {
  const auto key =
      std::make_tuple(frame.module, frame.function, frame.caller,
                      frame.call ? frame.call.index() : 0xFFFFFFFFu, frame.call.tree(), frame.self);
  auto& known = frame_by_key_[key];
  if (!known) {
    frames_.push_back(frame);
    known = &frames_.back();
  }
  return known;
}

const Frame* Folder::root(int module, int function, const Abstract* self) {
  const auto m = static_cast<std::size_t>(module), f = static_cast<std::size_t>(function) + 1;
  if (!self && m < roots_.size() && f < roots_[m].size() && roots_[m][f]) return roots_[m][f];
  Frame frame;
  frame.module = module;
  frame.function = function;
  frame.self = self;
  if (self) return enter(frame);
  if (m >= roots_.size()) roots_.resize(m + 1);
  roots_[m].resize(program_.module(module).functions().size() + 1);
  return roots_[m][f] = enter(frame);
}

const Abstract& Folder::call(Node n, const Frame* frame) {
  const Node function_node = n.child(Field::function_field);
  const Abstract& given = evaluate(function_node, frame);
  if (given.is(Kind::function)) return call_function(given, n, frame);
  const Abstract& behind = called(given);
  const Abstract& callee = behind.is(Kind::function) && given.is(Kind::unknown) ? given : behind;
  if (callee.is(
          Kind::function)) {  // with arguments bound before: what it gives back is known by its path alone
    Abstract out = Abstract::object(callee.path, frame->module, n);
    out.frame = frame;
    return kept(std::move(out));
  }
  if (callee.is(Kind::type)) return kept(construct(callee, n, frame));
  if (callee.is(Kind::instance)) {
    if (auto method = method_of(callee, "__call__")) {
      method->items = {callee};
      return call_function(*method, n, frame);
    }
  }
  if (models::knows(callee.path)) {
    std::vector<Abstract> arguments;
    bool plain = true;
    for (const Node a : n.child(Field::arguments_field).children()) {
      plain = plain && !a.is(NodeKind::list_splat) && !a.is(NodeKind::dictionary_splat) &&
              !a.is(NodeKind::for_in_clause);
      if (!a.is(NodeKind::keyword_argument)) arguments.push_back(evaluate(a, frame));
    }
    if (plain)
      if (auto value = models::call(callee.path, arguments, n)) return kept(std::move(*value));
    for (const Abstract& a : arguments)
      if (Abstract cause = first_unknown(a); !cause.text.empty()) {
        cause.path = callee.path;
        cause.items.clear();
        return kept(std::move(cause));
      }
  }
  if (callee.path.empty()) {
    Abstract out =
        Abstract::unknown(callee.known() ? "needs evaluation: call" : callee.text, callee.depends_on, n);
    return kept(std::move(out));
  }
  if (!callee.known() && callee.path.starts_with("?")) {
    Abstract out = callee;
    out.items.clear();
    return kept(std::move(out));
  }
  Abstract out = Abstract::object(callee.path, frame->module, n);
  out.frame = frame;
  return kept(std::move(out));
}

const Abstract& Folder::call_function(const Abstract& function, Node n, const Frame* frame) {
  const PythonFunction& f =
      program_.module(function.module).functions()[static_cast<std::size_t>(function.index)];
  if (f.has_decorator("kernel") || f.has_decorator("contextmanager"))
    return kept(Abstract::object(function.path, frame->module, n));
  const Abstract* self = nullptr;
  if (!function.items.empty() && !f.is_static()) self = intern(function.items.front());
  int chain = 0;
  for (const Frame* up = frame; up; up = up->caller) {
    if (++chain > 24 || (up->function == function.index && up->module == function.module && up->call)) {
      ++cuts_;
      return kept(Abstract::unknown("recursive call", {f.qualified}, n));
    }
  }
  const Abstract& out = returned(enter({function.module, function.index, frame, n, 0, self}));
  return out.path.empty() && !out.known() ? with_path(out, function.path) : out;
}

Abstract Folder::construct(const Abstract& type, Node n, const Frame* frame) {
  Abstract out = type;
  out.kind = Kind::instance;
  out.made_at = n;
  out.frame = frame;
  return out;
}

const Abstract& Folder::returned(const Frame* frame) {
  const PythonModule& module = program_.module(frame->module);
  const PythonFunction& function = module.functions()[static_cast<std::size_t>(frame->function)];
  std::vector<Abstract> alternatives;
  for (std::uint32_t i = function.body.index(); function.body && i < function.body.end_index(); ++i) {
    const Node n = module.tree().at(i);
    if (!n.is(NodeKind::return_statement) || module.function_at(n) != frame->function) continue;
    const Tristate reach = branches_around(n, function.body, frame).state;
    if (reach == Tristate::no) continue;
    const Abstract& value = n.first() ? evaluate(n.first(), frame) : kept(Abstract::none());
    if (reach == Tristate::yes && alternatives.empty()) return value;
    alternatives.push_back(value);
    if (reach == Tristate::yes || alternatives.size() > 12) break;
  }
  return kept(alternatives.empty() ? Abstract::none() : join(std::move(alternatives)));
}

std::optional<Node> Folder::argument(Node call, const PythonFunction& function, int position,
                                     int skip_parameters, int skip_arguments, bool* splat) {
  const std::string& name = function.parameters[static_cast<std::size_t>(position)].name;
  int at = skip_parameters - skip_arguments;
  std::optional<Node> found;
  for (const Node a : call.child(Field::arguments_field).children()) {
    if (a.is(NodeKind::keyword_argument)) {
      if (a.child(Field::name_field).text() == name) return a.child(Field::value_field);
    } else if (a.is(NodeKind::list_splat) || a.is(NodeKind::dictionary_splat)) {
      *splat = true;
      at += 1000;
    } else if (at++ == position && !*splat) {
      found = a;
    }
  }
  return found;
}

const std::unordered_map<std::string, std::vector<Node>>& Folder::calls_by_leaf(int module) {
  const auto known = calls_.find(module);
  if (known != calls_.end()) return known->second;
  auto& out = calls_[module];
  for (const Node n : program_.module(module).tree().all(NodeKind::call)) {
    const std::string_view leaf = leaf_of(n.child(Field::function_field));
    if (!leaf.empty()) out[std::string(leaf)].push_back(n);
    if (leaf != "compile" && leaf != "partial") continue;
    // cute.compile(f, …) and partial(f, …) call f with the arguments that follow, partial with more of them
    // later.
    const Node first = n.child(Field::arguments_field).first();
    if (!leaf_of(first).empty()) out[std::string(leaf) + ":" + std::string(leaf_of(first))].push_back(n);
  }
  return out;
}

std::vector<Folder::Site> Folder::call_sites(int module, int function) {
  const auto known = call_sites_.find({module, function});
  if (known != call_sites_.end()) return known->second;
  const int cuts_before = cuts_;
  auto out = find_call_sites(module, function);
  if (cuts_ == cuts_before) call_sites_[{module, function}] = out;
  return out;
}

std::vector<Folder::Site> Folder::find_call_sites(int module, int function) {
  const PythonModule& owner = program_.module(module);
  const PythonFunction& f = owner.functions()[static_cast<std::size_t>(function)];
  std::vector<Site> out;
  const auto add = [&](int m, Node site, int skip) {
    if (program_.module(m).function_at(site) == function && m == module) return;  // recursion
    out.push_back({m, site, skip});
  };
  const auto matches = [&](int m, Node callee) {
    if (f.class_index < 0 || callee.child(Field::object_field).text() != "self") {
      const Abstract& known = evaluate_in_module(m, callee);
      return known.is(Kind::function) && known.module == module && known.index == function;
    }
    const int site_class = program_.module(m).class_at(callee);
    if (site_class < 0) return false;
    for (const auto& entry : ancestry(m, site_class))
      if (program_.module(entry.first).method(entry.second, f.name) >= 0)
        return entry == std::make_pair(module, f.class_index);
    return false;
  };
  for (int pass = 0; pass < (module == 0 ? 1 : 2); ++pass) {
    const int m = pass == 0 ? 0 : module;
    const auto& calls = calls_by_leaf(m);
    const std::string leaf = f.name == "__init__" && f.class_index >= 0
                                 ? owner.classes()[static_cast<std::size_t>(f.class_index)].name
                                 : f.name;
    if (const auto found = calls.find(leaf); found != calls.end())
      for (const Node site : found->second)
        if (f.name == "__init__" || matches(m, site.child(Field::function_field))) add(m, site, 0);
    for (const char* bound : {"compile:", "partial:"})  // cute.compile(f, …), partial(f, …)
      if (const auto found = calls.find(bound + f.name); found != calls.end())
        for (const Node site : found->second)
          if (bound[0] == 'c' ? f.class_index < 0 : matches(m, site.child(Field::arguments_field).first()))
            add(m, site, 1);
    if (f.name != "__call__") continue;
    for (const auto& [name, sites] : calls) {
      if (name.starts_with("partial:")) continue;
      const bool compiled = name.starts_with("compile:");
      for (const Node site : sites) {
        const Node callee =
            compiled ? site.child(Field::arguments_field).first() : site.child(Field::function_field);
        if (!callee.is(NodeKind::identifier) && !compiled) break;
        if (!callee.is(NodeKind::identifier) ||
            program_.module(m)
                .bindings(program_.module(m).function_at(site), std::string(callee.text()))
                .empty())
          continue;
        const Abstract& known = evaluate_in_module(m, callee);
        if (known.is(Kind::instance) && known.module == module && known.index == f.class_index)
          add(m, site, compiled ? 1 : 0);
      }
    }
  }
  return out;
}

}  // namespace cutelab::reading
