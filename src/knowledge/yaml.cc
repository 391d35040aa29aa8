#include "knowledge/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "base/text.h"

namespace cutelab::knowledge {
namespace {

constexpr int most_depth = 32;
constexpr int most_values = 10000;

Error yaml_error(const std::string& path, int line, const std::string& wrong) {
  return Error{ErrorKind::input, "parse the front matter of " + path, wrong, fmt::format("{}:{}", path, line),
               "write plain YAML: `key: value`, lists with `- `, maps with `{ }`"};
}

class Converter {
 public:
  Converter(std::string path, int first_line) : path_(std::move(path)), first_line_(first_line) {}

  Result<Yaml> convert(const YAML::Node& node, int depth) {
    Yaml out;
    out.line = first_line_ + std::max(0, node.Mark().line);
    if (depth > most_depth)
      return yaml_error(path_, out.line, fmt::format("values nest deeper than {}", most_depth));
    if (++values_ > most_values)
      return yaml_error(path_, out.line, fmt::format("more than {} values", most_values));
    if (node.IsScalar()) {
      out.kind = Yaml::Kind::scalar;
      out.scalar = node.Scalar();
      return out;
    }
    if (node.IsSequence()) return list(node, std::move(out), depth);
    if (node.IsMap()) return map(node, std::move(out), depth);
    return out;
  }

 private:
  Result<Yaml> list(const YAML::Node& node, Yaml out, int depth) {
    out.kind = Yaml::Kind::list;
    for (const YAML::Node& item : node) {
      auto value = convert(item, depth + 1);
      if (!value) return value.error();
      out.items.push_back(std::move(*value));
    }
    return out;
  }

  Result<Yaml> map(const YAML::Node& node, Yaml out, int depth) {
    out.kind = Yaml::Kind::map;
    std::set<std::string> seen;
    for (const auto& member : node) {
      const int line = first_line_ + std::max(0, member.first.Mark().line);
      if (!member.first.IsScalar()) return yaml_error(path_, line, "a key is not a word");
      const std::string key = member.first.Scalar();
      if (!seen.insert(key).second)
        return yaml_error(path_, line, fmt::format("'{}' is given twice", printable(key)));
      auto value = convert(member.second, depth + 1);
      if (!value) return value.error();
      out.members.emplace_back(key, std::move(*value));
    }
    return out;
  }

  std::string path_;
  int first_line_;
  int values_ = 0;
};

/// Line (from 0) of the first anchor or alias, seen by the event parser before any tree is built.
class AnchorFinder : public YAML::EventHandler {
 public:
  int line = -1;
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { note(mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { note(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string&) override {
    note(mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    note(mark, anchor);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    note(mark, anchor);
  }
  void OnMapEnd() override {}

 private:
  void note(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0 && line < 0) line = mark.line;
  }
};

}  // namespace

Yaml::Yaml() = default;

const Yaml* Yaml::find(const std::string& key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

Result<Yaml> parse_yaml(const std::string& text, const std::string& path, int first_line) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    AnchorFinder anchors;
    parser.HandleNextDocument(anchors);
    if (anchors.line >= 0)
      return yaml_error(path, first_line + anchors.line, "anchors and aliases (& and *) are not taken");
    return Converter(path, first_line).convert(YAML::Load(text), 0);
  } catch (const YAML::Exception& e) {
    return yaml_error(path, first_line + std::max(0, e.mark.line), "not YAML: " + printable(e.msg));
  }
}

std::string yaml_scalar(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./@ ()+").find(c) != std::string_view::npos;
  };
  const std::string lower = to_lower(text);
  const bool word = lower == "null" || lower == "true" || lower == "false" || lower == "yes" || lower == "no";
  if (!text.empty() && !word && std::isalnum(static_cast<unsigned char>(text[0])) && text.back() != ' ' &&
      std::all_of(text.begin(), text.end(), plain))
    return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace cutelab::knowledge
