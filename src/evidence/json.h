#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/known.h"
#include "evidence/reading.h"
#include "evidence/run.h"

namespace cutelab::evidence {

/// The versioned JSON form, documented in docs/schema.md. Every object that stands for a place has file,
/// line, end_line, column. Post-conditions, for any reading or run:
///   1. json_text() is valid UTF-8 JSON whatever bytes the strings hold; an invalid byte becomes U+FFFD.
///   2. reading_from_json(json_text(r)) == r, and the same for runs, when the strings are valid UTF-8, places
///   are known (or
///      default) and name one of Reading::files, and no number is NaN.
///   3. Every member is always there; what is unknown is null or empty, never left out.
/// The text is indented by two and ends in a newline. `knowledge`: what a knowledge base says to it; null =
/// not asked.
std::string json_text(const Reading& reading, const Knowledge* knowledge = nullptr);
std::string json_text(const Run& run);
/// Several runs as one document (schema "cutelab.runs"); the inverse takes a document of one run, too.
std::string json_text(const std::vector<Run>& runs);
Result<std::vector<Run>> runs_from_json(const std::string& text);
nlohmann::ordered_json to_json(const Run& run);
/// What makes a run itself, as text to be hashed: the members that every version of the program writes. A
/// member that comes with a later version does not change a stored run's identity.
std::string identity_text(const Run& run);
/// A value as it stands in that reading's document; its text without the newline.
std::string json_text(const Value& value, const Reading& reading);
nlohmann::ordered_json to_json(const Value& value, const Reading& reading);
/// Several readings as one document (schema "cutelab.readings"); `knowledge`: one of each, or none.
std::string json_text(const std::vector<Reading>& readings, const std::vector<Knowledge>& knowledge = {});
/// The same text in parts, one for each reading as it comes: of a whole example tree neither the text nor the
/// readings need be held at once. A part is good until the next one is asked for.
class ReadingsText {
 public:
  std::string_view add(const Reading& reading, const Knowledge* knowledge = nullptr);
  std::string_view end();  ///< after the last reading

 private:
  std::string part_;  ///< keeps its memory for the next reading
  bool begun_ = false;
};

/// The inverse, for stored readings and runs. Members that are not in the schema are passed over.
/// Errors (kind input): not JSON, another schema or version, a member missing or of wrong type (its path is
/// named).
Result<Reading> reading_from_json(const std::string& text);
Result<Run> run_from_json(const std::string& text);

/// "literal", "computed", "compiled", "recorded", "measured".
const char* name_of(KnownBy known_by);
/// "host", "jit", "kernel", "device".
const char* name_of(Function::Kind kind);

}  // namespace cutelab::evidence
