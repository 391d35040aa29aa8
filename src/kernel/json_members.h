#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace cutelab::kernel {

using GivenJson = nlohmann::ordered_json;

/// Takes members out of one object of a document that somebody may have damaged, each of the form that is
/// asked for; the first fault of the document stays, with its place: "`parameters[0].component`: …".
class JsonMembers {
 public:
  enum class Null { wrong, missing };  ///< what a member that is null counts as
  /// `at`: where the object stands; empty: it is the document itself.
  JsonMembers(const GivenJson& object, std::string at, std::string& fault, Null null = Null::wrong);

  std::string text(const char* name, bool needed = true);
  std::int64_t integer(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most,
                       bool needed = false);
  bool truth(const char* name);
  std::vector<std::string> texts(const char* name);
  std::vector<std::int64_t> integers(const char* name, std::int64_t least, std::int64_t most);
  const GivenJson& list(const char* name, bool needed = false);
  const GivenJson& object(const char* name, bool needed = true);
  bool has(const char* name);
  /// Nothing but what was asked for is there.
  void end();
  void wrong(const std::string& name, const std::string& what);
  std::string at(const char* name, std::size_t index) const;

 private:
  const GivenJson* member(const char* name, bool needed);

  const GivenJson& object_;
  std::string at_;
  std::string& fault_;
  Null null_;
  std::set<std::string> asked_;
};

}  // namespace cutelab::kernel
