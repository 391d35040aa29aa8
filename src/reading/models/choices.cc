#include <algorithm>

#include "reading/models/python_models.h"

// combinations and permutations of itertools, which take all their items at once, as Python's do; tee.
namespace cutelab::reading::machine::python_models {
namespace {
constexpr std::size_t most_rows = 65'536;

Answer over_all(Call& c, std::vector<Value> items) {
  Iterator* it = c.machine.make<Iterator>(Iterator::Form::walk);
  it->node = c.node;
  it->module = c.module;
  it->sources = {c.machine.tuple(std::move(items))};
  return Value(it);
}

struct Chosen {
  std::vector<Value> pool;
  std::size_t size = 0;
};

std::optional<Chosen> chosen_from(Call& c, bool size_of_pool) {
  const Value given = c.get(1, "r", Value::none());
  const auto items =
      c.complete ? c.machine.items_in_order(c.get(0, "iterable", Value::none())) : std::nullopt;
  if (!items || !(given.is_integral() || (size_of_pool && given.is_none()))) return std::nullopt;
  if (given.is_integral() && given.number() < 0) {
    c.machine.raise_error("ValueError", "r must be non-negative", c.node, c.module);
    return std::nullopt;
  }
  return Chosen{*items, given.is_integral() ? static_cast<std::size_t>(given.number()) : items->size()};
}

enum class Choice { combinations, repeated, permutations };

template <Choice choice>
bool choose(Machine& m, const Chosen& from, std::vector<std::size_t>& at, std::vector<Value>& out) {
  if (out.size() > most_rows) return false;
  if (at.size() == from.size) {
    std::vector<Value> row;
    for (const std::size_t i : at) row.push_back(from.pool[i]);
    out.push_back(m.tuple(std::move(row)));
    return true;
  }
  const std::size_t begin = choice == Choice::permutations || at.empty() ? 0
                            : choice == Choice::repeated                 ? at.back()
                                                                         : at.back() + 1;
  for (std::size_t i = begin; i < from.pool.size(); ++i) {
    if (choice == Choice::permutations && std::find(at.begin(), at.end(), i) != at.end()) continue;
    at.push_back(i);
    const bool done = choose<choice>(m, from, at, out);
    at.pop_back();
    if (!done) return false;
  }
  return true;
}

template <Choice choice>
Answer chosen(Call& c) {
  constexpr std::size_t longest_row = 64;
  const auto from = chosen_from(c, choice == Choice::permutations);
  if (c.machine.raising()) return Value();
  if (!from || from->size > longest_row) return std::nullopt;
  if (choice != Choice::repeated && from->size > from->pool.size()) return over_all(c, {});
  std::vector<Value> out;
  std::vector<std::size_t> at;
  if (!choose<choice>(c.machine, *from, at, out)) return c.machine.limit("more than 65536 combinations");
  return over_all(c, std::move(out));
}

Answer tee(Call& c) {
  const Value n = c.get(1, "n", Value::integer(2));
  const auto items = c.count() && n.is_integral() ? c.machine.items_in_order(c.arguments[0]) : std::nullopt;
  if (!items || n.number() < 0 || n.number() > 64) return std::nullopt;
  std::vector<Value> out;
  for (std::int64_t i = 0; i < n.number(); ++i) out.push_back(*over_all(c, *items));
  return c.machine.tuple(std::move(out));
}
}  // namespace

void add_choices(Natives& n) {
  n.function("itertools", "combinations", chosen<Choice::combinations>);
  n.function("itertools", "combinations_with_replacement", chosen<Choice::repeated>);
  n.function("itertools", "permutations", chosen<Choice::permutations>);
  n.function("itertools", "tee", tee);
}

}  // namespace cutelab::reading::machine::python_models
