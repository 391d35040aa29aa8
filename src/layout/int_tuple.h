#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "layout/inline_vector.h"
#include "layout/int.h"

namespace cutelab::layout {

/// One element of a flattened tree: a leaf, or the head of a tuple that is followed by its elements.
struct Node {
  Int leaf;                 ///< meaningful when arity < 0
  std::int32_t arity = -1;  ///< number of elements of a tuple; -1 = leaf
  std::uint32_t span = 1;   ///< nodes of this subtree, itself included
  bool is_leaf() const { return arity < 0; }
};

/// A part of an IntTuple, not owned: a leaf or a tuple. Cheap to copy; valid while the IntTuple lives
/// unchanged.
class TupleView {
 public:
  explicit TupleView(const Node* node) : node_(node) {}
  bool is_leaf() const { return node_->is_leaf(); }
  const Int& leaf() const { return node_->leaf; }  ///< pre: is_leaf()
  /// Number of modes; 1 for a leaf (as CuTe defines it).
  int rank() const { return is_leaf() ? 1 : node_->arity; }
  int depth() const;  ///< 0 for a leaf
  std::size_t span() const { return node_->span; }
  const Node* node() const { return node_; }

  /// Mode i; mode 0 of a leaf is the leaf. Pre: 0 <= i < rank().
  TupleView mode(int i) const;
  TupleView first() const { return is_leaf() ? *this : TupleView(node_ + 1); }
  TupleView next() const { return TupleView(node_ + node_->span); }  ///< the sibling after this one
  bool operator==(const TupleView& other) const;

 private:
  const Node* node_;
};

class TupleBuilder;

/// An integer or a tuple of IntTuples: shapes, strides and coordinates. Stored flat; up to 12 nodes need no
/// heap.
class IntTuple {
 public:
  IntTuple() : IntTuple(Int(0)) {}
  IntTuple(Int leaf) { nodes_.emplace_back(std::move(leaf), -1, 1u); }  // NOLINT: implicit on purpose
  IntTuple(std::int64_t leaf) : IntTuple(Int(leaf)) {}                  // NOLINT
  IntTuple(int leaf) : IntTuple(Int(leaf)) {}                           // NOLINT
  explicit IntTuple(TupleView view) { nodes_.append(view.node(), view.node() + view.span()); }
  static IntTuple tuple(std::initializer_list<IntTuple> modes);
  static IntTuple tuple(const std::vector<IntTuple>& modes);

  TupleView view() const { return TupleView(nodes_.begin()); }
  operator TupleView() const { return view(); }  // NOLINT
  bool is_leaf() const { return view().is_leaf(); }
  const Int& leaf() const { return view().leaf(); }
  int rank() const { return view().rank(); }
  int depth() const { return view().depth(); }
  IntTuple mode(int i) const { return IntTuple(view().mode(i)); }
  const Node* begin() const { return nodes_.begin(); }
  const Node* end() const { return nodes_.end(); }
  std::size_t node_count() const { return nodes_.size(); }

  bool known() const;                        ///< no leaf is symbolic
  std::vector<std::string> symbols() const;  ///< sorted, each once
  std::string text() const;                  ///< "(8,(2,4))"
  friend bool operator==(const IntTuple& a, const IntTuple& b) { return a.view() == b.view(); }

 private:
  friend class TupleBuilder;
  InlineVector<Node, 12> nodes_;
  explicit IntTuple(InlineVector<Node, 12> nodes) : nodes_(std::move(nodes)) {}
};

/// Builds an IntTuple in pre-order.
class TupleBuilder {
 public:
  void leaf(Int value) { nodes_.emplace_back(std::move(value), -1, 1u); }
  void copy(TupleView view) { nodes_.append(view.node(), view.node() + view.span()); }
  std::size_t open() {
    nodes_.emplace_back(Int(0), 0, 1u);
    return nodes_.size() - 1;
  }
  void close(std::size_t at, int arity) {
    nodes_[at].arity = arity;
    nodes_[at].span = static_cast<std::uint32_t>(nodes_.size() - at);
  }
  std::size_t count() const { return nodes_.size(); }
  /// Forgets the nodes from `count` on.
  void rewind(std::size_t count) {
    while (nodes_.size() > count) nodes_.pop_back();
  }
  IntTuple take() { return IntTuple(std::move(nodes_)); }

 private:
  InlineVector<Node, 12> nodes_;
};

Int product(TupleView t);
IntTuple product_each(TupleView t);  ///< one leaf per mode; a leaf becomes a 1-tuple as in CuTe
IntTuple product_like(TupleView t, TupleView guide);  ///< pre: weakly_congruent(guide, t)
Int sum(TupleView t);
IntTuple flatten(TupleView t);  ///< a leaf stays a leaf; a tuple becomes a tuple of its leaves
std::vector<Int> leaves(TupleView t);
/// 1. Pre: flat has as many leaves as profile. 2. Post: congruent(result, profile).
Result<IntTuple> unflatten(TupleView flat, TupleView profile);
/// Every leaf replaced by `value`.
IntTuple repeat_like(TupleView t, const Int& value);
/// Pads with `with` to `rank` modes; a leaf becomes mode 0. A tuple that has them already is unchanged.
IntTuple append_to_rank(TupleView t, int rank, TupleView with);
IntTuple append(TupleView t, TupleView mode);
IntTuple prepend(TupleView t, TupleView mode);
/// Modes [begin, end) become one mode. Pre: 0 <= begin < end <= rank.
Result<IntTuple> group(TupleView t, int begin, int end);
/// Modes [begin, end) as a tuple. Pre: as group.
Result<IntTuple> take(TupleView t, int begin, int end);

/// Same nesting.
bool congruent(TupleView a, TupleView b);
/// a's nesting is a prefix of b's: every leaf of a stands where b has a leaf or a tuple.
bool weakly_congruent(TupleView a, TupleView b);
/// Coordinates of a are coordinates of b: weakly congruent, with equal sizes at a's leaves. nullopt: depends
/// on symbols.
std::optional<bool> compatible(TupleView a, TupleView b);

/// ceil_div on shapes as CuTe defines it: tuple by tuple elementwise (missing modes of b are 1), tuple by
/// integer folded through the modes, integer by tuple with b's product. 1. Pre: rank(b) <= rank(a).
Result<IntTuple> ceil_div(TupleView a, TupleView b);

}  // namespace cutelab::layout
