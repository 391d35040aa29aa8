#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cutelab {

/// What a child process may say to its parent while it works.
class Isolated {
 public:
  explicit Isolated(int descriptor) : descriptor_(descriptor) {}
  /// Handed to the parent as it is. What was told before the child ends, however it ends, is kept.
  void tell(std::string_view message) const { write_frame('m', message); }
  /// Names what is being done from here on. Only limited phases are stopped by the time limit.
  void phase(std::string_view name, bool limited) const { write_frame(limited ? 'l' : 'u', name); }
  /// Said by run_isolated() itself once the work has returned.
  void done() const { write_frame('d', ""); }

 private:
  void write_frame(char kind, std::string_view text) const;
  int descriptor_;
};

/// How the child ended.
struct IsolatedEnd {
  /// `left`: the process exited by itself, by code that called exit(), before the work was done.
  enum class How { returned, time_limit, signal, left };
  How how = How::returned;
  int signal = 0;
  std::string phase;         ///< the last that it named
  double phase_seconds = 0;  ///< how long it was in it
};

/// Runs `work` in a forked child, so that a crash, a hang or a broken driver there leaves this process as it
/// was. `hear` gets each message here, in order. A limited phase that lasts longer than `limit_seconds` ends
/// the child. The child dies with its parent. Its standard output is the standard error stream. Call it from
/// a process without other threads, before it has used what does not survive a fork (the CUDA driver). Error
/// (kind unavailable): no child could be made.
Result<IsolatedEnd> run_isolated(const std::function<void(const Isolated&)>& work, double limit_seconds,
                                 const std::function<void(std::string)>& hear);

}  // namespace cutelab
