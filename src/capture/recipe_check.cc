#include "capture/recipe_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/text.h"

namespace cutelab::capture {
namespace {
using Value = nlohmann::json;

constexpr int deepest = 64;
constexpr std::size_t most_shown = 60;

std::string shown(const Value& value) {
  std::string text = value.dump(-1, ' ', false, Value::error_handler_t::replace);
  if (text.size() > most_shown) text = text.substr(0, most_shown) + "…";
  return printable(text);
}

bool is_word(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), letter);
}

/// "module.below:Class.method"
bool is_named(const Value& value) {
  if (!value.is_string()) return false;
  const std::string text = value.get<std::string>();
  const auto colon = text.find(':');
  if (colon == std::string::npos) return false;
  for (const std::string_view half :
       {std::string_view(text).substr(0, colon), std::string_view(text).substr(colon + 1)})
    for (const std::string_view part : split(half, '.'))
      if (!is_word(part)) return false;
  return true;
}

bool is_count(const Value& value, std::int64_t least) {
  return value.is_number_integer() && value.get<std::int64_t>() >= least &&
         !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
}

/// An extent that only compiles: a number, "n", or "n/8".
bool is_extent(const Value& value) {
  if (!value.is_string()) return is_count(value, 1);
  const std::string text = value.get<std::string>();
  const auto slash = text.find('/');
  if (!is_word(std::string_view(text).substr(0, slash))) return false;
  if (slash == std::string::npos) return true;
  const std::string_view divisor = std::string_view(text).substr(slash + 1);
  return parse_integer(divisor).value_or(0) > 0 &&
         divisor.find_first_not_of("0123456789") == std::string::npos;
}

bool is_order(const Value& value, std::size_t modes) {
  if (!value.is_array() || value.size() != modes) return false;
  std::set<std::int64_t> seen;
  for (const Value& item : value)
    if (!is_count(item, 0) || item.get<std::int64_t>() >= static_cast<std::int64_t>(modes) ||
        !seen.insert(item.get<std::int64_t>()).second)
      return false;
  return true;
}

/// Looks through one value; the first fault stays.
class ValueCheck {
 public:
  void look(const Value& value, const std::string& at, int depth = 0) {
    if (!fault_.empty()) return;
    if (depth > deepest) return wrong(at, "nested too deeply");
    if (value.is_array()) return each(value, at, depth);
    if (!value.is_object()) return;
    if (value.contains("call")) return call(value, at, depth);
    if (value.contains("name")) return name(value, at);
    if (value.contains("tensor")) return tensor(value, at);
    if (value.contains("fake")) return fake(value, at);
    if (value.contains("stream")) return stream(value, at);
    if (value.contains("tuple")) return tuple(value, at, depth);
    for (const auto& [member, below] : value.items()) look(below, at + "." + printable(member), depth + 1);
  }
  /// `at`: "run", then the members to it.
  void wrong(const std::string& at, const std::string& what) {
    if (fault_.empty()) fault_ = at + ": " + what;
  }
  bool calls() const { return calls_; }
  const std::string& fault() const { return fault_; }

