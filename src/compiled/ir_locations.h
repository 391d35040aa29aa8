#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cutelab::compiled::ir {

using Id = std::uint32_t;
inline constexpr Id none = ~Id{0};

/// One frame of a call chain.
struct Frame {
  std::string_view function;  ///< "PipelineTmaAsync.create", as Python qualifies it; may be empty
  std::string_view path;
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< from 1
};

/// Locations of a module: files, names around them, call chains, and aliases of them (#loc12), which may be
/// used before they are defined.
class Locations {
 public:
  /// The place of alias number `number`, made on first use.
  Id alias(std::uint32_t number);
  /// Parses the expression between the parentheses of loc(…). `none` where it is not understood.
  Id parse(std::string_view text);
  /// #loc<number> = loc(<text>).
  void define(std::uint32_t number, std::string_view text);

  /// Frames from the innermost outwards; at most `limit`, also where aliases form a ring.
  std::vector<Frame> chain(Id location, std::size_t limit = 64) const;
  std::size_t size() const { return nodes_.size(); }
  /// Calls `visit(path, line)` for each place in a file.
  template <class Visit>
  void visit_files(const Visit& visit) const {
    for (const Node& node : nodes_)
      if (node.kind == Kind::file) visit(node.text, node.line);
  }

 private:
  enum class Kind : std::uint8_t { unknown, file, name, call, fused };
  struct Node {
    Kind kind = Kind::unknown;
    std::string_view text;  ///< path, or name
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    Id inner = none;  ///< of a name: what it wraps; of a call: the callee; of a fused one: its first
    Id outer = none;  ///< of a call: the caller
  };
  class Reader;

  std::vector<Node> nodes_;
  std::vector<Id> aliases_;
};

}  // namespace cutelab::compiled::ir
