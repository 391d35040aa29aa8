#pragma once
#include <random>
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "evidence/run.h"

namespace cutelab::evidence::testing {

/// Seeded readings and runs that use every member, every variant and hostile text.
class RandomEvidence {
 public:
  explicit RandomEvidence(unsigned seed) : random_(seed) {}
  Reading reading();
  Run run();

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 0; }
  std::string text();
  std::vector<std::string> texts();
  Location location(const Reading& reading);
  std::vector<Location> locations(const Reading& reading);
  Value value(const Reading& reading, int depth);
  std::map<std::string, Value> values(const Reading& reading);
  Fact fact(const Reading& reading);
  PatternFinding pattern(const Reading& reading, int number);
  Function function(const Reading& reading);

  std::mt19937 random_;
};

}  // namespace cutelab::evidence::testing
