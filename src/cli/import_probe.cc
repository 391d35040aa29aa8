#include "cli/import_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <mutex>

#include "base/text.h"
#include "capture/sweep.h"

namespace cutelab::cli {
namespace {

using ProgramFlag = kernel::ExportedCall::Flag;
constexpr std::size_t most_tries = 3;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const auto word : split(text, ',')) words.emplace_back(trim(word));
  return words;
}

std::string plain_name(const std::string& option) {
  std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

/// Twice the number, then half of it: what a divisibility holds for, mostly holds for these.
std::vector<std::string> other_numbers(const std::string& text) {
  const auto value = parse_integer(text);
  if (!value || *value < 0) return {};
  if (*value == 0) return {"1"};
  std::vector<std::string> others = {fmt::format("{}", *value * 2)};
  if (*value > 1) others.push_back(fmt::format("{}", *value / 2));
  return others;
}

/// The text with each of its numbers changed.
std::string with_numbers(const std::string& text, const std::function<std::int64_t(std::int64_t)>& change) {
  std::string changed, digits;
  const auto put = [&] {
    if (const auto number = parse_integer(digits)) changed += fmt::format("{}", change(*number));
    digits.clear();
  };
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
      continue;
    }
    put();
    changed += c;
  }
  put();
  return changed;
}

/// Tuples with every number above 1 doubled: a 1 is mostly no extent.
std::string doubled_tuples(const std::string& text) {
  return with_numbers(text, [](std::int64_t n) { return n > 1 ? n * 2 : n; });
}

/// The tuples with the last one twice.
std::string one_tuple_more(const std::string& text) {
  const auto open = text.rfind('('), close = text.find(')', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return text;
  return text.substr(0, close + 1) + "," + text.substr(open);
}

std::int64_t tuples_in(const std::string& text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    count += text[i] == '(' && (std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0);
  return count;
}

/// Of an option of several integers with choices: what component `at` is in those that agree elsewhere.
std::vector<std::string> other_components(const ProgramFlag& flag, const std::vector<std::string>& now,
                                          std::size_t at) {
  std::vector<std::string> others;
  for (const std::string& choice : flag.choices) {
    auto words = words_of(choice);
    if (words.size() != now.size() || words[at] == now[at]) continue;
    const std::string other = words[at];
    words[at] = now[at];
    if (words == now) others.push_back(other);
  }
  return flag.choices.empty() ? other_numbers(now[at]) : others;
}

std::vector<std::string> other_words(const ProgramFlag& flag) {
  std::vector<std::string> choices = flag.choices;
  if (choices.empty() && kernel::dsl_dtype(flag.value))
    choices = {"Float16", "BFloat16", "Float32", "Float8E4M3FN", "Float8E5M2", "Int8"};
  std::erase(choices, flag.value);
  return choices;
}

std::string why_not(const ProgramFlag& flag) {
  if (flag.option.empty()) return "a word without a name";
  if (flag.several_words) return "takes several words";
  if (!flag.has_value && flag.kind != "switch") return "has no default";
  if (flag.kind == "real") return "a real number; it stays " + flag.value;
  if (flag.kind == "word" && other_words(flag).empty()) return "any word; it stays " + flag.value;
  return "";
}

std::vector<ProbedFlag> parts_of(const ProgramFlag& flag) {
  std::vector<ProbedFlag> parts;
  const auto add = [&](std::string name, int component, std::string kind, std::string value,
                       std::vector<std::string> tried) {
    ProbedFlag probed;
    probed.parameter = {std::move(name),  flag.option,   component, std::move(kind),
                        std::move(value), flag.negative, {},        flag.help};
    probed.tried = std::move(tried);
    parts.push_back(std::move(probed));
  };
  if (flag.kind == "integers") {
    const auto now = words_of(flag.value);
    const auto names = component_names(flag.option, now.size());
    for (std::size_t i = 0; i < now.size(); ++i)
      add(names[i], static_cast<int>(i), "integer", now[i], other_components(flag, now, i));
    return parts;
  }
  // "argv[1]" says less than the variable that it fills.
  const std::string name = plain_name(flag.option.starts_with("argv[") ? flag.destination : flag.option);
  if (flag.kind == "switch") {
    const bool on = flag.value == "True";
    add(name, -1, "switch", on ? "1" : "0", {on ? "0" : "1"});
  } else if (flag.kind == "tuples") {
    add(name, -1, "tuples", flag.value, {doubled_tuples(flag.value)});
  } else if (flag.kind == "integer") {
    std::vector<std::string> others = flag.choices;
    std::erase(others, flag.value);
    add(name, -1, "integer", flag.value, flag.choices.empty() ? other_numbers(flag.value) : others);
  } else {
    add(name, -1, "word", flag.value, other_words(flag));
    parts.back().parameter.choices = {flag.value};
  }
  return parts;
}

void note_scaled(const kernel::ExportedCall& base, const kernel::ExportedCall& other, ProbedFlag& flag,
                 const std::string& value) {
  const auto from = parse_integer(flag.parameter.value), to = parse_integer(value);
  if (flag.parameter.kind != "integer" || !from || !to) return;
  for (std::size_t t = 0; t < base.tensors.size() && t < other.tensors.size(); ++t) {
    const auto &before = base.tensors[t].shape, &after = other.tensors[t].shape;
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i)
      if (before[i] != after[i] && before[i] * *to == after[i] * *from)
        flag.scaled[base.tensors[t].name].insert(i);
  }
}

