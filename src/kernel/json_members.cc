#include "kernel/json_members.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

/// A whole number within the limits: JSON has larger ones than 64 bits hold.
bool is_within(const GivenJson& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return false;
  return value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
}

/// What stands there, short.
std::string shown(const GivenJson& value) {
  constexpr std::size_t most = 40;
  const std::string text = printable(value.dump(-1, ' ', true, GivenJson::error_handler_t::replace));
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

}  // namespace

JsonMembers::JsonMembers(const GivenJson& object, std::string at, std::string& fault, Null null)
    : object_(object), at_(std::move(at)), fault_(fault), null_(null) {
  if (!object.is_object()) wrong("", "it wants an object");
}

const GivenJson* JsonMembers::member(const char* name, bool needed) {
  asked_.insert(name);
  if (!object_.is_object()) return nullptr;
  const auto it = object_.find(name);
  const bool there = it != object_.end() && !(null_ == Null::missing && it->is_null());
  if (!there && needed) wrong(name, "it is missing");
  return there ? &*it : nullptr;
}

std::string JsonMembers::text(const char* name, bool needed) {
  const GivenJson* found = member(name, needed);
  if (!found) return "";
  if (!found->is_string()) wrong(name, "it wants a text");
  return found->is_string() ? found->get<std::string>() : "";
}

std::int64_t JsonMembers::integer(const char* name, std::int64_t otherwise, std::int64_t least,
                                  std::int64_t most, bool needed) {
  const GivenJson* found = member(name, needed);
  if (!found) return otherwise;
  const bool fits = is_within(*found, least, most);
  if (!fits) wrong(name, fmt::format("{} is no whole number from {} to {}", shown(*found), least, most));
  return fits ? found->get<std::int64_t>() : otherwise;
}

bool JsonMembers::truth(const char* name) {
  const GivenJson* found = member(name, false);
  if (found && !found->is_boolean()) wrong(name, "it wants true or false");
  return found && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> JsonMembers::texts(const char* name) {
  std::vector<std::string> all;
  for (const GivenJson& item : list(name)) {
    if (!item.is_string()) wrong(name, "it wants texts");
    all.push_back(item.is_string() ? item.get<std::string>() : "");
  }
  return all;
}

std::vector<std::int64_t> JsonMembers::integers(const char* name, std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (const GivenJson& item : list(name, true)) {
    const bool fits = is_within(item, least, most);
    if (!fits)
      wrong(fmt::format("{}[{}]", name, all.size()),
            fmt::format("{} is no whole number from {} to {}", shown(item), least, most));
    all.push_back(fits ? item.get<std::int64_t>() : least);
  }
  return all;
}

const GivenJson& JsonMembers::list(const char* name, bool needed) {
  static const GivenJson none = GivenJson::array();
  const GivenJson* found = member(name, needed);
  if (found && !found->is_array()) wrong(name, "it wants a list");
  return found && found->is_array() ? *found : none;
}

const GivenJson& JsonMembers::object(const char* name, bool needed) {
  static const GivenJson none = GivenJson::object();
  const GivenJson* found = member(name, needed);
  if (found && !found->is_object()) wrong(name, "it wants an object");
  return found && found->is_object() ? *found : none;
}

bool JsonMembers::has(const char* name) { return member(name, false) != nullptr; }

void JsonMembers::end() {
  if (!object_.is_object()) return;
  for (const auto& [name, value] : object_.items())
    if (!asked_.count(name)) wrong(printable(name), "there is no such member");
}

void JsonMembers::wrong(const std::string& name, const std::string& what) {
  if (!fault_.empty()) return;
  const std::string dot = at_.empty() || name.empty() ? "" : ".";
  fault_ = fmt::format("`{}`: {}", at_ + dot + name, what);
}

std::string JsonMembers::at(const char* name, std::size_t index) const {
  return fmt::format("{}{}{}[{}]", at_, at_.empty() ? "" : ".", name, index);
}

}  // namespace cutelab::kernel
