#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace cutelab::cli {

/// Something that takes long, told on stderr: on a terminal as one line that goes when it is over, elsewhere
/// as one line when it begins and one when it is over. Nothing is told before begin().
class Progress {
 public:
  explicit Progress(const Context& context) : context_(context) {}
  ~Progress();  ///< ends it
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `what`: "compiling rmsnorm v0"; `usual`: usual_time().
  void begin(const std::string& what, const std::string& usual);

 private:
  const Context& context_;
  std::string what_;  ///< empty: not begun
  std::int64_t since_ns_ = 0;
};

/// "earlier ones took 12 to 41 s": of sorted seconds the middle four fifths. None: it is not known yet.
std::string usual_time(const std::vector<double>& seconds);

}  // namespace cutelab::cli
