#include "kernel/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace cutelab::kernel {

bool are_tuples(const std::string& text) {
  std::string_view rest = trim(text);
  const auto framed = [&](std::string_view open, char close) {
    return rest.starts_with(open) && rest.ends_with(close) && rest.size() > 2;
  };
  if (framed("((", ')') || framed("[(", ']')) rest = rest.substr(1, rest.size() - 2);
  std::size_t length = 0;
  while (!rest.empty()) {
    const auto close = rest.find(')');
    if (rest.front() != '(' || close == std::string_view::npos) return false;
    const auto numbers = split(rest.substr(1, close - 1), ',');
    if (length == 0) length = numbers.size();
    const bool whole = std::all_of(numbers.begin(), numbers.end(),
                                   [](const auto& n) { return parse_integer(trim(n)).has_value(); });
    if (!whole || numbers.size() != length) return false;
    rest = trim(rest.substr(close + 1));
    if (rest.empty()) return true;
    if (rest.front() != ',') return false;
    rest = trim(rest.substr(1));
  }
  return false;
}

std::string ParameterSpec::range_text() const {
  if (is_word()) return join(choices, " | ");
  if (tuples) return "tuples of whole numbers, as (1,2),(3,4)";
  return most == INT64_MAX ? fmt::format("{} or more", least) : fmt::format("{} … {}", least, most);
}

std::map<std::string, std::string> Params::texts() const {
  std::map<std::string, std::string> all(words_.begin(), words_.end());
  for (const auto& [name, value] : numbers_) all[name] = fmt::format("{}", value);
  return all;
}

std::string Params::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, value] : texts()) parts.push_back(name + "=" + value);
  return join(parts, " ");
}

namespace {

Error usage(const std::string& kernel, std::string wrong, std::string remedy) {
  return Error{ErrorKind::usage, "kernel " + kernel, std::move(wrong), "", std::move(remedy)};
}

/// A whole number that 64 bits do not hold.
bool is_long_number(const std::string& text) {
  const std::size_t sign = text.starts_with("-") ? 1 : 0;
  return text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
}

Status assign(const std::string& kernel, const ParameterSpec& spec, const std::string& text, Params& params) {
  const std::string legal = fmt::format("--{} is {}: {}", spec.name, spec.meaning, spec.range_text());
  if (spec.is_word()) {
    if (std::find(spec.choices.begin(), spec.choices.end(), text) == spec.choices.end())
      return usage(kernel, fmt::format("--{} does not take '{}'", spec.name, text), legal);
    params.set(spec.name, text);
    return {};
  }
  if (spec.tuples) {
    if (!are_tuples(text))
      return usage(kernel, fmt::format("--{} wants tuples of whole numbers, not '{}'", spec.name, text),
                   legal);
    params.set(spec.name, replace_all(text, " ", ""));
    return {};
  }
  const auto value = parse_integer(text);
  if (!value)
    return usage(kernel,
                 is_long_number(text) ? fmt::format("--{}={} is out of range", spec.name, text)
                                      : fmt::format("--{} wants a whole number, not '{}'", spec.name, text),
                 legal);
  if (*value < spec.least || *value > spec.most)
    return usage(kernel, fmt::format("--{}={} is out of range", spec.name, *value), legal);
  params.set(spec.name, std::int64_t{*value});
  return {};
}

}  // namespace

Result<Params> parse_parameters(const std::string& kernel, const std::vector<ParameterSpec>& specs,
                                const std::vector<std::pair<std::string, std::string>>& given) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specs) names.push_back(spec.name);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto near = nearest(name, names);
    return usage(kernel, fmt::format("no parameter --{}", name),
                 near ? fmt::format("did you mean --{}?", *near) : "parameters: --" + join(names, ", --"));
  }
  Params params;
  for (const ParameterSpec& spec : specs) {
    std::string text = spec.otherwise;
    for (const auto& [name, value] : given)
      if (name == spec.name) text = value;
    if (auto status = assign(kernel, spec, text, params); !status) return status.error();
  }
  return params;
}

}  // namespace cutelab::kernel
