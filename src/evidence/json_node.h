// One value of a parsed JSON document with its path, and readers of it that throw Malformed. For the readers
// of this room.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cutelab::evidence::json_node {
using ParsedJson = nlohmann::json;

/// Thrown by readers only; becomes an Error at its border.
struct Malformed {
  std::string path;
  std::string wrong;
};

/// One JSON value with its path from the root, so that an error names the member.
class Node {
 public:
  Node(const ParsedJson& json, std::string path) : json_(json), path_(std::move(path)) {}

  Node member(const char* name) const {
    if (!json_.is_object()) fail("is not an object");
    const auto it = json_.find(name);
    if (it == json_.end()) fail(fmt::format("has no member '{}'", name));
    return {*it, path_.empty() ? name : fmt::format("{}.{}", path_, name)};
  }

  /// A member that older documents of the same version have not.
  std::optional<Node> optional(const char* name) const {
    if (!json_.is_object() || !json_.contains(name)) return std::nullopt;
    return member(name);
  }

  bool null() const { return json_.is_null(); }

  std::string string() const {
    if (!json_.is_string()) fail("is not a string");
    return json_.get<std::string>();
  }
  std::string string_or_null() const { return null() ? std::string() : string(); }
  bool boolean() const {
    if (!json_.is_boolean()) fail("is not true or false");
    return json_.get<bool>();
  }
  /// A number, or the name of one that JSON cannot write.
  double number() const {
    if (json_.is_string()) return non_finite();
    if (!json_.is_number()) fail("is not a number");
    return json_.get<double>();
  }
  double non_finite() const {
    const std::string name = string();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "-inf") return -std::numeric_limits<double>::infinity();
    fail("is not one of nan, inf, -inf");
  }
  std::int64_t integer() const {
    if (!json_.is_number_integer()) fail("is not an integer");
    if (json_.is_number_unsigned() && json_.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
      fail("is an integer beyond 64 bits");
    return json_.get<std::int64_t>();
  }
  template <class Int>
  Int small() const {
    const std::int64_t n = integer();
    if (n < std::numeric_limits<Int>::min() || n > std::numeric_limits<Int>::max()) fail("is out of range");
    return static_cast<Int>(n);
  }

  template <class Each>
  auto list(const Each& each) const {
    if (!json_.is_array()) fail("is not a list");
    std::vector<decltype(each(*this))> out;
    out.reserve(json_.size());
    for (std::size_t i = 0; i < json_.size(); ++i)
      out.push_back(each(Node(json_[i], fmt::format("{}[{}]", path_, i))));
    return out;
  }

  std::vector<std::string> strings() const {
    return list([](const Node& node) { return node.string(); });
  }

  template <class Each>
  auto map(const Each& each) const {
    if (!json_.is_object()) fail("is not an object");
    std::map<std::string, decltype(each(*this))> out;
    for (const auto& [name, value] : json_.items())
      out.emplace(name, each(Node(value, fmt::format("{}.{}", path_, name))));
    return out;
  }

  const ParsedJson& json() const { return json_; }
  [[noreturn]] void fail(std::string wrong) const { throw Malformed{path_, std::move(wrong)}; }

 private:
  const ParsedJson& json_;
  std::string path_;
};

}  // namespace cutelab::evidence::json_node
