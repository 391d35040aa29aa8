#pragma once
#include <string>
#include <vector>

#include "base/file_source.h"
#include "knowledge/library.h"

namespace cutelab::knowledge {

/// A Markdown link outside code: `[text](target)`.
struct Link {
  std::string target;
  int line = 0;
};
std::vector<Link> links_of(const std::string& markdown);

/// The anchor GitHub gives a heading: "TMA store: fence" -> "tma-store-fence".
std::string anchor_of(std::string_view heading);

/// Links of one file that lead nowhere: a missing file, a heading that is not there, a place outside the
/// project. Links with a scheme (https:) are not followed.
std::vector<Problem> check_links(const std::string& path, const std::string& text,
                                 const std::vector<std::string>& roots, const Library& library,
                                 const FileSource& files);

}  // namespace cutelab::knowledge
