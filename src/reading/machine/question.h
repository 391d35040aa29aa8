#pragma once
#include <cstdint>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// A question of truth or equality within others: containers may hold themselves, a __bool__ may ask for
/// itself, and shared parts are asked for again and again. Python ends such in a RecursionError, or in hours.
class Question {
 public:
  explicit Question(int& open) : open_(open) { ++open_; }
  ~Question() { --open_; }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  /// Of truth: each runs code of the program.
  bool too_deep() const { return open_ > 40; }
  /// Of equality: too deep, or one comparison too many.
  bool too_much(std::int64_t& compared) const { return open_ > 400 || ++compared > most_compared; }
  static constexpr std::int64_t most_compared = 4'000'000;

 private:
  int& open_;
};

/// What too_much() comes to is said once.
inline Machine::Truth not_compared(Machine& machine, std::int64_t compared) {
  if (compared == Question::most_compared + 1)
    machine.limit("more than 4,000,000 values are held against each other");
  return Machine::Truth::unknown;
}

}  // namespace cutelab::reading::machine