/// The command line with one value changed and everything else as it was.
std::vector<std::string> changed_flags(const std::vector<ProbedFlag>& all, const ProbeRequest& request,
                                       const std::map<std::string, std::string>& values) {
  kernel::PackageDescription everything;
  everything.fixed_flags = request.base.flags;
  for (const ProbedFlag& flag : all) everything.parameters.push_back(flag.parameter);
  return kernel::flags_of(everything, values);
}

kernel::ExportWanted with_flags(const ProbeRequest& request, std::vector<std::string> flags) {
  kernel::ExportWanted wanted = request.base;
  wanted.flags = std::move(flags);
  return wanted;
}

void probe_one(const ProbeRequest& request, const kernel::ExportedCall& base,
               const std::vector<ProbedFlag>& all, ProbedFlag& flag) {
  flag.effect = FlagEffect::refused;
  std::size_t tries = 0;
  for (const std::string& value : flag.tried) {
    const bool word = flag.parameter.kind == "word";
    if (!word && (tries == most_tries || flag.effect == FlagEffect::nothing)) return;
    ++tries;
    auto made = request.exporter.get(
        with_flags(request, changed_flags(all, request, {{flag.parameter.name, value}})));
    flag.outcome[value] = made ? "" : made.error().wrong;
    if (!made) {
      if (flag.because.empty()) flag.because = made.error().wrong;
      continue;
    }
    if (word) flag.parameter.choices.push_back(value);
    const FlagEffect effect = difference(base, made->call);
    flag.effect = std::max(flag.effect, effect);
    if (effect != FlagEffect::problem) continue;
    note_scaled(base, made->call, flag, value);
    if (!word) return;
  }
}

using ProbedValues = std::map<std::string, std::string>;

/// What words may be only together: one value that all of them know, then of each its first other one, its
/// second …
std::vector<ProbedValues> values_together(const std::vector<ProbedFlag*>& flags) {
  std::vector<ProbedValues> all;
  for (const std::string& value : flags[0]->tried) {
    ProbedValues values;
    for (const ProbedFlag* flag : flags)
      if (std::find(flag->tried.begin(), flag->tried.end(), value) != flag->tried.end())
        values[flag->parameter.name] = value;
    if (values.size() > 1) all.push_back(std::move(values));
  }
  for (std::size_t i = 0; i < most_tries; ++i) {
    ProbedValues values;
    for (const ProbedFlag* flag : flags)
      if (i < flag->tried.size()) values[flag->parameter.name] = flag->tried[i];
    if (values.size() > 1 && std::find(all.begin(), all.end(), values) == all.end())
      all.push_back(std::move(values));
  }
  return all;
}

