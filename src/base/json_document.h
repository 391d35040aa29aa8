#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace cutelab {

/// The document that `text` is, or why it is no JSON: "it is no JSON: line 3, column 5: syntax error …".
/// `Json` is nlohmann's type; this header does not bring it along.
template <class Json>
Result<Json> json_document(const std::string& text, Error error) {
  if (trim(text).empty()) {
    error.wrong = "it is empty";
    return error;
  }
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& fault) {
    constexpr std::string_view before = "parse error at ";
    const std::string_view said = fault.what();
    const auto at = said.find(before);
    error.wrong =
        "it is no JSON: " + printable(at == std::string_view::npos ? said : said.substr(at + before.size()));
    return error;
  }
}

}  // namespace cutelab
