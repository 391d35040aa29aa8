#include <algorithm>

#include "reading/machine/interpreter.h"

// Calls that are more than a run of a function: those that a cache answers, that are kept for later, that
// launch a kernel.
namespace cutelab::reading::machine {
using source::Node;

namespace {
using Keywords = std::vector<std::pair<Symbol, Value>>;
}  // namespace

/// Of a function with @lru_cache: what an equal call gave before, the latest last.
Value Machine::Interpreter::memoized(Function* f, const Value* self, const std::vector<Value>& arguments,
                                     const Keywords& keywords, Node at, int module) {
  std::vector<Value> parts;
  if (self) parts.push_back(*self);
  parts.insert(parts.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : keywords) parts.insert(parts.end(), {m.text(m.name_of(name)), value});
  for (const Value& part : parts)
    if (part.as<List>() || part.as<Dict>() || part.as<Set>())
      return m.raise_error("TypeError", "unhashable argument of " + f->path, at, module);
  const Value key = m.tuple(std::move(parts));
  auto& kept = m.mutable_items(f->memo);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (m.equal(kept[i].first, key) == Truth::yes) {
      const auto found = kept[i];
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      kept.push_back(found);
      return found.second;
    }
  const Value made = call_function(f->bare, self, arguments, keywords, at, module);
  if (m.raising_) return {};
  auto& items = m.mutable_items(f->memo);
  items.emplace_back(key, made);
  if (f->most_kept > 0 && items.size() > static_cast<std::size_t>(f->most_kept)) items.erase(items.begin());
  return made;
}

/// A call of a @schedule function is kept: its tasks run it when the manager does. Record "Schedule":
/// function, arguments, keywords.
Value Machine::Interpreter::captured(const Function* f, std::vector<Value> arguments,
                                     const Keywords& keywords, Node at, int module) {
  Function* body = m.make<Function>(*f);
  body->is_captured = false;
  Record* made = m.record("Schedule", f->path);
  made->made_at = at;
  made->made_in = module;
  m.set_field(made, "function", body);
  m.set_field(made, "arguments", m.tuple(std::move(arguments)));
  Dict* named = m.make<Dict>();
  for (const auto& [name, value] : keywords) named->items.emplace_back(m.text(m.name_of(name)), value);
  m.set_field(made, "keywords", named);
  return made;
}

/// `kernel(…).launch(grid=…, block=…)`: notes the launch and runs the kernel's body.
Value Machine::Interpreter::launch(Record* kernel_call, Call& c) {
  Launch made;
  made.kernel = m.field(kernel_call, "function").as<Function>();
  made.node = c.node;
  made.module = c.module;
  made.grid = c.get(-1, "grid");
  made.block = c.get(-1, "block");
  made.cluster = c.get(-1, "cluster");
  made.smem = c.get(-1, "smem");
  made.perhaps = open_forks_ > 0;
  constexpr std::size_t most_launches = 64;
  if (untraced_ > 0) return Value::none();
  if (m.launches_.size() >= most_launches) {
    m.limit("more than " + std::to_string(most_launches) + " launches", made.kernel->path);
    return Value::none();
  }
  // A benchmark launches a kernel for many shapes: each launch is noted, the body is followed a few times
  // only.
  constexpr int most_bodies = 4;
  int& bodies = bodies_followed_[{made.kernel->node.tree(), made.kernel->node.index()}];
  if (++bodies > most_bodies) {
    made.allocated_known = false;
    m.launches_.push_back(made);
    return Value::none();
  }
  // The launch list must not move while a kernel's body runs: current_launch_ points into a local.
  Launch* outer = m.current_launch_;
  m.current_launch_ = &made;
  std::vector<Value> arguments = m.field(kernel_call, "arguments").as<Tuple>()->items;
  Keywords keywords;
  for (const auto& [key, value] : m.field(kernel_call, "keywords").as<Dict>()->items)
    keywords.emplace_back(m.symbol(key.as<Text>()->text), value);
  made.activation = static_cast<int>(m.trace_.activations().size());
  call_function(made.kernel, nullptr, std::move(arguments), std::move(keywords), kernel_call->made_at,
                kernel_call->made_in, m.field(kernel_call, "complete").number() != 0);
  m.current_launch_ = outer;
  if (m.raising_) {
    m.give_up("the kernel's body ends with an error: " + m.exception_text(), made.kernel->path, made.module,
              made.node);
    made.allocated_known = false;
    m.raising_ = false;
  }
  made.allocated_known = made.allocated_known && !stopped_;
  m.launches_.push_back(made);
  if (!m.current_launch_) ++m.uncertain_;  // a device may refuse it
  return Value::none();
}

}  // namespace cutelab::reading::machine