/// Words that the program takes only together: types of two operands, say.
void probe_together(const ProbeRequest& request, const kernel::ExportedCall& base,
                    std::vector<ProbedFlag>& all) {
  std::vector<ProbedFlag*> refused;
  for (ProbedFlag& flag : all)
    if (flag.parameter.kind == "word" && flag.effect == FlagEffect::refused) refused.push_back(&flag);
  if (refused.size() < 2) return;
  const std::vector<ProbedFlag> unchanged = all;
  for (const auto& values : values_together(refused)) {
    auto made = request.exporter.get(with_flags(request, changed_flags(unchanged, request, values)));
    if (!made) continue;
    for (ProbedFlag* flag : refused) {
      const auto value = values.find(flag->parameter.name);
      auto& choices = flag->parameter.choices;
      if (value == values.end()) continue;
      if (std::find(choices.begin(), choices.end(), value->second) == choices.end())
        choices.push_back(value->second);
      flag->effect = std::max(flag->effect, difference(base, made->call));
    }
  }
}

/// A number that counts the tuples of another option is taken only with as many of them.
void probe_counts(const ProbeRequest& request, const kernel::ExportedCall& base,
                  std::vector<ProbedFlag>& all) {
  const std::vector<ProbedFlag> unchanged = all;
  for (const ProbedFlag& tuples : unchanged) {
    if (tuples.parameter.kind != "tuples") continue;
    const std::int64_t count = tuples_in(tuples.parameter.value);
    for (ProbedFlag& number : all) {
      if (number.effect != FlagEffect::refused || number.parameter.kind != "integer" ||
          parse_integer(number.parameter.value) != count)
        continue;
      auto made = request.exporter.get(
          with_flags(request, changed_flags(unchanged, request,
                                            {{tuples.parameter.name, one_tuple_more(tuples.parameter.value)},
                                             {number.parameter.name, fmt::format("{}", count + 1)}})));
      if (!made) continue;
      number.effect = difference(base, made->call);
      number.outcome.clear();
      if (number.parameter.meaning.empty())
        number.parameter.meaning = "how many tuples " + tuples.parameter.option + " has";
    }
  }
}

}  // namespace

std::vector<std::string> component_names(const std::string& option, std::size_t count) {
  const std::string name = plain_name(option);
  const auto underscore = name.rfind('_');
  const std::string letters = underscore == std::string::npos ? name : name.substr(underscore + 1);
  const std::string prefix = underscore == std::string::npos ? "" : name.substr(0, underscore + 1);
  const bool spelled =
      letters.size() == count && std::set<char>(letters.begin(), letters.end()).size() == count;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(spelled ? prefix + letters[i] : fmt::format("{}_{}", name, i));
  return names;
}

FlagEffect difference(const kernel::ExportedCall& base, const kernel::ExportedCall& other) {
  if (base.tensors.size() != other.tensors.size()) return FlagEffect::problem;
  for (std::size_t i = 0; i < base.tensors.size(); ++i) {
    const auto &a = base.tensors[i], &b = other.tensors[i];
    if (a.dtype != b.dtype || a.shape != b.shape || a.stride != b.stride || a.content != b.content ||
        a.relocations != b.relocations)
      return FlagEffect::problem;
  }
  if (base.device_code_sha256 != other.device_code_sha256 ||
      base.arguments.size() != other.arguments.size() || base.launches.size() != other.launches.size())
    return FlagEffect::kernel;
  for (std::size_t i = 0; i < base.launches.size(); ++i) {
    const auto &a = base.launches[i], &b = other.launches[i];
    if (a.grid != b.grid || a.block != b.block || a.cluster != b.cluster ||
        a.dynamic_smem_bytes != b.dynamic_smem_bytes)
      return FlagEffect::kernel;
  }
  const std::vector<unsigned long long> nowhere(std::max(base.buffers.size(), other.buffers.size()), 0);
  return kernel::argument_block(base, nowhere) == kernel::argument_block(other, nowhere) ? FlagEffect::nothing
                                                                                         : FlagEffect::kernel;
}

