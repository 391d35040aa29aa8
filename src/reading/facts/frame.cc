#include <algorithm>

#include "base/text.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Function;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
namespace {

Function::Kind kind_of(const source::PythonModule& module, int index) {
  const source::PythonFunction& f = module.functions()[static_cast<std::size_t>(index)];
  if (f.has_decorator("kernel")) return Function::Kind::kernel;
  if (f.has_decorator("jit"))
    return f.name == "__call__" || f.class_index < 0 ? Function::Kind::jit : Function::Kind::device;
  if (f.has_decorator("dsl_user_op")) return Function::Kind::device;
  return Function::Kind::host;
}

std::string first_sentence(const std::string& text) {
  std::string out;
  for (const auto line : split(text, '\n')) {
    const auto t = trim(line);
    const bool rule = t.find_first_not_of("=-~*#") == std::string_view::npos;
    if (t.empty() || rule) {
      if (!out.empty()) break;
      continue;
    }
    out += (out.empty() ? "" : " ") + std::string(t);
    if (t.back() == '.' || out.size() > 300) break;
  }
  const auto end = out.find(". ");
  return end == std::string::npos ? out : out.substr(0, end + 1);
}

bool states_rule(std::string_view line) {
  static constexpr const char* words[] = {"must be",   "must have",  "only support",      "supports only",
                                          "should be", "need to be", "at least 16 bytes", "<= 4",
                                          "<= 16",     "power of 2", "not supported",     "not allowed",
                                          "divisible"};
  return std::any_of(std::begin(words), std::end(words),
                     [&](const char* w) { return line.find(w) != std::string_view::npos; });
}

/// `python examples/x.py --flags` in a docstring, where x.py is not this file: copying it would run another
/// file, or none.
void check_command(FactContext& context, std::string_view line, int number, Node string_node) {
  const auto at = line.find("python");
  const auto end = line.find(".py");
  if (at == std::string_view::npos || end == std::string_view::npos || end < at) return;
  std::size_t begin = end;
  while (begin > 0 && std::string_view(" /\t").find(line[begin - 1]) == std::string_view::npos) --begin;
  const std::string named(line.substr(begin, end + 3 - begin));
  const std::string& path = context.module().path();
  const std::string own = path.substr(path.rfind('/') + 1);
  if (named == own || (end + 3 < line.size() && line[end + 3] != ' ')) return;
  evidence::Constraint rule;
  rule.text = "the docstring's command names " + named + "; this file is " + own;
  rule.at = context.at(string_node);
  rule.at.span.line = rule.at.span.end_line = static_cast<std::uint32_t>(number);
  rule.at.span.column = 1;
  context.reading.constraints.push_back(std::move(rule));
}

void add_docstring_rules(FactContext& context, Node string_node) {
  int line = string_node.line();
  for (const auto text : split(string_node.text(), '\n')) {
    check_command(context, text, line, string_node);
    if (states_rule(text) && context.reading.constraints.size() < 60) {
      evidence::Constraint rule;
      rule.text = std::string(trim(text)).substr(0, 300);
      rule.at = context.at(string_node);
      rule.at.span.line = rule.at.span.end_line = static_cast<std::uint32_t>(line);
      rule.at.span.column = 1;
      context.reading.constraints.push_back(std::move(rule));
    }
    ++line;
  }
}

void spread(const std::vector<Function>& functions, std::vector<std::size_t> open, std::vector<bool>& reached,
            bool (*goes_on)(const Function&)) {
  while (!open.empty()) {
    const std::size_t f = open.back();
    open.pop_back();
    if (reached[f]) continue;
    reached[f] = true;
    for (const Function::Call& call : functions[f].calls)
      if (!call.launches && goes_on(functions[static_cast<std::size_t>(call.callee)]))
        open.push_back(static_cast<std::size_t>(call.callee));
  }
}

bool launches(const Function& function) {
  return std::any_of(function.calls.begin(), function.calls.end(), [](auto& call) { return call.launches; });
}

/// By function: whether the host runs it: what the module's own code calls, what is compiled as an entry
/// point or launches, and what those call.
std::vector<bool> on_host(FactContext& context) {
  const auto& functions = context.reading.functions;
  std::vector<std::size_t> entries;
  for (std::size_t f = 0; f < functions.size(); ++f)
    if (functions[f].kind == Function::Kind::jit &&
        (launches(functions[f]) || context.module().functions()[f].name == "__call__"))
      entries.push_back(f);
  for (const CallSite& site : context.calls()) {
    int m = 0, f = -1;
    if (site.function < 0 && context.evaluator.callee_function(0, site.call, &m, &f) && m == 0)
      entries.push_back(static_cast<std::size_t>(f));
    if (!site.path.ends_with("cute.compile")) continue;
    const Node entry = context.positional(site.call, 0);
    const Abstract compiled = entry ? context.evaluator.value_of(0, entry) : Abstract();
    if (compiled.is(Abstract::Kind::function) && compiled.module == 0 && compiled.index >= 0)
      entries.push_back(static_cast<std::size_t>(compiled.index));
  }
  std::vector<bool> reached(functions.size(), false);
  spread(functions, std::move(entries), reached,
         [](const Function& f) { return f.kind == Function::Kind::host || f.kind == Function::Kind::jit; });
  return reached;
}

/// Kernels, decorated functions that the host does not run, what they call and what is defined inside.
std::vector<bool> on_device(FactContext& context) {
  const auto& written = context.module().functions();
  const auto& functions = context.reading.functions;
  const std::vector<bool> host = on_host(context);
  std::vector<bool> out(functions.size(), false);
  const auto starts = [&](std::size_t f) {
    const int outer = written[f].enclosing;
    return functions[f].kind == Function::Kind::kernel || functions[f].kind == Function::Kind::device ||
           (functions[f].kind == Function::Kind::jit && !host[f]) ||
           (outer >= 0 && out[static_cast<std::size_t>(outer)]);
  };
  // A function stands behind the one it is defined in, so that one pass settles what is inside.
  for (std::size_t f = 0; f < functions.size(); ++f)
    if (!out[f] && starts(f))
      spread(functions, {f}, out, [](const Function& callee) { return callee.kind == Function::Kind::host; });
  for (std::size_t f = 0; f < functions.size(); ++f)
    if (!out[f] && starts(f)) out[f] = true;
  return out;
}
}  // namespace

