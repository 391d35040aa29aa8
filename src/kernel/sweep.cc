#include "kernel/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace cutelab::kernel {
namespace {

constexpr std::size_t most_problems = 4096;

struct Range {
  long long begin = 0;
  long long end = 0;
  long long step = 1;
  bool factor = false;

  bool more(long long at) const { return factor || step > 0 ? at <= end : at >= end; }
  long long next(long long at) const { return factor ? at * step : at + step; }
  bool arrives() const {
    if (factor) return begin >= 1 && end >= begin && step >= 2;
    return step != 0 && (end - begin) / (step > 0 ? 1 : -1) >= 0;
  }
};

/// Products and differences of such numbers stay far from overflow; no extent is larger.
bool small(long long n) { return n >= -(1ll << 31) && n <= 1ll << 31; }

/// begin:end, begin:end:step or begin:end:xfactor; nullopt = it is none.
std::optional<Range> range_of(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  Range range;
  const auto begin = parse_integer(parts[0]);
  const auto end = parse_integer(parts[1]);
  if (!begin || !end || !small(*begin) || !small(*end)) return std::nullopt;
  range.begin = *begin;
  range.end = *end;
  if (parts.size() == 2) return range;
  range.factor = parts[2].size() > 1 && parts[2][0] == 'x';
  const auto step = parse_integer(range.factor ? parts[2].substr(1) : parts[2]);
  if (!step || !small(*step)) return std::nullopt;
  range.step = *step;
  return range;
}

Error usage(const std::string& kernel, std::string wrong) {
  return Error{ErrorKind::usage, "kernel " + kernel, std::move(wrong), "",
               "write 1024:65536:x2 (factor), 64:512:64 (step), or a list 1,8,64"};
}

/// Tells which combination comes next; false after the last.
bool advance(std::vector<std::size_t>& at, const std::vector<std::vector<std::string>>& values) {
  for (std::size_t i = at.size(); i-- > 0;) {
    if (++at[i] < values[i].size()) return true;
    at[i] = 0;
  }
  return false;
}

Status add_problem(const std::string& kernel, const KernelPlan& plan,
                   const std::vector<std::pair<std::string, std::string>>& given, Sweep& sweep) {
  auto params = parse_parameters(kernel, plan.parameters(), given);
  if (!params) return params.error();
  if (auto refused = plan.check(*params); !refused) {
    if (sweep.varying.empty()) return refused;
    sweep.refused.push_back({params->text(), refused.error().wrong});
    return {};
  }
  sweep.problems.push_back(std::move(*params));
  return {};
}

}  // namespace

Result<std::vector<std::string>> sweep_values(const std::string& kernel, const ParameterSpec& spec,
                                              const std::string& text, std::size_t most) {
  if (spec.tuples) return std::vector<std::string>{text};  // its commas do not part values
  std::vector<std::string> values;
  const auto add = [&](std::string value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  };
  for (const auto item : split(text, ',')) {
    if (item.empty()) return usage(kernel, fmt::format("--{}={} has an empty item", spec.name, text));
    if (spec.is_word() || item.find(':') == std::string_view::npos) {
      add(std::string(item));
      continue;
    }
    const auto range = range_of(item);
    if (!range || !range->arrives())
      return usage(kernel, fmt::format("--{}: '{}' is no range that has an end", spec.name, item));
    for (long long at = range->begin; range->more(at) && values.size() <= most; at = range->next(at))
      add(fmt::format("{}", at));
  }
  if (values.size() > most)
    return usage(kernel, fmt::format("--{}={} has more than {} values", spec.name, text, most));
  return values;
}

Result<Sweep> parse_sweep(const std::string& kernel, const KernelPlan& plan,
                          const std::vector<std::pair<std::string, std::string>>& given) {
  const auto specs = plan.parameters();
  std::map<std::string, std::string> last;  // of two flags of one name the last wins
  for (const auto& [name, text] : given) last[name] = text;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> values;
  Sweep sweep;
  std::size_t count = 1;
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&wanted = name](const auto& s) { return s.name == wanted; });
    auto of_name = spec == specs.end()
                       ? Result<std::vector<std::string>>(std::vector<std::string>{last[name]})
                       : sweep_values(kernel, *spec, last[name]);
    if (!of_name) return of_name.error();
    if (of_name->size() > 1) sweep.varying.push_back(name);
    count *= of_name->size();
    if (count > most_problems)
      return usage(kernel, fmt::format("the sweep has more than {} problems", most_problems));
    names.push_back(name);
    values.push_back(std::move(*of_name));
  }
  std::vector<std::size_t> at(names.size(), 0);
  do {
    std::vector<std::pair<std::string, std::string>> one;
    for (std::size_t i = 0; i < names.size(); ++i) one.emplace_back(names[i], values[i][at[i]]);
    if (auto s = add_problem(kernel, plan, one, sweep); !s) return s.error();
  } while (advance(at, values));
  if (sweep.problems.empty())
    return Error{ErrorKind::usage, "kernel " + kernel, "no problem of the sweep is legal",
                 sweep.refused.front().problem + ": " + sweep.refused.front().because, "change the ranges"};
  return sweep;
}

}  // namespace cutelab::kernel