std::vector<ProbedFlag> probe_flags(const ProbeRequest& request, const kernel::ExportedCall& base,
                                    const std::set<std::string>& reserved,
                                    std::vector<std::string>& passed_over) {
  std::vector<ProbedFlag> all;
  for (const ProgramFlag& flag : base.flags) {
    const bool fixed = std::any_of(
        request.base.flags.begin(), request.base.flags.end(),
        [&](const auto& word) { return word == flag.option || word.starts_with(flag.option + "="); });
    const std::string reason = fixed ? "fixed by the import" : why_not(flag);
    if (!reason.empty()) {
      passed_over.push_back((flag.option.empty() ? flag.destination : flag.option) + ": " + reason);
      continue;
    }
    for (ProbedFlag& part : parts_of(flag)) {
      if (reserved.count(part.parameter.name)) part.parameter.name = "program_" + part.parameter.name;
      all.push_back(std::move(part));
    }
  }
  std::mutex telling;
  std::size_t done = 0;
  const std::vector<ProbedFlag> unchanged = all;
  capture::run_all(all.size(), request.jobs, [&](std::size_t i) {
    probe_one(request, base, unchanged, all[i]);
    const std::lock_guard<std::mutex> alone(telling);
    if (request.progress) request.progress(fmt::format("{} of {} options tried", ++done, all.size()));
  });
  probe_together(request, base, all);
  probe_counts(request, base, all);
  return all;
}

void describe_parameters(const std::vector<ProbedFlag>& flags, kernel::PackageDescription& description) {
  std::map<std::string, FlagEffect> effects;  // an option is given as a whole: its components stay together
  for (const ProbedFlag& flag : flags) {
    auto& effect = effects.emplace(flag.parameter.option, FlagEffect::refused).first->second;
    effect = std::max(effect, flag.effect);
  }
  kernel::ImportedConfiguration first;
  for (const ProbedFlag& flag : flags) {
    const auto& p = flag.parameter;
    const FlagEffect effect = effects.at(p.option);
    if (effect == FlagEffect::nothing || effect == FlagEffect::refused) {
      if (p.component <= 0)
        description.passed_over.push_back(p.option + ": " +
                                          (effect == FlagEffect::nothing ? "changes nothing of the call"
                                           : flag.because.empty()
                                               ? "no other value is known"
                                               : "no other value gave a call: " + flag.because));
    } else if (effect == FlagEffect::problem || p.kind == "word" || p.kind == "tuples") {
      description.parameters.push_back(p);
    } else {
      description.configuration.push_back(p);
      first.values[p.name] = parse_integer(p.value).value_or(0);
    }
  }
  description.configurations.push_back(first);
  for (const ProbedFlag& flag : flags) {
    if (!first.values.count(flag.parameter.name)) continue;
    for (const auto& [value, because] : flag.outcome) {
      auto other = first;
      other.values[flag.parameter.name] = parse_integer(value).value_or(0);
      other.rejected_because = because;
      description.configurations.push_back(std::move(other));
    }
  }
}

std::map<std::string, std::string> probe_ragged(const ProbeRequest& request,
                                                const std::vector<ProbedFlag>& flags,
                                                const kernel::PackageDescription& description) {
  constexpr long long small = 256;
  for (const long long remainder : {8, 16, 32, 64}) {
    std::map<std::string, std::string> problem;
    long long turn = 1;
    for (const ProbedFlag& flag : flags) {
      const auto& p = flag.parameter;
      if (!flag.scaled.empty() && parse_integer(p.value).value_or(0) >= small)
        problem[p.name] = fmt::format("{}", small + remainder * turn++);
      // The number of tiles is often fixed in the kernel: a little less than a problem that it solves.
      if (p.kind != "tuples" || flag.effect != FlagEffect::problem) continue;
      const std::string less =
          with_numbers(p.value, [&](std::int64_t n) { return n >= small ? n - remainder * turn++ : n; });
      if (less != p.value) problem[p.name] = less;
    }
    if (problem.empty()) return {};
    kernel::ExportWanted wanted = request.base;
    wanted.flags = kernel::flags_of(description, problem);
    if (request.progress) request.progress("a ragged problem");
    if (request.exporter.get(wanted)) return problem;
  }
  return {};
}

}  // namespace cutelab::cli
