#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/literal.h"
#include "base/span.h"

namespace cutelab::evidence {

/// A place in one of a reading's files. `file` indexes Reading::files (0 = the file that was asked for).
struct Location {
  int file = 0;
  Span span;
  bool known() const { return span.known(); }
  int line() const { return static_cast<int>(span.line); }
  friend bool operator==(const Location&, const Location&) = default;
};

/// What a value depends on and why it could not be determined. Never a guess.
struct Undetermined {
  std::string reason;  ///< "needs evaluation", "known only at run time", "unsupported construct: lambda"
  std::vector<std::string>
      depends_on;  ///< "self.num_ab_stage", "--mma_tiler_mn", "utils.HardwareInfo().get_max_active_clusters"
  Location at;     ///< where the reading stopped
  friend bool operator==(const Undetermined&, const Undetermined&) = default;
};

enum class KnownBy {
  literal,   ///< stands in the source as it is
  computed,  ///< evaluated from the source; `formula` says how
  compiled,  ///< the compiler's intermediate form or the cubin says so
  recorded,  ///< a recorded launch says so
  measured   ///< a run on a device says so
};

/// A determined or undetermined value with its origin.
struct Value {
  using List = std::vector<Value>;
  using Data = std::variant<Undetermined, bool, std::int64_t, double, std::string, List>;
  Data data = Undetermined{};
  std::string formula;  ///< the expression as the source spells it; empty for a plain literal
  KnownBy known_by = KnownBy::literal;
  std::vector<Location> origins;  ///< assignments that led here, first is nearest

  bool determined() const;  ///< a list is determined when all its items are
  std::optional<std::int64_t> integer() const;
  std::optional<bool> boolean() const;
  const std::string* string() const { return std::get_if<std::string>(&data); }
  const List* list() const { return std::get_if<List>(&data); }
  const Undetermined* undetermined() const { return std::get_if<Undetermined>(&data); }

  /// "4", "(128, 256, 64)", "true", "?" (undetermined); for people.
  std::string text() const;

  friend bool operator==(const Value&, const Value&) = default;
};

Value literal(std::int64_t v);
Value literal(bool v);
Value literal(std::string v);
Value literal(const char* v);
Value undetermined(std::string reason, std::vector<std::string> depends_on, Location at, std::string formula);

}  // namespace cutelab::evidence