 private:
  void each(const Value& list, const std::string& at, int depth) {
    for (std::size_t i = 0; i < list.size(); ++i) look(list[i], fmt::format("{}[{}]", at, i), depth + 1);
  }
  /// No members but these.
  void only(const Value& value, const std::string& at, std::initializer_list<const char*> members) {
    for (const auto& item : value.items())
      if (std::none_of(members.begin(), members.end(),
                       [&](const char* known) { return item.key() == known; }))
        wrong(at, fmt::format("no member '{}' belongs there; known ones: {}", printable(item.key()),
                              fmt::join(members, ", ")));
  }
  void call(const Value& value, const std::string& at, int depth) {
    calls_ = true;
    only(value, at, {"call", "arguments", "keywords"});
    if (!is_named(value["call"]))
      wrong(at + ".call", shown(value["call"]) + " is not of the form \"module:name\"");
    if (const auto it = value.find("arguments"); it != value.end()) {
      if (!it->is_array()) return wrong(at + ".arguments", "it wants a list, not " + shown(*it));
      each(*it, at + ".arguments", depth);
    }
    if (const auto it = value.find("keywords"); it != value.end()) {
      if (!it->is_object()) return wrong(at + ".keywords", "it wants an object, not " + shown(*it));
      for (const auto& [member, below] : it->items())
        look(below, at + ".keywords." + printable(member), depth + 1);
    }
  }
  void name(const Value& value, const std::string& at) {
    only(value, at, {"name"});
    if (!is_named(value["name"]))
      wrong(at + ".name", shown(value["name"]) + " is not of the form \"module:name\"");
  }
  void dtype(const Value& value, const std::string& at) {
    if (const auto it = value.find("dtype"); it != value.end())
      if (!it->is_string() || !is_word(it->get<std::string>()))
        wrong(at + ".dtype", shown(*it) + " is no type's name");
  }
  void order(const Value& value, const char* member, std::size_t modes, const std::string& at) {
    if (const auto it = value.find(member); it != value.end() && !is_order(*it, modes))
      wrong(at + "." + member, fmt::format("{} is no order of {} modes", shown(*it), modes));
  }
  void tensor(const Value& value, const std::string& at) {
    only(value, at, {"tensor", "dtype", "permute", "fill"});
    const Value& extents = value["tensor"];
    if (!extents.is_array() ||
        !std::all_of(extents.begin(), extents.end(), [](const Value& e) { return is_count(e, 0); }))
      return wrong(at + ".tensor", shown(extents) + " is no list of extents (whole numbers from 0 on)");
    dtype(value, at);
    order(value, "permute", extents.size(), at);
    if (const auto it = value.find("fill"); it != value.end() && !it->is_number() && !it->is_boolean())
      wrong(at + ".fill", shown(*it) + " is no number");
  }
  void fake(const Value& value, const std::string& at) {
    only(value, at, {"fake", "dtype", "order", "align"});
    const Value& extents = value["fake"];
    if (!extents.is_array() || !std::all_of(extents.begin(), extents.end(), is_extent))
      return wrong(at + ".fake", shown(extents) + " is no list of extents (from 1 on, \"n\" or \"n/8\")");
    dtype(value, at);
    order(value, "order", extents.size(), at);
    if (const auto it = value.find("align"); it != value.end()) {
      const bool power = is_count(*it, 1) && (it->get<std::int64_t>() & (it->get<std::int64_t>() - 1)) == 0;
      if (!power) wrong(at + ".align", shown(*it) + " is no power of two");
    }
  }
  void stream(const Value& value, const std::string& at) {
    only(value, at, {"stream"});
    if (value["stream"] != true) wrong(at + ".stream", shown(value["stream"]) + ": only true has a meaning");
  }
  void tuple(const Value& value, const std::string& at, int depth) {
    only(value, at, {"tuple"});
    if (!value["tuple"].is_array())
      return wrong(at + ".tuple", "it wants a list, not " + shown(value["tuple"]));
    each(value["tuple"], at + ".tuple", depth);
  }

  std::string fault_;
  bool calls_ = false;
};

void look_at_settings(const Value& settings, ValueCheck& check) {
  if (!settings.is_array()) return check.wrong("set", "it wants a list of settings, not " + shown(settings));
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const Value& setting = settings[i];
    const std::string at = fmt::format("set[{}]", i);
    if (!setting.is_object()) return check.wrong(at, "it wants an object, not " + shown(setting));
    if (!setting.contains("name") || !is_named(setting["name"]))
      return check.wrong(at + ".name",
                         (setting.contains("name") ? shown(setting["name"]) + ":" : "it is missing;") +
                             std::string(" it wants \"module:attribute\""));
    if (!setting.contains("value")) return check.wrong(at + ".value", "it is missing");
    check.look(setting["value"], at + ".value");
  }
}

}  // namespace

std::string fault_of_values(const Value& entry) {
  ValueCheck settings;
  if (const auto it = entry.find("set"); it != entry.end()) look_at_settings(*it, settings);
  if (!settings.fault().empty()) return settings.fault();
  ValueCheck run;
  run.look(entry["run"], "run");
  if (run.fault().empty() && !run.calls())
    run.wrong("run", shown(entry["run"]) + " calls nothing; {\"call\": \"module:name\"} does");
  return run.fault();
}

}  // namespace cutelab::capture
