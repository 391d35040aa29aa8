// room: reading
// Any bytes as a CuTe DSL source: the reading ends, by a limit if need be, and says what it could not follow.
#include <cstdint>
#include <string>

#include "reading/read.h"

namespace {
class OneFile final : public cutelab::FileSource {
 public:
  explicit OneFile(std::string text) : text_(std::move(text)) {}
  cutelab::Result<std::string> read(const std::string& path, std::uint64_t) const override {
    if (path == "fuzz.py") return text_;
    return cutelab::Error{cutelab::ErrorKind::input, "read " + path, "no such file", path, ""};
  }
  cutelab::Result<cutelab::FileStatus> status(const std::string& path) const override {
    if (path == "fuzz.py") return cutelab::FileStatus{text_.size(), 0, false};
    return cutelab::Error{cutelab::ErrorKind::input, "stat " + path, "no such file", path, ""};
  }
  cutelab::Result<std::vector<std::string>> list(const std::string&,
                                                 std::vector<std::string>*) const override {
    return std::vector<std::string>();
  }

 private:
  std::string text_;
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const OneFile files(std::string(reinterpret_cast<const char*>(data), size));
  cutelab::reading::Request request;
  request.path = "fuzz.py";
  const auto reading = cutelab::reading::read(request, files);
  return reading && reading->patterns.size() != 10 ? __builtin_trap(), 0 : 0;
}
