#include "compiled/ir_locations.h"

#include <charconv>

namespace cutelab::compiled::ir {
namespace {
constexpr int most_nested = 64;
constexpr std::uint32_t most_aliases = 1u << 24;
}  // namespace

/// Reads one location expression.
class Locations::Reader {
 public:
  Reader(Locations& locations, std::string_view text) : locations_(locations), text_(text) {}

  Id expression(int depth = 0) {
    skip_spaces();
    if (depth > most_nested || at_ >= text_.size()) return none;
    if (text_[at_] == '"') return named_or_file(depth);
    if (accept("#loc")) return locations_.alias(number());
    if (accept("callsite(")) return call(depth);
    if (accept("fused")) return fused(depth);
    if (accept("loc(")) {
      const Id inner = expression(depth + 1);
      accept(")");
      return inner;
    }
    return none;
  }

 private:
  Id named_or_file(int depth) {
    Node node;
    node.text = string();
    if (accept("(")) {
      node.kind = Kind::name;
      node.inner = expression(depth + 1);
      accept(")");
      return add(node);
    }
    node.kind = Kind::file;
    if (!accept(":")) {
      node.kind = Kind::name;
      return add(node);
    }
    node.line = number();
    if (accept(":")) node.column = number() + 1;
    if (accept(" to ")) {  // the range's end is not used
      while (at_ < text_.size() && (text_[at_] == ':' || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    }
    return add(node);
  }

  Id call(int depth) {
    Node node;
    node.kind = Kind::call;
    node.inner = expression(depth + 1);
    skip_spaces();
    accept("at ");
    node.outer = expression(depth + 1);
    accept(")");
    return add(node);
  }

  Id fused(int depth) {
    const auto open = text_.find('[', at_);
    if (open == std::string_view::npos) return none;
    at_ = open + 1;
    Node node;
    node.kind = Kind::fused;
    node.inner = expression(depth + 1);
    while (accept(",")) expression(depth + 1);
    accept("]");
    return add(node);
  }

  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = at_ < text_.size() ? at_ : text_.size();
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    if (at_ >= text_.size()) return 0;
    const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    return failed == std::errc{} ? value : 0;
  }

  bool accept(std::string_view word) {
    if (at_ > text_.size() || text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  Id add(const Node& node) {
    locations_.nodes_.push_back(node);
    return static_cast<Id>(locations_.nodes_.size() - 1);
  }

  Locations& locations_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Id Locations::alias(std::uint32_t number) {
  if (number >= most_aliases) return none;
  if (number >= aliases_.size()) aliases_.resize(number + number / 2 + 16, none);
  if (aliases_[number] == none) {
    aliases_[number] = static_cast<Id>(nodes_.size());
    nodes_.emplace_back();
  }
  return aliases_[number];
}

Id Locations::parse(std::string_view text) { return Reader(*this, text).expression(); }

void Locations::define(std::uint32_t number, std::string_view text) {
  const Id place = alias(number);
  const Id parsed = parse(text);
  if (place == none || parsed == none) return;
  nodes_[place] = nodes_[parsed];
}

std::vector<Frame> Locations::chain(Id location, std::size_t limit) const {
  struct Pending {
    Id node;
    std::string_view function;
  };
  std::vector<Frame> frames;
  std::vector<Pending> pending{{location, {}}};
  for (std::size_t steps = 0; !pending.empty() && frames.size() < limit && steps < 16 * limit; ++steps) {
    const Pending next = pending.back();
    pending.pop_back();
    if (next.node == none) continue;
    const Node& node = nodes_[next.node];
    switch (node.kind) {
      case Kind::unknown:
        break;
      case Kind::file:
        frames.push_back({next.function, node.text, node.line, node.column});
        break;
      case Kind::name:
        pending.push_back({node.inner, next.function.empty() ? node.text : next.function});
        break;
      case Kind::call:
        pending.push_back({node.outer, {}});
        pending.push_back({node.inner, {}});
        break;
      case Kind::fused:
        pending.push_back({node.inner, next.function});
        break;
    }
  }
  return frames;
}

}  // namespace cutelab::compiled::ir
