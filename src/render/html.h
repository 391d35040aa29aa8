#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cutelab::render {

/// Text for HTML content and for quoted attribute values alike: & < > " ' become entities, control characters
/// and invalid UTF-8 become U+FFFD. What comes out can neither open nor close a tag, an attribute or a
/// comment.
std::string html_escape(std::string_view text);

/// <tag name="value" …>content</tag>. Attribute values are escaped here; `content` is HTML already.
using Attributes = std::vector<std::pair<const char*, std::string>>;
std::string element(std::string_view tag, const Attributes& attributes, std::string_view content);
/// <tag>text</tag> with escaped text.
std::string text_element(std::string_view tag, const Attributes& attributes, std::string_view text);

}  // namespace cutelab::render
