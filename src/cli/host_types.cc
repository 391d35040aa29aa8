#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/host_expression.h"

namespace cutelab::cli {
namespace {

struct HostType {
  int bytes;
  const char* dtype;  ///< the DSL's name; empty = no reference has it
  bool real;
};

const HostType* host_type(const std::string& type) {
  static const std::map<std::string, HostType> all = {{"float", {4, "Float32", true}},
                                                      {"double", {8, "", true}},
                                                      {"half_t", {2, "Float16", true}},
                                                      {"half", {2, "Float16", true}},
                                                      {"__half", {2, "Float16", true}},
                                                      {"bfloat16_t", {2, "BFloat16", true}},
                                                      {"__nv_bfloat16", {2, "BFloat16", true}},
                                                      {"nv_bfloat16", {2, "BFloat16", true}},
                                                      {"tfloat32_t", {4, "TFloat32", true}},
                                                      {"float_e4m3_t", {1, "Float8E4M3FN", true}},
                                                      {"float_e5m2_t", {1, "Float8E5M2", true}},
                                                      {"int8_t", {1, "Int8", false}},
                                                      {"uint8_t", {1, "", false}},
                                                      {"char", {1, "", false}},
                                                      {"bool", {1, "", false}},
                                                      {"int", {4, "Int32", false}},
                                                      {"int32_t", {4, "Int32", false}},
                                                      {"unsigned", {4, "", false}},
                                                      {"uint32_t", {4, "", false}},
                                                      {"long", {8, "", false}},
                                                      {"size_t", {8, "", false}},
                                                      {"int64_t", {8, "", false}},
                                                      {"uint64_t", {8, "", false}}};
  const auto it = all.find(bare_type(type));
  return it == all.end() ? nullptr : &it->second;
}

}  // namespace

std::string bare_type(const std::string& type) {
  std::string words;
  for (const auto word : split(type, ' '))
    if (!word.empty() && word != "const" && word != "typename")
      words += (words.empty() ? "" : " ") + std::string(word);
  std::erase(words, '&');
  words = std::string(trim(words));
  if (words == "unsigned int") return "unsigned";
  if (words == "long long") return "long";
  for (const char* space : {"::", "cute::", "cutlass::", "std::"})
    if (words.starts_with(space)) words = words.substr(std::string(space).size());
  return words;
}

int host_element_bytes(const std::string& type) {
  const HostType* known = host_type(type);
  return known ? known->bytes : 0;
}

std::string host_dtype(const std::string& type) {
  const HostType* known = host_type(type);
  return known && *known->dtype ? known->dtype : type;
}

bool is_real_type(const std::string& type) {
  const HostType* known = host_type(type);
  return known && known->real;
}

std::string without_comments(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = text[i] == '\'' && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';  // 5'120
    if (text[i] == '"' || (text[i] == '\'' && !separates)) {
      const char quote = text[i];
      plain += quote;
      for (++i; i < text.size() && text[i] != quote; ++i) {
        plain += text[i];
        if (text[i] == '\\' && i + 1 < text.size()) plain += text[++i];
      }
      if (i < text.size()) plain += quote;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      plain += '\n';
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
      plain += ' ';
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace cutelab::cli
