#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "knowledge/signature.h"

namespace cutelab::knowledge {

/// The sections every entry has, in this order.
inline constexpr const char* section_titles[] = {"When to Apply",  "Mechanism", "Affected Metrics",
                                                 "Implementation", "Source",    "Performance Evidence",
                                                 "Generalization", "Pitfalls",  "Interactions"};

/// Stands in a draft's section until a person writes it.
inline constexpr const char* to_be_written = "_To be written._";

/// An entry larger than this is refused.
inline constexpr std::uint64_t max_entry_bytes = 1u << 20;

/// `at: PATH:LINE[-END]@REVISION` with the cited line's text. The text is what keeps the place true when the
/// file changes: `document` follows it to its new line, and calls it stale when it is gone.
struct EvidenceLine {
  std::string path;      ///< below the root of the project or of a corpus; never absolute, never upwards
  int line = 0;          ///< 1-based; 0 = still to be found by its text
  int end_line = 0;      ///< inclusive; equals line for a single one
  std::string revision;  ///< first 16 hex digits of the file's SHA-256; empty = not recorded
  std::string text;      ///< the first cited line without its indentation; empty = not recorded
  std::string says;      ///< what it shows
  std::string spelled;   ///< the `at` as the entry spells it
  int at_line = 0;       ///< where the entry says so

  std::string place() const;  ///< PATH:LINE[-END]
  std::string full() const;   ///< PATH:LINE[-END]@REVISION
};

struct Section {
  std::string title;
  int line = 0;  ///< of its heading
  std::string body;
};

enum class EntryKind { pattern, anti_pattern };
const char* name_of(EntryKind kind);  ///< "pattern", "anti-pattern"

/// One file of the knowledge base.
struct Entry {
  std::string path;
  std::string id;  ///< kebab-case; the file's name without .md
  std::string title;
  EntryKind kind = EntryKind::pattern;
  std::string scope;                  ///< "shared" or a language: cute-dsl, cute-cpp, cutile-dsl
  bool draft = false;                 ///< `status: draft`: written by `extract`, not finished by a person
  std::string refines;                ///< id of the more general entry; empty = none
  std::vector<std::string> triggers;  ///< words that should bring it to mind
  std::vector<std::string> metrics;   ///< tags of the metrics it moves
  Signature signature;
  std::vector<EvidenceLine> evidence;
  std::vector<std::string> runs;            ///< ids of measured runs
  std::map<std::string, std::string> seen;  ///< language -> versions it was seen in, "4.8.1" or "4.2 - 4.8.1"
  std::vector<Section> sections;
  std::map<std::string, int> lines;  ///< front-matter key -> its line

  const Section* section(const std::string& section_title) const;
  int line_of(const std::string& key) const;  ///< 1 if the key is absent
};

/// Text of a Markdown file split at its front matter.
struct FrontMatter {
  std::string yaml;
  int first_line = 2;
  std::string body;
  int body_line = 0;  ///< line of the body's first line
};

/// Empty when the text does not begin with a `---` line. Error (kind input): it begins and never ends.
Result<std::optional<FrontMatter>> split_front_matter(std::string_view text, const std::string& path);

/// Errors (kind input) with file:line: front matter missing or broken, a member missing, of wrong type or
/// unknown, an id that is not the file's name, a place that is absolute or leads upwards, text that is not
/// UTF-8.
Result<Entry> parse_entry(const std::string& text, const std::string& path);

/// `## ` headings outside fenced code, with what follows each.
std::vector<Section> split_sections(std::string_view body, int body_line);

/// PATH:LINE[-END][@REVISION]; nothing for anything else, absolute paths and paths that lead upwards.
std::optional<EvidenceLine> parse_place(const std::string& text);

/// Lower-case words of letters and digits joined by single dashes.
bool is_kebab(std::string_view text);
std::string to_kebab(std::string_view text);

/// `text` with what stands between `<!-- NAME: begin … -->` and `<!-- NAME: end -->` replaced by `content`;
/// without such a region it is appended. Error (kind input): one of the two marks is missing or they are in
/// the wrong order.
Result<std::string> with_region(const std::string& text, const std::string& name, const std::string& content,
                                const std::string& path);

}  // namespace cutelab::knowledge
