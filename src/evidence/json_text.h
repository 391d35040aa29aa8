#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cutelab::evidence {

/// Writes JSON text straight into a string, indented by two, without a tree of values in between: a reading
/// is some hundred kilobytes of it. The bytes are those that the JSON library writes with dump(2, ' ', false,
/// replace). Calls are trusted to nest: a key before each value of an object, one end for each begin.
class JsonText {
 public:
  /// Appends to `out`, which stays the caller's.
  explicit JsonText(std::string& out) : out_(out) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);  ///< of plain ASCII without a quote: member names, not data

  void null();
  void value(bool b);
  void value(std::int64_t n);
  void value(std::uint32_t n) { value(static_cast<std::int64_t>(n)); }
  void value(int n) { value(static_cast<std::int64_t>(n)); }
  void value(double d);            ///< shortest form that reads back the same; not finite: null
  void value(std::string_view s);  ///< an invalid byte becomes U+FFFD
  void value(const std::string& s) { value(std::string_view(s)); }
  void value(const char* s) { value(std::string_view(s)); }

  template <class T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  void member_null(std::string_view name) {
    key(name);
    null();
  }
  /// A key that is data.
  void data_key(std::string_view name);
  template <class Items, class Each>
  void list(std::string_view name, const Items& items, const Each& each) {
    key(name);
    list(items, each);
  }
  template <class Items, class Each>
  void list(const Items& items, const Each& each) {
    begin_array();
    for (const auto& item : items) each(item);
    end_array();
  }

 private:
  void begin(char bracket);
  void end(char bracket);
  void line(bool comma);
  void before_item();
  void before_value();
  void quoted(std::string_view s);
  std::string& out_;
  std::size_t depth_ = 0;
  bool empty_ = true;  ///< nothing written yet in the innermost array or object
  bool after_key_ = false;
};

}  // namespace cutelab::evidence
