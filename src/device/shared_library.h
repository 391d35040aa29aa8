#pragma once
#include <string>
#include <utility>

namespace cutelab::device {

/// A library opened with dlopen; closed with the object. `missing()` says why it is not there.
class SharedLibrary {
 public:
  /// Whether the code stays in the process after the object is gone: CUPTI leaves hooks in the driver that
  /// are called while the process ends.
  enum class Stay { until_closed, for_good };
  SharedLibrary() = default;
  explicit SharedLibrary(const std::string& path, Stay stay = Stay::until_closed);
  SharedLibrary(SharedLibrary&& other) noexcept { swap(other); }
  SharedLibrary& operator=(SharedLibrary&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedLibrary();

  bool loaded() const { return handle_ != nullptr; }
  const std::string& missing() const { return missing_; }
  void* find(const char* symbol) const;  ///< nullptr if it is not there

  /// The function `symbol` as a pointer of type F, nullptr if it is not there.
  template <class F>
  F function(const char* symbol) const {
    return reinterpret_cast<F>(find(symbol));
  }

 private:
  void swap(SharedLibrary& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(missing_, other.missing_);
  }
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace cutelab::device
