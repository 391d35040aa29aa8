#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/file_source.h"
#include "base/text.h"
#include "cli/verb.h"

namespace cutelab::cli {

Flag output_flag(std::string name, std::string help) {
  Flag flag;
  flag.name = std::move(name);
  flag.value = "FILE";
  flag.help = std::move(help);
  flag.is_output = true;
  return flag;
}

std::string Arguments::get(const std::string& flag, const std::string& otherwise) const {
  const auto it = values_.find(flag);
  return it == values_.end() || it->second.empty() ? otherwise : it->second.back();
}

std::vector<std::string> Arguments::all(const std::string& flag) const {
  const auto it = values_.find(flag);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

namespace {

std::string long_name(const Flag& flag) { return flag.name.substr(flag.name.rfind("--")); }

std::vector<std::string> spellings(const VerbSpec& spec) {
  std::vector<std::string> all = {"--help"};
  for (const Flag& flag : spec.flags) all.push_back(long_name(flag));
  return all;
}

Error usage_error(const VerbSpec& spec, std::string wrong, std::string remedy) {
  return Error{ErrorKind::usage, spec.name, std::move(wrong), "",
               remedy.empty() ? fmt::format("cutelab {} --help", spec.name) : std::move(remedy)};
}

struct Slots {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> switches;
};

/// Flags only: positionals are what CLI11 leaves over, so that "--arch sm_90 FILE" cannot swallow FILE.
void declare(const VerbSpec& spec, CLI::App& app, Slots& slots) {
  for (const Flag& flag : spec.flags) {
    const std::string name = long_name(flag);
    if (flag.value.empty()) {
      app.add_flag(flag.name, slots.switches[name]);
      continue;
    }
    auto* option = app.add_option(flag.name, slots.values[name])->expected(1)->allow_extra_args(false);
    option->multi_option_policy(flag.repeated ? CLI::MultiOptionPolicy::TakeAll
                                              : CLI::MultiOptionPolicy::TakeLast);
  }
}

Status check_choices(const VerbSpec& spec, const Arguments& arguments) {
  for (const Flag& flag : spec.flags) {
    if (flag.choices.empty()) continue;
    for (const std::string& value : arguments.all(long_name(flag))) {
      if (std::find(flag.choices.begin(), flag.choices.end(), value) != flag.choices.end()) continue;
      const auto near = nearest(value, flag.choices);
      return usage_error(spec, fmt::format("{} does not take '{}'", long_name(flag), value),
                         near
                             ? fmt::format("did you mean '{}'? It takes: {}", *near, join(flag.choices, ", "))
                             : fmt::format("it takes: {}", join(flag.choices, ", ")));
    }
  }
  return {};
}

/// CLI11's "--banks: 1 required TEXT missing" in terms of the flag; its other texts as they are.
std::string parse_error_text(const VerbSpec& spec, const std::string& text) {
  for (const Flag& flag : spec.flags)
    if (!flag.value.empty() && text.starts_with(long_name(flag) + ": 1 required"))
      return fmt::format("{} wants a value: {}", long_name(flag),
                         flag.choices.empty() ? flag.value : join(flag.choices, ", "));
  return text;
}

/// An empty value is mostly a variable of a shell that is not set. Texts may be empty.
Status check_empty_values(const VerbSpec& spec, const Arguments& arguments) {
  for (const Flag& flag : spec.flags) {
    if (flag.value.empty() || flag.value == "TEXT" || flag.value == "FLAG") continue;
    for (const std::string& value : arguments.all(long_name(flag)))
      if (value.empty())
        return usage_error(spec, fmt::format("{} is given an empty value", long_name(flag)),
                           fmt::format("write {}={}, or leave it out", long_name(flag), flag.value));
  }
  return {};
}

Status check_outputs(const VerbSpec& spec, const Arguments& arguments) {
  for (const Flag& flag : spec.flags) {
    if (!flag.is_output) continue;
    for (const std::string& file : arguments.all(long_name(flag)))
      if (file != "-")
        if (auto writable = check_can_write(file); !writable) return writable.error();
  }
  return {};
}

/// The positionals are one sequence; each of the verb's slots says how many of it are its own.
Status check_positionals(const VerbSpec& spec, const std::vector<std::string>& words) {
  std::size_t least = 0, most = 0;
  for (const Positional& p : spec.positionals) {
    least += static_cast<std::size_t>(p.least);
    if (words.size() < least) return usage_error(spec, fmt::format("{} is missing", p.name), "");
    most = p.most < 0 ? std::string::npos : most + static_cast<std::size_t>(p.most);
    if (p.most < 0) break;
  }
  if (words.size() > most)
    return usage_error(spec, fmt::format("'{}' is one argument too many", words[most]), "");
  return {};
}

/// Words that no flag or positional took: `--name=value` of an open verb, or an error with the nearest
/// spelling.
Status take_extras(const VerbSpec& spec, const std::vector<std::string>& extras, Arguments& arguments) {
  for (const std::string& word : extras) {
    const auto equals = word.find('=');
    if (spec.open_flags && word.rfind("--", 0) == 0 && equals != std::string::npos) {
      arguments.open_.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
      continue;
    }
    if (word.rfind('-', 0) != 0 || word == "-") {
      arguments.positionals_.push_back(word);
      continue;
    }
    const auto near = nearest(word.substr(0, equals), spellings(spec));
    return usage_error(spec, fmt::format("unknown flag '{}'", word),
                       near ? fmt::format("did you mean {}?", *near) : "");
  }
  return {};
}

Arguments collect(const Slots& slots) {
  Arguments arguments;
  for (const auto& [name, values] : slots.values)
    if (!values.empty()) arguments.values_[name] = values;
  for (const auto& [name, on] : slots.switches)
    if (on) arguments.values_[name] = {};
  return arguments;
}

/// `--arch=` is `--arch` with an empty value: for the parser below it would take the next word, another flag
/// perhaps.
std::vector<std::string> with_empty_values(const VerbSpec& spec, const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const bool empty =
        word.ends_with('=') && std::any_of(spec.flags.begin(), spec.flags.end(), [&](const Flag& f) {
          return !f.value.empty() && long_name(f) + "=" == word;
        });
    out.push_back(empty ? word.substr(0, word.size() - 1) : word);
    if (empty) out.emplace_back();
  }
  return out;
}

/// Gives every flag whose value may be left out a value of its own: `--json` becomes `--json=-`.
std::vector<std::string> with_values(const VerbSpec& spec, const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.push_back(words[i]);
    for (const Flag& flag : spec.flags) {
      if (flag.optional_suffix.empty() || words[i] != long_name(flag)) continue;
      const bool taken =
          i + 1 < words.size() && (words[i + 1] == "-" || words[i + 1].ends_with(flag.optional_suffix));
      out.back() += "=" + (taken ? words[++i] : "-");
      break;
    }
  }
  return out;
}

}  // namespace

Result<Arguments> parse_arguments(const VerbSpec& spec, const std::vector<std::string>& words) {
  const auto dashes =
      std::find(words.begin(), words.end(), "--");  // what follows are positionals, whatever they look like
  std::vector<std::string> reversed = with_empty_values(spec, with_values(spec, {words.begin(), dashes}));
  std::reverse(reversed.begin(), reversed.end());
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Slots slots;
  declare(spec, app, slots);
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& e) {
    return usage_error(spec, parse_error_text(spec, e.what()), "");
  }
  Arguments arguments = collect(slots);
  if (auto status = take_extras(spec, app.remaining(), arguments); !status) return status.error();
  if (dashes != words.end())
    arguments.positionals_.insert(arguments.positionals_.end(), dashes + 1, words.end());
  if (auto status = check_positionals(spec, arguments.positionals_); !status) return status.error();
  if (auto status = check_empty_values(spec, arguments); !status) return status.error();
  if (auto status = check_choices(spec, arguments); !status) return status.error();
  if (auto status = check_outputs(spec, arguments); !status) return status.error();
  return arguments;
}

}  // namespace cutelab::cli
