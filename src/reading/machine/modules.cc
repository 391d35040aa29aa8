#include <algorithm>

#include "reading/machine/interpreter.h"

namespace cutelab::reading::machine {
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using source::PythonModule;

bool Machine::Interpreter::is_library(const std::string& dotted) const {
  return dotted == "cutlass" || dotted.starts_with("cutlass.");
}

/// Whether a module is surely there: Python's own, and what the DSL's programs are run with.
bool Machine::Interpreter::is_installed(std::string_view dotted) {
  static constexpr std::string_view names[] = {
      "abc",          "argparse",     "array",       "ast",          "asyncio",
      "atexit",       "base64",       "bisect",      "builtins",     "bz2",
      "calendar",     "cmath",        "cmd",         "code",         "codecs",
      "collections",  "colorsys",     "concurrent",  "configparser", "contextlib",
      "contextvars",  "copy",         "copyreg",     "csv",          "ctypes",
      "cuda",         "cutlass",      "dataclasses", "datetime",     "decimal",
      "difflib",      "dis",          "doctest",     "email",        "enum",
      "errno",        "faulthandler", "fcntl",       "filecmp",      "fileinput",
      "fnmatch",      "fractions",    "functools",   "gc",           "getopt",
      "getpass",      "glob",         "graphlib",    "gzip",         "hashlib",
      "heapq",        "hmac",         "html",        "http",         "importlib",
      "inspect",      "io",           "ipaddress",   "itertools",    "json",
      "keyword",      "linecache",    "locale",      "logging",      "lzma",
      "marshal",      "math",         "mimetypes",   "mmap",         "multiprocessing",
      "numbers",      "numpy",        "opcode",      "operator",     "optparse",
      "os",           "pathlib",      "pdb",         "pickle",       "pkgutil",
      "platform",     "plistlib",     "posixpath",   "pprint",       "profile",
      "pstats",       "pty",          "py_compile",  "pydoc",        "queue",
      "random",       "re",           "reprlib",     "resource",     "runpy",
      "sched",        "secrets",      "select",      "selectors",    "shelve",
      "shlex",        "shutil",       "signal",      "site",         "socket",
      "socketserver", "sqlite3",      "ssl",         "stat",         "statistics",
      "string",       "struct",       "subprocess",  "symtable",     "sys",
      "sysconfig",    "tarfile",      "tempfile",    "termios",      "textwrap",
      "threading",    "time",         "timeit",      "token",        "tokenize",
      "torch",        "trace",        "traceback",   "tracemalloc",  "types",
      "typing",       "unicodedata",  "unittest",    "urllib",       "uuid",
      "warnings",     "weakref",      "xml",         "zipapp",       "zipfile",
      "zipimport",    "zlib",         "zoneinfo",    "__future__"};
  const std::string_view first = dotted.substr(0, dotted.find('.'));
  return first.empty() || std::find(std::begin(names), std::end(names), first) != std::end(names);
}

namespace {
/// A part of one of Python's own packages that is not surely there.
bool may_miss(std::string_view dotted) {
  static constexpr std::string_view packages[] = {
      "asyncio", "collections", "concurrent",      "ctypes", "email",    "html",   "http", "importlib",
      "json",    "logging",     "multiprocessing", "os",     "unittest", "urllib", "xml"};
  static constexpr std::string_view parts[] = {"collections.abc",
                                               "concurrent.futures",
                                               "ctypes.util",
                                               "html.parser",
                                               "http.client",
                                               "http.server",
                                               "importlib.abc",
                                               "importlib.machinery",
                                               "importlib.metadata",
                                               "importlib.resources",
                                               "importlib.util",
                                               "json.decoder",
                                               "json.encoder",
                                               "logging.config",
                                               "logging.handlers",
                                               "multiprocessing.pool",
                                               "multiprocessing.managers",
                                               "multiprocessing.shared_memory",
                                               "os.path",
                                               "unittest.mock",
                                               "urllib.error",
                                               "urllib.parse",
                                               "urllib.request",
                                               "xml.dom",
                                               "xml.etree",
                                               "xml.etree.ElementTree",
                                               "multiprocessing.connection",
                                               "multiprocessing.queues",
                                               "multiprocessing.dummy",
                                               "multiprocessing.synchronize"};
  const auto dot = dotted.find('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  static constexpr std::string_view others[] = {"cuda", "cutlass", "numpy", "torch"};
  const auto among = [](auto& names, std::string_view one) {
    return std::find(std::begin(names), std::end(names), one) != std::end(names);
  };
  if (among(others, dotted.substr(0, dot))) return false;
  return !among(packages, dotted.substr(0, dot)) || !among(parts, dotted);
}
}  // namespace

Scope* Machine::Interpreter::main_scope() {
  Scope*& known = scope_of_module_[0];
  if (!known) {
    known = new_scope();
    known->activation = m.trace_.enter({-1, {}, -1, 0, -1});
  }
  return known;
}

void Machine::Interpreter::run_body(Scope* s, int module) {
  const Flow flow = block(module_of(module).tree().root(), s);
  m.trace_.finish(s->activation, flow == Flow::normal && !stopped_);
}

Scope* Machine::Interpreter::module_scope(int module) {
  const auto known = scope_of_module_.find(module);
  if (known != scope_of_module_.end()) return known->second;
  Scope* s = new_scope();
  scope_of_module_[module] = s;
  s->module = module;
  s->lazy = library_names_.count(module) > 0;
  if (s->lazy) return s;
  const int outer = from_activation_;
  s->activation = m.trace_.enter({from_activation_, {}, -1, module, -1});
  from_activation_ = s->activation;
  run_body(s, module);
  if (m.raising_ && module >= Library::first) {
    m.give_up("an imported module ends with an error: " + m.exception_text(), module_of(module).path(),
              module, {});
    m.raising_ = false;
  }
  from_activation_ = outer;
  return s;
}

/// The absolute dotted name of what a library module imports relatively; others as written.
std::string Machine::Interpreter::absolute(const std::string& written, int from) {
  if (written.empty() || written[0] != '.') return written;
  const auto known = library_names_.find(from);
  if (known == library_names_.end()) return written;
  std::string package = known->second;
  const bool is_package = module_of(from).path().ends_with("__init__.py");
  std::size_t dots = 0;
  while (dots < written.size() && written[dots] == '.') ++dots;
  for (std::size_t up = is_package ? 1 : 0; up < dots; ++up) {
    const auto dot = package.rfind('.');
    package = dot == std::string::npos ? "" : package.substr(0, dot);
  }
  const std::string rest = written.substr(dots);
  return rest.empty() ? package : package + "." + rest;
}

Value Machine::module_from_file(const std::string& path) {
  const int index = program_.load(path);
  if (index < 0) return {};
  Module* module = make<Module>();
  module->index = index;
  module->scope = interpreter_->new_scope();
  module->scope->module = index;
  return module;
}

Module* Machine::module_at(int index) {
  Module* module = make<Module>();
  module->index = index;
  module->scope = interpreter_->module_scope(index);
  return module;
}

void Machine::run_module(Module* module) {
  Interpreter& run = *interpreter_;
  const int outer = run.from_activation_;
  module->scope->activation = trace_.enter({outer, {}, -1, module->index, -1});
  run.from_activation_ = module->scope->activation;
  run.run_body(module->scope, module->index);
  run.from_activation_ = outer;
}

Value Machine::Interpreter::imported_module(const std::string& dotted, int from) {
  if (!is_library(dotted) && from < Library::first) {
    const int index = program.import(from, dotted);
    if (index >= 0 && !program.find(from, dotted).empty()) return m.module_at(index);
  }
  if (from < Library::first && !is_installed(dotted) && !m.current_launch_) ++m.uncertain_;  // there or not
  return m.external(dotted);
}

Flow Machine::Interpreter::import_statement(Node n, Scope* s) {
  for (const Node c : n.children()) {
    const bool aliased = c.is(NodeKind::aliased_import);
    const std::string dotted(aliased ? c.child(Field::name_field).text() : c.text());
    const bool unseen =
        try_depth_ > 0 && is_library(dotted) && m.options_.library && m.options_.library->import(dotted) < 0;
    m.uncertain_ += s->module < Library::first && !m.current_launch_ && (unseen || may_miss(dotted)) ? 1 : 0;
    if (aliased) {
      bind_name(m.symbol(c.child(Field::alias_field).text()), imported_module(dotted, s->module), s);
      continue;
    }
    const std::string first = dotted.substr(0, dotted.find('.'));
    const Value module = imported_module(dotted, s->module);
    bind_name(
        m.symbol(first),
        first == dotted || module.as<External>() ? (first == dotted ? module : m.external(first)) : module,
        s);
  }
  return m.raising_ ? Flow::raised : Flow::normal;
}

Value Machine::Interpreter::member(const std::string& module, const std::string& name, int from) {
  if (m.types_are_patched_ && from < Library::first)
    if (const Value* own = m.external(module).as<External>()->written.find(m.symbol(name))) return *own;
  if (is_library(module)) {
    const std::string path = module + "." + name;
    if (try_depth_ > 0 && from < Library::first && m.options_.library && !natives.find_function(path) &&
        m.options_.library->import(path) < 0 && !library(path).bound())
      ++m.uncertain_;                                                      // there or not
    if (const Native native = natives.find_function(path + ".__get__")) {  // a number or text of the library
      Call c{m, path, {}, {}, {}, {}, from};
      if (auto value = native(c)) return *value;
    }
    return m.external(path);
  }
  const Value found = imported_module(module, from);
  if (const Module* local = found.as<Module>()) {
    if (const Value* value = local->scope->names.find(m.symbol(name))) return *value;
    const Value inner = imported_module(module + (module.ends_with('.') ? "" : ".") + name, from);
    if (inner.as<Module>()) return inner;
    return m.unknown("the module does not define it", name, module + "." + name);
  }
  const Value inner = imported_module(module + (module.ends_with('.') ? "" : ".") + name, from);
  if (inner.as<Module>()) return inner;
  const std::string path = module + "." + name;
  if (try_depth_ > 0 && from < Library::first && !natives.find_function(path))
    ++m.uncertain_;  // there or not
  return from < Library::first && found.as<External>() ? attribute(found, name, {}, from) : m.external(path);
}

void Machine::Interpreter::import_all(const std::string& module, Scope* s) {
  if (s->running || s->is_class) {
    m.raise_error("SyntaxError", "import * only allowed at module level");
    return;
  }
  const Value found = imported_module(module, s->module);
  if (const Module* local = found.as<Module>())
    for (const auto& [name, value] : local->scope->names.items()) {
      if (value.bound()) bind_name(name, value, s);
    }
  else
    import_unseen(module, s);
}

Flow Machine::Interpreter::import_from(Node n, Scope* s) {
  const Node module_node = n.child(Field::module_name_field);
  const std::string module = absolute(std::string(module_node.text()), s->module);
  m.uncertain_ += s->module < Library::first && !m.current_launch_ && may_miss(module) ? 1 : 0;
  for (const Node c : n.children()) {
    if (c == module_node) continue;
    if (c.is(NodeKind::wildcard_import)) {
      import_all(module, s);
      continue;
    }
    const bool aliased = c.is(NodeKind::aliased_import);
    const std::string name((aliased ? c.child(Field::name_field) : c).text());
    const std::string local(aliased ? c.child(Field::alias_field).text() : std::string_view(name));
    bind_name(m.symbol(local), member(module, name, s->module), s);
  }
  return m.raising_ ? Flow::raised : Flow::normal;
}

/// A name of a library module, made from what its source says: a function, a class, an import, the last
/// assignment.
Value Machine::Interpreter::library_name(Scope* s, Symbol name) {
  const PythonModule& module = module_of(s->module);
  const std::string& plain = m.name_of(name);
  s->names.at(name) = m.unknown("defined through itself", plain);  // a cycle ends here
  Value value;
  if (const int f = module.function_defined(-1, plain); f >= 0) {
    const Node node = module.functions()[static_cast<std::size_t>(f)].node;
    value = define_function(node, s);
  } else if (const int c = module.class_defined(-1, plain); c >= 0) {
    const Node node = module.classes()[static_cast<std::size_t>(c)].node;
    value = node.parent().is(NodeKind::decorated_definition) ? decorated(node.parent(), s)
                                                             : define_class(node, s);
  } else if (const source::Import* import = module.import_of(plain)) {
    value = library_import(*import, s);
  } else if (const auto& bound = module.bindings(-1, plain); !bound.empty()) {
    const source::Assignment& a = module.assignments()[static_cast<std::size_t>(bound.back())];
    if (a.value && a.slots.empty()) value = expression(a.value, s);
  } else {
    for (const source::Import& star : module.imports()) {
      if (star.name != "*") continue;
      const Value found = library(absolute(star.module, s->module) + "." + plain);
      if (found.bound()) {
        value = found;
        break;
      }
    }
  }
  if (!value.bound()) value = asked_of_module(s, plain);
  s->names.at(name) = value;
  return value;
}

/// What a module's own `def __getattr__(name)` gives for a name that it does not define; unbound: nothing.
Value Machine::Interpreter::asked_of_module(Scope* s, const std::string& name) {
  const PythonModule& module = module_of(s->module);
  const int f = name.starts_with("__") ? -1 : module.function_defined(-1, "__getattr__");
  if (f < 0) return {};
  Function* own = define_function(module.functions()[static_cast<std::size_t>(f)].node, s).as<Function>();
  if (!own || !interpretable(own)) return {};
  const Value exception_before = m.exception_;
  const Value given = call_function(own, nullptr, {m.text(name)}, {}, {}, s->module);
  if (m.raising_) {  // AttributeError: the module has no such name
    m.raising_ = false;
    m.exception_ = exception_before;
    return {};
  }
  return given.is_unknown() || given.is_none() ? Value() : given;
}

Value Machine::Interpreter::library_import(const source::Import& import, Scope* s) {
  const std::string module = absolute(import.module, s->module);
  if (!import.name.empty()) return m.external(module + "." + import.name);
  const bool whole = import.local == module.substr(0, module.find('.'));
  return m.external(whole ? import.local : module);
}

/// What the library's source defines under a qualified name, followed through its re-exports. Unbound: the
/// sources are not there or do not define it.
Value Machine::Interpreter::library(const std::string& path) {
  const auto known = library_values_.find(path);
  if (known != library_values_.end()) return known->second;
  library_values_[path] = Value();
  ++library_searches_;
  const Value found = find_in_library(path);
  --library_searches_;
  return library_values_[path] = found;
}

Value Machine::Interpreter::find_in_library(const std::string& path) {
  // The longest prefix that is a module.
  for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const std::string dotted = path.substr(0, dot);
    const int index = m.options_.library ? m.options_.library->import(dotted) : -1;
    if (index < 0) continue;
    library_names_.try_emplace(index, dotted);
    Scope* s = module_scope(index);
    Value value;
    std::string rest = path.substr(dot + 1);
    for (bool first = true; !rest.empty(); first = false) {
      const auto next = rest.find('.');
      const std::string part = rest.substr(0, next);
      rest = next == std::string::npos ? "" : rest.substr(next + 1);
      if (first) {
        const Value* there = s->names.find(m.symbol(part));
        value = there ? *there : library_name(s, m.symbol(part));
      } else if (const Class* klass = value.as<Class>()) {
        value = attribute(value, part, {}, klass->module);
      } else {
        value = Value();
      }
      for (int hops = 0; hops < 8; ++hops) {  // re-exports
        const External* e = value.as<External>();
        if (!e || !is_library(e->path) || e->path == path) break;
        if (!rest.empty()) {
          const Value further = library(e->path + "." + rest);
          return further;
        }
        const Value further = library(e->path);
        if (!further.bound()) break;
        value = further;
      }
      if (!value.bound()) break;
    }
    return value;
  }
  return {};
}

}  // namespace cutelab::reading::machine
