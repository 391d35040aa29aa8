#pragma once
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/literal.h"
#include "base/result.h"
#include "base/span.h"
#include "source/kinds.h"

namespace cutelab::source {

enum class Grammar { python, cuda };

/// Which parser makes a tree. The trees are the same; tree-sitter alone recovers from syntax errors.
enum class ParseBy {
  fastest,      ///< for Python the parser of src/source/python, and tree-sitter for what that does not accept
  tree_sitter,  ///< the reference
};

/// How much of a Python text is parsed.
enum class Extent {
  whole,
  outline,  ///< all but the bodies of functions: they are `pass`
};

class Tree;

/// One node of a parsed source: a handle of two words, valid as long as its Tree. A default-made Node is "no
/// node"; asking it for anything gives "no node" again, so chains of questions need no checks.
class Node {
 public:
  Node() = default;
  Node(const Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  Kind kind() const;
  bool is(Kind k) const { return kind() == k; }
  std::string_view kind_name() const;  ///< the grammar's own name
  std::string_view text() const;
  Span span() const;
  std::uint32_t first_byte() const;
  std::uint32_t end_byte() const;  ///< after its last
  int line() const;                ///< first line, 1-based; 0 = no node
  int end_line() const;            ///< last line
  Node parent() const;
  Node child(Field field) const;    ///< first child with that field
  Node first() const;               ///< first child, operators included
  Node next() const;                ///< next sibling
  Field field() const;              ///< the field it has in its parent
  bool contains(Node inner) const;  ///< inner is this node or below it
  /// Nearest node of that kind at or above this one.
  Node enclosing(Kind k) const;

  std::uint32_t index() const { return index_; }  ///< preorder number in its tree
  std::uint32_t end_index() const;                ///< preorder number after its last descendant
  const Tree* tree() const { return tree_; }
  friend bool operator==(const Node&, const Node&) = default;

  class Children;
  Children children() const;  ///< in source order, comments left out

 private:
  const Tree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

class Node::Children {
 public:
  class Iterator {
   public:
    explicit Iterator(Node at) : at_(at) { skip_comments(); }
    Node operator*() const { return at_; }
    Iterator& operator++() {
      at_ = at_.next();
      skip_comments();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return !(at_ == other.at_); }

   private:
    void skip_comments() {
      while (at_.is(Kind::comment)) at_ = at_.next();
    }
    Node at_;
  };
  explicit Children(Node first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(Node()); }
  std::vector<Node> all() const;

 private:
  Node first_;
};

inline Node::Children Node::children() const { return Children(first()); }

struct Problem {
  std::string what;  ///< "syntax error", "missing \")\""
  Span span;
};

/// A parsed source text. Parsing never fails: what cannot be parsed is an error node and a problem. The tree
/// is kept flat in preorder (an index range is a subtree), so no walk needs the call stack however deep the
/// source nests.
class Tree {
 public:
  /// For CUDA, attribute-like macros that the grammar cannot know are blanked in place first, so offsets and
  /// lines stay true.
  static std::unique_ptr<Tree> parse(Grammar grammar, std::string text, ParseBy by = ParseBy::fastest,
                                     Extent extent = Extent::whole);

  Grammar grammar() const { return grammar_; }
  ParseBy parsed_by() const { return parsed_by_; }
  const std::string& text() const { return text_; }  ///< as given
  Node root() const { return Node(this, 0); }
  Node at(std::uint32_t index) const { return Node(this, index); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// The nodes of one kind, or of several, in source order. The first question makes an index of all of them.
  class Nodes;
  Nodes all(Kind kind) const;
  std::vector<Node> all(std::initializer_list<Kind> kinds) const;
  int lines() const { return static_cast<int>(line_begin_.size()); }
  std::string_view line(int number) const;  ///< 1-based, without its newline; empty beyond the end
  const std::vector<Problem>& problems() const { return problems_; }
  int deepest() const { return deepest_; }  ///< nesting depth of the deepest node

 private:
  friend class Node;
  friend class Flattener;
  friend class PreorderWriter;
  struct Entry {
    std::uint32_t begin, end;
    std::uint32_t parent;
    std::uint32_t after;  ///< preorder number after the subtree
    Kind kind;
    std::uint16_t symbol;
    Field field;
  };
  void find_lines();
  void index_kinds() const;
  Node enclosing_by_index(std::uint32_t inner, Kind kind) const;
  int line_of(std::uint32_t byte) const { return line_of(byte, 0); }
  int line_of(std::uint32_t byte, int after) const;  ///< when it is known to stand on a line beyond `after`
  Grammar grammar_ = Grammar::python;
  ParseBy parsed_by_ = ParseBy::tree_sitter;
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> line_begin_;
  mutable std::vector<std::uint32_t> by_kind_;     ///< preorder numbers, ordered by kind
  mutable std::vector<std::uint32_t> kind_begin_;  ///< by kind, where its numbers begin in by_kind_
  mutable std::vector<std::uint32_t> kind_above_;  ///< beside by_kind_: the place of the nearest above it
  std::vector<Problem> problems_;
  int deepest_ = 0;
};

class Tree::Nodes {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, const std::uint32_t* at) : tree_(tree), at_(at) {}
    Node operator*() const { return Node(tree_, *at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Tree* tree_;
    const std::uint32_t* at_;
  };
  Nodes(const Tree* tree, const std::uint32_t* begin, const std::uint32_t* end)
      : tree_(tree), begin_(begin), end_(end) {}
  Iterator begin() const { return {tree_, begin_}; }
  Iterator end() const { return {tree_, end_}; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

 private:
  const Tree* tree_;
  const std::uint32_t *begin_, *end_;
};

// The questions that every walk asks, for each node: inline.

inline Kind Node::kind() const { return tree_ ? tree_->entries_[index_].kind : Kind::none_at_all; }
inline Field Node::field() const { return tree_ ? tree_->entries_[index_].field : Field::no_field; }
inline std::uint32_t Node::end_index() const { return tree_ ? tree_->entries_[index_].after : 0; }

inline std::uint32_t Node::first_byte() const { return tree_ ? tree_->entries_[index_].begin : 0; }
inline std::uint32_t Node::end_byte() const { return tree_ ? tree_->entries_[index_].end : 0; }

inline std::string_view Node::text() const {
  if (!tree_) return {};
  const auto& e = tree_->entries_[index_];
  return std::string_view(tree_->text_).substr(e.begin, e.end - e.begin);
}

inline Node Node::parent() const {
  return tree_ && index_ != 0 ? Node(tree_, tree_->entries_[index_].parent) : Node();
}

inline Node Node::first() const {
  if (!tree_ || index_ + 1 >= tree_->entries_[index_].after) return {};
  return Node(tree_, index_ + 1);
}

inline Node Node::next() const {
  if (!tree_ || index_ == 0) return {};
  const auto& e = tree_->entries_[index_];
  return e.after < tree_->entries_[e.parent].after ? Node(tree_, e.after) : Node();
}

inline Node Node::child(Field field) const {
  if (!tree_) return {};
  const auto* entries = tree_->entries_.data();
  const std::uint32_t end = entries[index_].after;
  for (std::uint32_t i = index_ + 1; i < end; i = entries[i].after)
    if (entries[i].field == field && entries[i].kind != Kind::comment) return Node(tree_, i);
  return {};
}

inline bool Node::contains(Node inner) const {
  return tree_ && tree_ == inner.tree_ && inner.index_ >= index_ && inner.index_ < end_index();
}

}  // namespace cutelab::source