void read_functions(FactContext& context) {
  const source::PythonModule& module = context.module();
  for (std::size_t f = 0; f < module.functions().size(); ++f) {
    Function function;
    function.name = module.functions()[f].qualified;
    function.kind = kind_of(module, static_cast<int>(f));
    function.at = context.at(module.functions()[f].node);
    context.reading.functions.push_back(std::move(function));
  }
  for (const CallSite& site : context.calls()) {
    if (site.function < 0) continue;
    if (site.leaf == "partial") {  // a call to come
      const Node wrapped = context.positional(site.call, 0);
      const Abstract f = wrapped ? context.evaluator.value_of(0, wrapped) : Abstract();
      if (f.is(Abstract::Kind::function) && f.module == 0 && f.index >= 0)
        context.reading.functions[static_cast<std::size_t>(site.function)].calls.push_back(
            {f.index, context.at(site.call), false});
      continue;
    }
    const bool launches =
        site.leaf == "launch" &&
        site.call.child(Field::function_field).child(Field::object_field).is(NodeKind::call);
    const Node call =
        launches ? site.call.child(Field::function_field).child(Field::object_field) : site.call;
    int m = 0, callee = -1;
    if (!context.evaluator.callee_function(0, call, &m, &callee) || m != 0) continue;
    if (!launches && site.call.parent().is(NodeKind::attribute) &&
        site.call.parent().child(Field::attribute_field).text() == "launch")
      continue;
    auto& calls = context.reading.functions[static_cast<std::size_t>(site.function)].calls;
    calls.push_back({callee, context.at(site.call), launches});
  }
  for (const Function& function : context.reading.functions)
    for (const Function::Call& call : function.calls) {
      Function& callee = context.reading.functions[static_cast<std::size_t>(call.callee)];
      const bool from_device =
          function.kind == Function::Kind::kernel || function.kind == Function::Kind::device;
      if (from_device && callee.kind == Function::Kind::jit) callee.kind = Function::Kind::device;
    }
  context.on_device = on_device(context);
  // A helper without a decorator is traced where it is called: inside a kernel it is no host code.
  const std::vector<bool> host = on_host(context);
  for (std::size_t f = 0; f < context.reading.functions.size(); ++f) {
    Function& function = context.reading.functions[f];
    if (function.kind == Function::Kind::host && context.on_device[f] && !host[f])
      function.kind = Function::Kind::device;
  }
}

