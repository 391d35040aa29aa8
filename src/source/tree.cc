#include "source/tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>

#include "source/blank_macros.h"
#include "source/python/outline.h"
#include "source/python/parse.h"

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_cuda(void);
}

namespace cutelab::source {
namespace {
/// A grammar with our names of its symbols and fields.
struct Language {
  explicit Language(const TSLanguage* l) : language(l) {
    for (std::uint32_t s = 0; s < ts_language_symbol_count(l); ++s) {
      const auto type = ts_language_symbol_type(l, static_cast<TSSymbol>(s));
      const std::string_view name = ts_language_symbol_name(l, static_cast<TSSymbol>(s));
      names.push_back(name);
      kinds.push_back(type == TSSymbolTypeRegular ? kind_named(name) : Kind::op);
    }
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const auto [name, named] = python::shape_names[s];
      shapes[s] = ts_language_symbol_for_name(l, name.data(), static_cast<std::uint32_t>(name.size()), named);
    }
    fields.push_back(Field::no_field);
    for (std::uint32_t f = 1; f <= ts_language_field_count(l); ++f)
      fields.push_back(field_named(ts_language_field_name_for_id(l, static_cast<TSFieldId>(f))));
  }
  Kind kind_of(TSSymbol symbol) const { return symbol < kinds.size() ? kinds[symbol] : Kind::error; }
  std::string_view name_of(TSSymbol symbol) const { return symbol < names.size() ? names[symbol] : "ERROR"; }

  const TSLanguage* language;
  std::vector<Kind> kinds;
  std::vector<std::string_view> names;
  std::vector<Field> fields;
  std::array<TSSymbol, static_cast<std::size_t>(python::Shape::count)>
      shapes;  ///< symbols of our own parser's nodes
};

const Language& language_of(Grammar grammar) {
  static const Language python(tree_sitter_python());
  static const Language cuda(tree_sitter_cuda());
  return grammar == Grammar::python ? python : cuda;
}

struct TreeDelete {
  void operator()(TSTree* t) const { ts_tree_delete(t); }
};
struct ParserDelete {
  void operator()(TSParser* p) const { ts_parser_delete(p); }
};

constexpr std::size_t most_problems = 200;
}  // namespace

/// Copies tree-sitter's tree into preorder entries: named nodes, and those tokens that carry a field or an
/// operator.
class Flattener {
 public:
  Flattener(Tree& tree, const Language& language) : tree_(tree), language_(language) {}

  void flatten(TSNode root) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    std::vector<std::uint32_t> open;  // indices of the entries that enclose the cursor; kept entries only
    std::vector<bool> kept;           // per cursor level: whether that level's node has an entry
    for (;;) {
      kept.push_back(visit(cursor, open));
      if (ts_tree_cursor_goto_first_child(&cursor)) continue;
      while (!leave_and_step(cursor, open, kept)) {
        if (kept.empty()) {
          ts_tree_cursor_delete(&cursor);
          return;
        }
      }
    }
  }

 private:
  /// Closes the cursor's node; true when the cursor moved to a sibling, false when it moved up (or was the
  /// root).
  bool leave_and_step(TSTreeCursor& cursor, std::vector<std::uint32_t>& open, std::vector<bool>& kept) {
    if (kept.back()) {
      tree_.entries_[open.back()].after = tree_.size();
      open.pop_back();
    }
    kept.pop_back();
    if (ts_tree_cursor_goto_next_sibling(&cursor)) return true;
    ts_tree_cursor_goto_parent(&cursor);
    return false;
  }

  bool visit(TSTreeCursor& cursor, std::vector<std::uint32_t>& open) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const TSSymbol symbol = ts_node_symbol(node);
    const TSFieldId field_id = ts_tree_cursor_current_field_id(&cursor);
    const Field field = field_id < language_.fields.size() ? language_.fields[field_id] : Field::no_field;
    const Kind kind = language_.kind_of(symbol);
    note_problem(node, kind);
    if (!ts_node_is_named(node) && field == Field::no_field) return false;
    const std::uint32_t parent = open.empty() ? 0 : open.back();
    tree_.entries_.push_back(
        {ts_node_start_byte(node), ts_node_end_byte(node), parent, 0, kind, symbol, field});
    open.push_back(tree_.size() - 1);
    tree_.deepest_ = std::max(tree_.deepest_, static_cast<int>(open.size()));
    return true;
  }

  void note_problem(TSNode node, Kind kind) {
    const bool missing = ts_node_is_missing(node);
    if ((kind != Kind::error && !missing) || tree_.problems_.size() >= most_problems) return;
    const TSPoint begin = ts_node_start_point(node), end = ts_node_end_point(node);
    Problem problem;
    problem.what = missing ? "missing \"" + std::string(ts_node_type(node)) + "\"" : "syntax error";
    problem.span = {ts_node_start_byte(node), ts_node_end_byte(node), begin.row + 1, end.row + 1,
                    begin.column + 1};
    tree_.problems_.push_back(std::move(problem));
  }

  Tree& tree_;
  const Language& language_;
};

