#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/verb.h"

namespace cutelab::cli {
namespace {

std::string positional_usage(const Positional& p) {
  const std::string many = p.most < 0 || p.most > 1 ? "…" : "";
  return p.least == 0 ? fmt::format(" [{}{}]", p.name, many) : fmt::format(" {}{}", p.name, many);
}

std::string flag_left(const Flag& flag) {
  const std::string spelled = replace_all(flag.name, ",", ", ");
  if (!flag.optional_suffix.empty()) return spelled + " [" + flag.value + "]";
  return flag.value.empty() ? spelled : spelled + " " + flag.value;
}

std::string flag_right(const Flag& flag) {
  std::string text = flag.help;
  if (!flag.choices.empty()) text += " (" + join(flag.choices, ", ") + ")";
  if (!flag.default_text.empty()) text += fmt::format(" [{}]", flag.default_text);
  if (flag.repeated) text += "; may be repeated";
  return text;
}

std::string rows(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::size_t left = 0;
  for (const auto& [a, b] : pairs) left = std::max(left, std::min<std::size_t>(display_width(a), 30));
  std::string out;
  for (const auto& [a, b] : pairs) {
    out += "  " + a;
    out +=
        display_width(a) > left ? "\n  " + std::string(left, ' ') : std::string(left - display_width(a), ' ');
    out += "  " + b + "\n";
  }
  return out;
}

}  // namespace

std::string help_text(const VerbSpec& spec) {
  std::string out = fmt::format("cutelab {}: {}\n\nusage: cutelab {}", spec.name, spec.summary, spec.name);
  for (const Positional& p : spec.positionals) out += positional_usage(p);
  if (!spec.flags.empty()) out += " [flags]";
  if (spec.open_flags) out += " [--PARAMETER=VALUE …]";
  out += "\n";
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Positional& p : spec.positionals) pairs.emplace_back(p.name, p.help);
  for (const Flag& flag : spec.flags) pairs.emplace_back(flag_left(flag), flag_right(flag));
  if (!pairs.empty()) out += "\n" + rows(pairs);
  if (!spec.examples.empty()) out += "\nexamples:\n";
  for (const std::string& example : spec.examples) out += "  " + example + "\n";
  return out;
}

}  // namespace cutelab::cli
