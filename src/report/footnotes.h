#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::report {

/// Reasons that a report would say several times, said once below it instead.
/// ```
/// | Duration (us) | - | [1] |
/// | Power (W)     | - | [1] |
/// …
/// [1] load the CUDA driver: libcuda.so.1: cannot open shared object file: No such file or directory
/// ```
class Footnotes {
 public:
  /// `said`: every reason of the report, as often as it occurs. What occurs once stays where it is.
  explicit Footnotes(const std::vector<std::string>& said);

  /// "[1]" for a reason that occurs several times, else the reason itself.
  std::string mark(const std::string& reason) const;
  /// `text` with "[1]" in place of the reason, or of the reason without its first words ("not compiled: …").
  std::string within(std::string text) const;
  /// A paragraph per footnote; empty without any.
  std::string legend(int width) const;

 private:
  std::vector<std::string> notes_;
};

}  // namespace cutelab::report
