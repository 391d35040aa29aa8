#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "knowledge/study.h"

namespace cutelab::knowledge {
namespace {
using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "cutelab.study";

struct BadMember {
  std::string what;
};

/// `path` is what stands before the key in messages.
const Json& member(const Json& object, const char* key, std::string_view path) {
  const auto it = object.find(key);
  if (it == object.end()) throw BadMember{fmt::format("{}{} is missing", path, key)};
  return *it;
}

std::string text(const Json& object, const char* key, const std::string& path) {
  const Json& value = member(object, key, path);
  if (!value.is_string()) throw BadMember{fmt::format("{}{} is no string", path, key)};
  return value.get<std::string>();
}

const Json& list(const Json& object, const char* key) {
  const Json& value = member(object, key, "");
  if (!value.is_array()) throw BadMember{fmt::format("{} is no list", key)};
  for (const Json& item : value)
    if (!item.is_object()) throw BadMember{fmt::format("{} holds something that is no object", key)};
  return value;
}

Step step_named(const std::string& name, const std::string& path) {
  for (const Step step : all_steps)
    if (name == name_of(step)) return step;
  throw BadMember{fmt::format("{}step is '{}'", path, printable(name))};
}

Study read(const Json& json) {
  if (!json.is_object()) throw BadMember{"it is no JSON object"};
  if (text(json, "schema", "") != schema_name) throw BadMember{fmt::format("schema is not {}", schema_name)};
  if (member(json, "schema_version", "") != Study::schema_version)
    throw BadMember{fmt::format("schema_version is {}, this program reads {}", json["schema_version"].dump(),
                                Study::schema_version)};
  Study study{text(json, "name", ""), text(json, "goal", ""), text(json, "created_at", ""), {}, {}, {}};
  for (const Json& q : list(json, "questions"))
    study.questions.push_back({text(q, "text", "questions: "), text(q, "answer", "questions: "),
                               text(q, "asked_at", "questions: "), text(q, "answered_at", "questions: ")});
  for (const Json& i : list(json, "items"))
    study.items.push_back({step_named(text(i, "step", "items: "), "items: "), text(i, "what", "items: "),
                           text(i, "revision", "items: "), text(i, "note", "items: "),
                           text(i, "at", "items: ")});
  for (const Json& n : list(json, "notes"))
    study.notes.push_back({text(n, "text", "notes: "), text(n, "at", "notes: ")});
  return study;
}

}  // namespace

namespace {

Json json_of(const Study& study) {
  Json json = {{"schema", schema_name},
               {"schema_version", Study::schema_version},
               {"name", study.name},
               {"goal", study.goal},
               {"created_at", study.created_at},
               {"questions", Json::array()},
               {"items", Json::array()},
               {"notes", Json::array()}};
  for (const StudyQuestion& q : study.questions)
    json["questions"].push_back(
        {{"text", q.text}, {"answer", q.answer}, {"asked_at", q.asked_at}, {"answered_at", q.answered_at}});
  for (const StudyItem& i : study.items)
    json["items"].push_back({{"step", name_of(i.step)},
                             {"what", i.what},
                             {"revision", i.revision},
                             {"note", i.note},
                             {"at", i.at}});
  for (const StudyNote& n : study.notes) json["notes"].push_back({{"text", n.text}, {"at", n.at}});
  return json;
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string study_json(const Study& study) { return dumped(json_of(study)); }

std::string studies_json(const std::vector<Study>& studies, const std::vector<std::string>& unreadable) {
  Json all = Json::array();
  for (const Study& study : studies) all.push_back(json_of(study));
  return dumped({{"schema", "cutelab.studies"},
                 {"schema_version", Study::schema_version},
                 {"studies", all},
                 {"unreadable", unreadable}});
}

Result<Study> study_from_json(const std::string& content, const std::string& path) {
  const auto broken = [&](const std::string& what) {
    return Error{ErrorKind::input, "read the study " + path, what, path,
                 "repair the file, or move it away and start a new study"};
  };
  const Json json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) return broken("it is not JSON");
  try {
    return read(json);
  } catch (const BadMember& bad) {
    return broken(bad.what);
  }
}

}  // namespace cutelab::knowledge
