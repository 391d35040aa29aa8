#pragma once
#include <string>
#include <vector>

namespace cutelab::device {

/// Named ranges for a profiler that watches this process (NVTX). Without the library, or with nothing
/// watching, a range costs nothing and does nothing.
class Nvtx {
 public:
  /// nvtxRangePushA and nvtxRangePop.
  using Push = int (*)(const char*);
  using Pop = int (*)();

  Nvtx() = default;
  Nvtx(Push begin, Pop end) : push_(begin), pop_(end) {}
  /// The first of `paths` that opens and has both functions, kept as long as the process.
  static Nvtx open(const std::vector<std::string>& paths);

  bool there() const { return push_ && pop_; }
  void push(const std::string& name) const {
    if (there()) push_(name.c_str());
  }
  void pop() const {
    if (there()) pop_();
  }

 private:
  Push push_ = nullptr;
  Pop pop_ = nullptr;
};

/// libnvtx3interop of CUDA 13, libnvToolsExt of older ones: in the loader's own folders, then in those of the
/// files `beside`.
std::vector<std::string> nvtx_paths(const std::vector<std::string>& beside);

}  // namespace cutelab::device