/// Turns nodes in the order of their ends (python::Made) into preorder entries, from the last to the first:
/// then each node's place is known from its parent's.
class PreorderWriter {
 public:
  PreorderWriter(Tree& tree, const Language& language) : tree_(tree), language_(language) {}

  void write(const std::vector<python::Made>& nodes) {
    const auto size = static_cast<std::uint32_t>(nodes.size());
    tree_.entries_.resize(size);
    struct Open {
      std::uint32_t index;  ///< in the tree
      std::uint32_t first;  ///< the node with which its subtree begins, among `nodes`
    };
    std::vector<Open> open;
    std::size_t deepest = 0;
    for (std::uint32_t i = size; i-- > 0;) {
      while (!open.empty() && i < open.back().first) open.pop_back();
      const python::Made& node = nodes[i];
      const std::uint32_t first = i + 1 - node.size;
      // Before it stand all nodes that end before its first descendant, and the nodes around it.
      const auto index = first + static_cast<std::uint32_t>(open.size());
      const TSSymbol symbol = language_.shapes[static_cast<std::size_t>(node.shape)];
      tree_.entries_[index] = {node.begin,
                               node.end,
                               open.empty() ? 0 : open.back().index,
                               index + node.size,
                               language_.kinds[symbol],
                               symbol,
                               node.field};
      deepest = std::max(deepest, open.size() + 1);
      if (node.size > 1) open.push_back({index, first});
    }
    tree_.deepest_ = static_cast<int>(deepest);
  }

 private:
  Tree& tree_;
  const Language& language_;
};

void Tree::find_lines() {
  line_begin_.reserve(text_.size() / 32 + 1);
  for (std::uint32_t at = 0; at <= text_.size();) {
    line_begin_.push_back(at);
    const auto end = text_.find('\n', at);
    if (end == std::string::npos) break;
    at = static_cast<std::uint32_t>(end) + 1;
  }
}

void Tree::index_kinds() const {
#define CUTELAB_ONE(name) +1
  constexpr std::size_t kinds =
      static_cast<std::size_t>(Kind::float_literal) + 1 CUTELAB_SOURCE_KINDS(CUTELAB_ONE);
#undef CUTELAB_ONE
  kind_begin_.assign(kinds + 1, 0);
  for (const Entry& entry : entries_) ++kind_begin_[static_cast<std::size_t>(entry.kind) + 1];
  for (std::size_t k = 0; k < kinds; ++k) kind_begin_[k + 1] += kind_begin_[k];
  by_kind_.resize(entries_.size());
  std::vector<std::uint32_t> next(kind_begin_.begin(), kind_begin_.end() - 1);
  for (std::uint32_t i = 0; i < size(); ++i) by_kind_[next[static_cast<std::size_t>(entries_[i].kind)]++] = i;
}

Tree::Nodes Tree::all(Kind kind) const {
  if (kind_begin_.empty()) index_kinds();
  const auto k = static_cast<std::size_t>(kind);
  return {this, by_kind_.data() + kind_begin_[k], by_kind_.data() + kind_begin_[k + 1]};
}

std::vector<Node> Tree::all(std::initializer_list<Kind> kinds) const {
  std::vector<Node> out;
  for (const Kind kind : kinds)
    for (const Node n : all(kind)) out.push_back(n);
  std::sort(out.begin(), out.end(), [](Node a, Node b) { return a.index() < b.index(); });
  return out;
}

