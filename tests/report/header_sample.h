#pragma once
#include <string>

namespace cutelab::report::testing {

/// The sample output that stands in the comment of src/<header> between two "/// ```" lines, without the
/// comment marks.
std::string sample_of_header(const std::string& header);

/// `output` as such a comment block, to be pasted over a stale one.
std::string as_comment(const std::string& output);

}  // namespace cutelab::report::testing
