#include "layout/fault.h"
#include "layout/int_tuple.h"

namespace cutelab::layout {

bool congruent(TupleView a, TupleView b) {
  if (a.span() != b.span()) return false;
  for (std::size_t i = 0; i < a.span(); ++i)
    if (a.node()[i].arity != b.node()[i].arity) return false;
  return true;
}

bool weakly_congruent(TupleView a, TupleView b) {
  if (a.is_leaf()) return true;
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  TupleView x = a.first();
  TupleView y = b.first();
  for (int i = 0; i < a.rank(); ++i, x = x.next(), y = y.next())
    if (!weakly_congruent(x, y)) return false;
  return true;
}

std::optional<bool> compatible(TupleView a, TupleView b) {
  if (a.is_leaf()) {
    const auto order = compare(a.leaf(), product(b));
    if (!order) return std::nullopt;
    return *order == 0;
  }
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  std::optional<bool> all = true;
  TupleView x = a.first();
  TupleView y = b.first();
  for (int i = 0; i < a.rank(); ++i, x = x.next(), y = y.next()) {
    const auto one = compatible(x, y);
    if (one == false) return false;
    if (!one) all = std::nullopt;
  }
  return all;
}

namespace {
Status ceil_div_into(TupleView a, TupleView b, TupleBuilder& build);

// A tuple divided by one integer: each mode takes what it can, the rest goes on to the next.
void fold(TupleView a, Int divisor, TupleBuilder& build) {
  const auto at = build.open();
  TupleView m = a.first();
  for (int i = 0; i < a.rank(); ++i, m = m.next()) {
    if (m.is_leaf())
      build.leaf(ceil_div(m.leaf(), divisor));
    else
      fold(m, divisor, build);
    divisor = ceil_div(divisor, product(m));
  }
  build.close(at, a.rank());
}

Status elementwise(TupleView a, TupleView b, TupleBuilder& build) {
  if (b.rank() > a.rank())
    return fault("ceil_div", 1, "the divisor has {} modes, the dividend {}", b.rank(), a.rank());
  const auto at = build.open();
  const IntTuple one(1);
  TupleView x = a.first();
  TupleView y = b.first();
  for (int i = 0; i < a.rank(); ++i, x = x.next()) {
    const bool given = i < b.rank();
    if (auto status = ceil_div_into(x, given ? y : one.view(), build); !status) return status;
    if (given) y = y.next();
  }
  build.close(at, a.rank());
  return {};
}

Status ceil_div_into(TupleView a, TupleView b, TupleBuilder& build) {
  if (!a.is_leaf() && !b.is_leaf()) return elementwise(a, b, build);
  if (a.is_leaf())
    build.leaf(ceil_div(a.leaf(), product(b)));
  else
    fold(a, b.leaf(), build);
  return {};
}
}  // namespace

Result<IntTuple> ceil_div(TupleView a, TupleView b) {
  TupleBuilder build;
  if (auto status = ceil_div_into(a, b, build); !status) return status.error();
  return build.take();
}

}  // namespace cutelab::layout