std::unique_ptr<Tree> Tree::parse(Grammar grammar, std::string text, ParseBy by, Extent extent) {
  auto tree = std::make_unique<Tree>();
  tree->grammar_ = grammar;
  tree->text_ = extent == Extent::outline ? python::outline(std::move(text)) : std::move(text);
  tree->find_lines();
  const Language& language = language_of(grammar);
  if (grammar == Grammar::python && by == ParseBy::fastest) {
    if (const auto nodes = python::parse(tree->text_)) {
      PreorderWriter(*tree, language).write(*nodes);
      tree->parsed_by_ = ParseBy::fastest;
      return tree;
    }
  }
  std::string blanked;
  if (grammar == Grammar::cuda) blanked = blank_macros(tree->text_);
  const std::string& parsed = grammar == Grammar::cuda ? blanked : tree->text_;
  std::unique_ptr<TSParser, ParserDelete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), language.language);
  std::unique_ptr<TSTree, TreeDelete> parsed_tree(ts_parser_parse_string(
      parser.get(), nullptr, parsed.data(), static_cast<std::uint32_t>(parsed.size())));
  tree->entries_.reserve(parsed.size() / 6 + 16);
  if (parsed_tree) Flattener(*tree, language).flatten(ts_tree_root_node(parsed_tree.get()));
  if (tree->entries_.empty())
    tree->entries_.push_back(
        {0, static_cast<std::uint32_t>(parsed.size()), 0, 1, Kind::error, 0, Field::no_field});
  return tree;
}

std::string_view Tree::line(int number) const {
  if (number < 1 || number > lines()) return {};
  const auto begin = line_begin_[static_cast<std::size_t>(number) - 1];
  const auto end = number < lines() ? line_begin_[static_cast<std::size_t>(number)] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

int Tree::line_of(std::uint32_t byte, int after) const {
  // Most nodes end on the line they begin on.
  const auto next = static_cast<std::size_t>(after) + 1;
  if (after > 0 && (next >= line_begin_.size() || byte < line_begin_[next])) return after + 1;
  return static_cast<int>(std::upper_bound(line_begin_.begin() + after, line_begin_.end(), byte) -
                          line_begin_.begin());
}

std::string_view Node::kind_name() const {
  return tree_ ? language_of(tree_->grammar_).name_of(tree_->entries_[index_].symbol) : std::string_view();
}

Span Node::span() const {
  if (!tree_) return {};
  const auto& e = tree_->entries_[index_];
  const int first_line = tree_->line_of(e.begin);
  const int last_line = tree_->line_of(e.end > e.begin ? e.end - 1 : e.end, first_line - 1);
  return {e.begin, e.end, static_cast<std::uint32_t>(first_line), static_cast<std::uint32_t>(last_line),
          e.begin - tree_->line_begin_[static_cast<std::size_t>(first_line) - 1] + 1};
}

int Node::line() const { return tree_ ? tree_->line_of(tree_->entries_[index_].begin) : 0; }

int Node::end_line() const {
  if (!tree_) return 0;
  const auto& e = tree_->entries_[index_];
  return tree_->line_of(e.end > e.begin ? e.end - 1 : e.end);
}

Node Node::enclosing(Kind k) const {
  constexpr int few_steps = 48;
  Node n = *this;
  for (int step = 0; n && !n.is(k); ++step) {
    if (step == few_steps) return tree_->enclosing_by_index(n.index(), k);
    n = n.parent();
  }
  return n;
}

/// However deep it lies: from the last node of that kind in front of it, through those above each other.
Node Tree::enclosing_by_index(std::uint32_t inner, Kind kind) const {
  constexpr std::uint32_t none = 0xffffffff;
  if (kind_begin_.empty()) index_kinds();
  if (kind_above_.empty()) {
    kind_above_.assign(by_kind_.size(), none);
    for (std::size_t k = 0; k + 1 < kind_begin_.size(); ++k) {
      std::vector<std::uint32_t> open;
      for (std::uint32_t at = kind_begin_[k]; at < kind_begin_[k + 1]; ++at) {
        while (!open.empty() && entries_[by_kind_[open.back()]].after <= by_kind_[at]) open.pop_back();
        if (!open.empty()) kind_above_[at] = open.back();
        open.push_back(at);
      }
    }
  }
  const auto begin = by_kind_.begin() + kind_begin_[static_cast<std::size_t>(kind)];
  const auto end = by_kind_.begin() + kind_begin_[static_cast<std::size_t>(kind) + 1];
  const auto behind = std::upper_bound(begin, end, inner);
  if (behind == begin) return {};
  auto at = static_cast<std::uint32_t>(behind - by_kind_.begin()) - 1;
  while (at != none && entries_[by_kind_[at]].after <= inner) at = kind_above_[at];
  return at == none ? Node() : Node(this, by_kind_[at]);
}

std::vector<Node> Node::Children::all() const {
  std::vector<Node> out;
  for (const Node c : *this) out.push_back(c);
  return out;
}

}  // namespace cutelab::source
