#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// Holds the patterns of a `case` against a value. What they capture is bound by the caller, once all of them
/// match.
class Patterns {
 public:
  using Truth = Machine::Truth;
  using Ask = std::function<Value(source::Node)>;
  /// `lookup` gives the value of a name, `evaluate` that of a literal.
  Patterns(Machine& machine, Ask lookup, Ask evaluate)
      : m_(machine), lookup_(std::move(lookup)), evaluate_(std::move(evaluate)) {}

  Truth matches_all(source::Node clause, const std::vector<source::Node>& parts, const Value& subject);
  const std::vector<std::pair<Symbol, Value>>& captured() const { return captured_; }

 private:
  Truth matches(source::Node written, const Value& subject);
  Truth any_of(source::Node pattern, const Value& subject);
  Truth of_class(source::Node pattern, const Value& subject);
  Truth of_mapping(source::Node pattern, const Value& subject);
  Truth of_sequence(const std::vector<source::Node>& parts, const Value& subject);
  Truth of_name(source::Node pattern, const Value& subject);
  Truth of_literal(source::Node pattern, const Value& subject);
  Value value_named(source::Node dotted);
  std::string name_at(const Value& type, std::size_t place);
  void capture(source::Node name, const Value& value);
  static source::Node inside(source::Node pattern);
  static Truth both(Truth a, Truth b);

  Machine& m_;
  Ask lookup_, evaluate_;
  std::vector<std::pair<Symbol, Value>> captured_;
};

}  // namespace cutelab::reading::machine