void read_flags(FactContext& context) {
  for (const Flag& flag : context.flags) {
    evidence::CommandFlag out;
    out.name = flag.name;
    out.help = flag.help;
    out.at = context.at(flag.call);
    if (flag.default_value)
      out.default_value = context.value(flag.default_value);
    else if (flag.action.ends_with("store_true") || flag.action.ends_with("store_false"))
      out.default_value = evidence::literal(flag.action.ends_with("store_false"));
    else
      out.default_value = evidence::undetermined("no default is given", {flag.name}, out.at, "");
    // --no_x with dest=x: the value is that of x, which the flag's own name would turn round.
    if (!flag.default_value && flag.action.ends_with("store_false"))
      out.default_value = evidence::literal(flag.dest + " = true");
    context.reading.flags.push_back(std::move(out));
  }
}

void read_imports(FactContext& context) {
  for (const source::Import& import : context.module().imports()) {
    const bool relative = import.module.starts_with('.');
    std::string found = context.program.find(0, import.module);
    std::string as_member =
        import.name.empty() || import.name == "*"
            ? ""
            : context.program.find(0,
                                   import.module + (import.module.ends_with('.') ? "" : ".") + import.name);
    if (found.empty() && as_member.empty() && !relative) continue;
    evidence::LocalImport out;
    out.module = import.module + (import.name.empty() ? "" : " import " + import.name);
    out.resolved = as_member.empty() ? found : as_member;
    out.at = context.at(import.statement);
    context.reading.imports.push_back(std::move(out));
  }
}

void read_docstring(FactContext& context) {
  context.reading.summary = first_sentence(context.module().docstring());
  for (const Node n : context.module().tree().all(NodeKind::string)) {
    if (!n.parent().is(NodeKind::expression_statement)) continue;
    const Node statement = n.parent();
    const Node block = statement.parent();
    if (!(block.is(NodeKind::module) || block.parent().is(NodeKind::class_definition))) continue;
    add_docstring_rules(context, n);
    // A string further down in a class speaks of what follows it.
    const bool speaks_of_all = block.is(NodeKind::module) || statement == block.first();
    if (context.reading.summary.empty() && speaks_of_all)
      context.reading.summary = first_sentence(source::string_value(n));
  }
}

std::string style_of(const FactContext& context) {
  bool kernel = false, method_kernel = false, primitives = false, tasks = false, extension = false,
       flagged = false;
  for (const auto& f : context.module().functions()) {
    kernel = kernel || f.has_decorator("kernel");
    method_kernel = method_kernel || (f.has_decorator("kernel") && f.class_index >= 0);
  }
  for (const auto& import : context.module().imports()) {
    primitives = primitives || import.module.find("experimental.primitives") != std::string::npos ||
                 import.name == "primitives";
    tasks = tasks || import.module.find("task_scheduling") != std::string::npos ||
            import.name == "task_scheduling";
    extension = extension || import.module == "cutlass.cute.experimental" ||
                (import.module == "cutlass.cute" && import.name == "experimental");
  }
  flagged = !context.flags.empty();
  // A class kernel may use single primitives: the style is that of most device calls.
  std::size_t of_primitives = 0, of_extension = 0, of_cute = 0;
  for (const CallSite& site : context.calls()) {
    of_primitives += site.path.find("experimental.primitives") != std::string::npos;
    of_extension += site.path.starts_with("cutlass.cute.experimental.");
    of_cute += site.path.starts_with("cutlass.cute.") || site.path.starts_with("cutlass.pipeline.");
  }
  primitives = primitives && !(method_kernel && of_cute > of_primitives);
  extension = extension && !(method_kernel && of_extension * 10 < of_cute);
  if (tasks) return "task-scheduling";
  if (primitives) return "primitives";
  if (extension) return "cute-ext";
  if (method_kernel) return "class";
  if (!kernel) return "helper";
  return flagged ? "function" : "tutorial";
}

}  // namespace cutelab::reading
