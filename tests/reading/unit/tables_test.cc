#include <gtest/gtest.h>

#include <string>

#include "reading/evaluator/folding_memo.h"
#include "reading/machine/names.h"
#include "reading/machine/trace.h"

namespace cutelab::reading {
namespace {

TEST(FoldingMemo, KeepsEverySlotWhileItGrows) {
  const auto tree = source::Tree::parse(source::Grammar::python, "x = 1\n");
  FoldingMemo memo;
  const Abstract one = Abstract::integer(1);
  constexpr std::uint32_t many = 5000;
  for (std::uint32_t node = 0; node < many; ++node) {
    FoldingMemo::Slot& slot = memo[{nullptr, tree.get(), node}];
    EXPECT_EQ(slot.state, FoldingMemo::State::empty);
    slot.state = node % 2 ? FoldingMemo::State::known : FoldingMemo::State::evaluating;
    if (node % 2) slot.answer = &one;
  }
  for (std::uint32_t node = 0; node < many; ++node) {
    const FoldingMemo::Slot& slot = memo[{nullptr, tree.get(), node}];
    EXPECT_EQ(slot.state, node % 2 ? FoldingMemo::State::known : FoldingMemo::State::evaluating);
    EXPECT_EQ(slot.answer, node % 2 ? &one : nullptr);
  }
}

TEST(Names, OneNumberForATextAndItsTextBack) {
  machine::Names names;
  constexpr int many = 5000;
  for (int i = 0; i < many; ++i) names.symbol("name_" + std::to_string(i));
  for (int i = 0; i < many; ++i) {
    const machine::Symbol symbol = names.symbol("name_" + std::to_string(i));
    EXPECT_EQ(symbol, static_cast<machine::Symbol>(i));
    EXPECT_EQ(names.text(symbol), "name_" + std::to_string(i));
  }
}

TEST(Trace, AnEarlierActivationIsFoundBehindALaterOne) {
  const auto tree = source::Tree::parse(source::Grammar::python, "x = 1\n");
  const source::Node node = tree->root();
  machine::Trace trace;
  trace.note(0, node, 0, machine::Value::integer(1));
  trace.note(0, node, 7, machine::Value::integer(2));
  trace.note(0, node, 0, machine::Value::integer(3));
  const auto& newest = trace.seen(trace.head(0, node));
  EXPECT_EQ(newest.activation, 7);
  EXPECT_FALSE(newest.varied);
  const auto& older = trace.seen(newest.next);
  EXPECT_EQ(older.activation, 0);
  EXPECT_TRUE(older.varied);
  EXPECT_EQ(older.value.number(), 3);
  EXPECT_EQ(older.next, -1);
}

}  // namespace
}  // namespace cutelab::reading
