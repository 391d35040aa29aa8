#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/verb.h"
#include "render/columns.h"

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

/// Two columns; what does not fit beside a long name begins below it.
std::string rows(const std::vector<std::pair<std::string, std::string>>& pairs, int width) {
  constexpr std::size_t widest_left = 30;
  std::size_t left = 0;
  for (const auto& [a, b] : pairs) left = std::max(left, std::min(display_width(a), widest_left));
  std::string out;
  for (const auto& [a, b] : pairs) {
    const bool beside = display_width(a) <= left;
    out += "  " + a + (beside ? std::string(left - display_width(a) + 2, ' ') : "\n");
    bool first = beside;
    for (const std::string& line : render::wrap(b, std::max(20, width - static_cast<int>(left) - 4))) {
      out += (first ? "" : std::string(left + 4, ' ')) + line + "\n";
      first = false;
    }
  }
  return out;
}

}  // namespace

std::string help_text(const VerbSpec& spec, int width) {
  std::string usage = fmt::format("usage: cutelab {}", spec.name);
  for (const Positional& p : spec.positionals) usage += positional_usage(p);
  if (!spec.flags.empty()) usage += " [flags]";
  if (spec.open_flags) usage += " [--PARAMETER=VALUE …]";
  std::string out = render::paragraph(fmt::format("cutelab {}: {}", spec.name, spec.summary), width) + "\n" +
                    render::paragraph(usage, width);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Positional& p : spec.positionals) pairs.emplace_back(p.name, p.help);
  for (const Flag& flag : spec.flags) pairs.emplace_back(flag_left(flag), flag_right(flag));
  if (!pairs.empty()) out += "\n" + rows(pairs, width);
  if (!spec.examples.empty()) out += "\nexamples:\n";
  for (const std::string& example : spec.examples) out += "  " + example + "\n";
  return out;
}

std::string overview_text(const std::vector<std::unique_ptr<Verb>>& verbs, int width) {
  std::string out =
      "cutelab: understand, import, measure and document CuTe GPU kernels\n\n"
      "usage: cutelab VERB … | cutelab VERB --help | cutelab --version\n\n";
  render::Columns table{{{""}, {""}, {"", render::Align::left, true, 20}}, {}};
  for (const auto& verb : verbs) {
    const VerbSpec spec = verb->spec();
    table.rows.push_back({{spec.name}, {spec.step}, {spec.summary}});
  }
  return out + render::columns(table, width, render::Paint()) + "\n" +
         render::paragraph(
             "exit codes: 0 done, 1 a check failed, 2 wrong use or bad input, 3 not possible on this "
             "machine, "
             "4 a fault of ours, 5 the kernel under test faulted or ran past its time limit",
             width);
}

}  // namespace cutelab::cli
