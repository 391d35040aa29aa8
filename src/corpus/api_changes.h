#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "corpus/release.h"
#include "corpus/signals.h"

namespace cutelab::corpus {

/// Names of the CuTe DSL whose being there, or whose rule, depends on the release of the wheel
/// (data/api_changes.json).
struct ApiChange {
  std::vector<std::string> names;  ///< "arch.griddepcontrol_wait": last two parts
  std::string unless;              ///< a module; importing it means that another thing of the name is meant
  std::optional<Release> since;    ///< first release that has them
  std::optional<Release> removed;  ///< first release that has not
  std::optional<Release> deprecated;   ///< first release that warns
  std::string instead;                 ///< what to write
  std::vector<Release> rule_releases;  ///< where `rule` holds; elsewhere `otherwise` does
  std::string rule, otherwise;
};

/// One such name in a source.
struct ApiUse {
  const ApiChange* change = nullptr;
  std::string name;  ///< as the source spells it, last two parts
  int line = 0;      ///< first use
};

class ApiChanges {
 public:
  static Result<ApiChanges> load(const FileSource& files, const std::string& data_folder);

  /// Uses in a Python source, in the order of their lines; imports, comments and strings do not count. The
  /// changes live as long as this table.
  std::vector<ApiUse> uses_in(std::string_view text) const;

 private:
  std::vector<ApiChange> changes_;
  SignalTable names_{{}};
};

/// The releases that a source can be used with, as far as the table knows.
struct WheelRange {
  std::optional<Release> least;   ///< "needs wheel >= 4.3.4"
  std::optional<Release> before;  ///< "removed in 4.6.0"
};
WheelRange wheel_range(const std::vector<ApiUse>& uses);

/// Whether the source breaks with that wheel: a name that it lacks.
bool breaks(const ApiUse& use, const Release& wheel);

/// "arch.griddepcontrol_wait (line 12) needs wheel >= 4.3.4", with a wheel what is so in it. Empty: with that
/// wheel there is nothing to say.
std::string text_of(const ApiUse& use, const std::optional<Release>& wheel);

}  // namespace cutelab::corpus
