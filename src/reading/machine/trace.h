#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "reading/machine/value.h"

namespace cutelab::reading::machine {

/// One running of a function body: who called it, from where.
struct Activation {
  int caller = -1;    ///< activation of the call; -1 = the main program
  source::Node call;  ///< no node = not entered through a call of the source
  int call_module = -1;
  int module = 0;
  int function = -1;  ///< in PythonModule::functions(); -1 = module level or lambda
};

/// What the run saw, by node: the value of each expression in each activation, and which statements ran.
class Trace {
 public:
  struct Seen {
    int activation = 0;
    int latest = 0;  ///< highest activation of this entry and those after it
    Value value;     ///< the last one; unbound for a statement
    std::int32_t next = -1;
    bool varied = false;     ///< had different values in this activation (a loop)
    std::uint8_t count = 1;  ///< this entry and those after it
  };

  int enter(Activation activation);
  const std::vector<Activation>& activations() const { return activations_; }
  void note(int module, source::Node node, int activation, const Value& value);
  bool ran(int module, source::Node node) const { return head(module, node) >= 0; }
  /// Newest first; -1 = none. Follow Seen::next.
  std::int32_t head(int module, source::Node node) const;
  const Seen& seen(std::int32_t index) const { return seen_[static_cast<std::size_t>(index)]; }
  /// Whether a function's body was entered, and left in the ordinary way each time.
  bool entered(int module, int function) const;
  bool finished(int module, int function) const;
  void finish(int activation, bool ordinary);
  void supersede(int first, int end) { superseded_.emplace_back(first, end); }
  bool superseded(int activation) const {
    for (const auto& [first, end] : superseded_)
      if (activation >= first && activation < end) return true;
    return false;
  }

 private:
  static constexpr int most_per_node = 24;
  std::vector<Activation> activations_;
  std::vector<char> ordinary_;
  std::vector<std::pair<int, int>> superseded_;
  std::vector<Seen> seen_;
  std::vector<std::vector<std::int32_t>> heads_;
};

}  // namespace cutelab::reading::machine
