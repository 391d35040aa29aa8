#include <algorithm>

#include "reading/models/argparse_parsing.h"

/// Words of a command line, and which arguments take them.
namespace cutelab::reading::machine {
namespace argparse_models {
namespace {
/// How many words an argument takes.
struct Count {
  std::size_t least = 1, most = 1;
  bool known = true;
};
constexpr std::size_t any_number = 1u << 20;

Count words_of(Machine& m, const Record* argument) {
  const std::string action = text_field(m, argument, "action");
  if (action == "parsers") return {1, any_number};
  if (action != "store" && action != "append" && action != "extend" && action != "other") return {0, 0};
  const Value nargs = m.field(argument, "nargs");
  const auto form = text_in(nargs);
  const bool followed = action != "other";  // one of the program's own may set anything
  if (nargs.is_integral() && nargs.number() >= 0)
    return {static_cast<std::size_t>(nargs.number()), static_cast<std::size_t>(nargs.number()), followed};
  if (form == "?") return {0, 1, followed};
  if (form == "*") return {0, any_number, followed};
  if (form == "+") return {1, any_number, followed};
  return {1, 1, followed && nargs.is_none()};
}

bool is_number(const std::string& word) {
  const auto dot = word.find_first_not_of("0123456789", 1);
  if (word.size() < 2 || word[0] != '-') return false;
  if (dot == std::string::npos) return true;
  return word[dot] == '.' && dot + 1 < word.size() &&
         word.find_first_not_of("0123456789", dot + 1) == std::string::npos;
}

Words part(const Words& words, std::size_t begin, std::size_t end) {
  return {words.begin() + static_cast<std::ptrdiff_t>(begin),
          words.begin() + static_cast<std::ptrdiff_t>(end)};
}
}  // namespace

Record* Parsing::option(const std::string& word) {
  Record* found = nullptr;
  ambiguous_ = false;
  for (Record* argument : arguments_) {
    const auto* flags = sequence_of(m_.field(argument, "option_strings"));
    for (const Value& flag : flags ? *flags : std::vector<Value>()) {
      const std::string text = text_in(flag).value_or("");
      if (text == word) {
        ambiguous_ = false;
        return argument;
      }
      if (word.size() < 3 || !word.starts_with("--") || !text.starts_with(word)) continue;
      ambiguous_ = ambiguous_ || (found && found != argument);
      found = argument;
    }
  }
  return found;
}

/// Whether a word stands where an option does.
bool Parsing::is_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (option(word.substr(0, word.find('=')))) return true;
  return !is_number(word) && word.find(' ') == std::string::npos;
}

void Parsing::parse(const Words& words) {
  std::size_t end_of_options = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (is_option(words[i])) end_of_options = i + 1;
  for (Record* argument : arguments_)
    if (is_positional(m_, argument)) places_.push_back(argument);
  std::size_t at = 0;
  while (at < end_of_options && !m_.raising() && !lost_) {
    std::size_t next = at;
    while (!is_option(words[next])) ++next;
    if (const std::size_t taken = next > at ? take_places(words, at, next) : 0) {
      at += taken;
      continue;
    }
    extras_.insert(extras_.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                   words.begin() + static_cast<std::ptrdiff_t>(next));
    at = take_option(words, next);
  }
  if (m_.raising() || lost_) return;
  at += take_places(words, at, words.size());
  const Words rest = part(words, at, words.size());
  extras_.insert(extras_.end(), rest.begin(), rest.end());
}

/// As many of the places as the words before the next option are enough for; how many words they took.
std::size_t Parsing::take_places(const Words& words, std::size_t at, std::size_t next) {
  std::size_t fit = places_.size();
  const auto least = [&](std::size_t from, std::size_t to) {
    std::size_t out = 0;
    for (std::size_t i = from; i < to; ++i) out += words_of(m_, places_[i]).least;
    return out;
  };
  while (fit > 0 && least(0, fit) > next - at) --fit;
  const std::vector<Record*> chosen(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(fit));
  std::size_t begin = at;
  for (std::size_t i = 0; i < fit && !m_.raising(); ++i) {
    const Count count = words_of(m_, chosen[i]);
    lost_ = lost_ || !count.known;
    if (text_field(m_, chosen[i], "action") == "parsers") {
      command(chosen[i], part(words, begin, words.size()));
      begin = words.size();
      fit = i + 1;
      break;
    }
    const std::size_t own = std::min(count.most, next - begin - least(i + 1, fit));
    take(chosen[i], "", part(words, begin, begin + own));
    begin += own;
  }
  places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(fit));
  return begin - at;
}

std::size_t Parsing::take_option(const Words& words, std::size_t at) {
  const std::string& word = words[at];
  const auto equals = word.find('=');
  const bool is_long = word.starts_with("--");
  const std::string flag = word.substr(0, equals);
  Record* argument = option(flag);
  // "--" ends the options; "-x5" and "-xyz" are several in one word.
  lost_ = lost_ || word == "--" || ambiguous_ || (!argument && !is_long);
  if (lost_) return words.size();
  if (!argument) {
    extras_.push_back(word);
    return at + 1;
  }
  const Count count = words_of(m_, argument);
  lost_ = lost_ || !count.known;
  if (equals != std::string::npos) {
    if (count.most == 0 || count.least > 1)
      fail("argument " + flag + ": one word is not what it takes");
    else
      take(argument, flag, {word.substr(equals + 1)});
    return at + 1;
  }
  std::size_t end = at + 1;
  while (end < words.size() && end - at - 1 < count.most && !is_option(words[end])) ++end;
  if (end - at - 1 < count.least)
    fail("argument " + flag + ": expected more words");
  else
    take(argument, flag, part(words, at + 1, end));
  return end;
}

/// The rest of the words is for the parser that the first of them names.
void Parsing::command(Record* subparsers, const Words& words) {
  seen_.insert(subparsers);
  if (const std::string dest = dest_of(subparsers); !dest.empty()) space_.set(dest, m_.text(words.front()));
  const List* all = m_.field(subparsers, "parsers").as<List>();
  for (const Value& pair : all ? all->items : std::vector<Value>()) {
    const auto* items = sequence_of(pair);
    Record* chosen = items ? record_if((*items)[1], "ArgumentParser") : nullptr;
    if (!chosen || text_in((*items)[0]) != words.front()) continue;
    Space own(call_, m_.record("Namespace", "argparse.Namespace", &call_));
    Parsing inner(call_, own, chosen);
    inner.run(part(words, 1, words.size()));
    if (m_.raising()) return;
    for (const auto& [name, value] : std::vector(own.value().as<Record>()->fields.items()))
      if (value.bound()) space_.set(m_.name_of(name), value);
    extras_.insert(extras_.end(), inner.extras().begin(), inner.extras().end());
    return;
  }
  fail("invalid choice: " + words.front());
}

namespace {

/// The words to parse: of the call, else of sys.argv, where the program says what that is. nullopt: they are
/// not known.
std::optional<Words> words_given(Call& call) {
  Machine& m = call.machine;
  Value given = call.get(0, "args", Value::none());
  const auto is_command_line = [](const Value& v) {
    const Unknown* unknown = v.as<Unknown>();
    const External* name = v.as<External>();
    return (name && name->path == "sys.argv") ||
           (unknown && !unknown->changed && unknown->path.starts_with("sys.argv["));
  };
  std::size_t from = 0;
  if (given.is_none()) {
    given = m.attribute(m.external("sys"), "argv", call.node, call.module);
    from = 1;
  }
  if (is_command_line(given)) return Words();
  const auto items = m.items_in_order(given);
  if (!items) return std::nullopt;
  Words out;
  for (std::size_t i = from; i < items->size(); ++i) {
    const auto text = text_in((*items)[i]);
    if (!text) return std::nullopt;
    out.push_back(*text);
  }
  return out;
}

/// Extra words are an error unless they are asked for.
std::optional<Value> parse(Call& call, bool known_only) {
  Record* self = call.self.as<Record>();
  if (!self || !arguments_of(call.machine, self)) return std::nullopt;
  Machine& m = call.machine;
  const Value given = call.get(1, "namespace", Value::none());
  const bool own = record_if(given, "Namespace") || given.as<Instance>();
  if (!own && !given.is_none()) return lost(m, "a namespace that is not known");
  Space space(call, own ? given : Value(m.record("Namespace", "argparse.Namespace", &call)));
  const auto words = words_given(call);
  Parsing parsing(call, space, self);
  if (words)
    parsing.run(*words);
  else
    parsing.lose("words that are not known");
  if (m.raising()) return Value();
  if (!parsing.extras().empty() && !known_only)
    return m.raise_error("SystemExit", "SystemExit: unrecognized arguments: " + parsing.extras().front(),
                         call.node, call.module);
  if (!known_only) return space.value();
  std::vector<Value> extras;
  for (const std::string& word : parsing.extras()) extras.push_back(m.text(word));
  const Value rest = words ? m.list(std::move(extras)) : lost(m, "words that are not known");
  return m.tuple({space.value(), rest});
}

}  // namespace

std::optional<Value> parse_args(Call& call) { return parse(call, false); }
std::optional<Value> parse_known_args(Call& call) { return parse(call, true); }
/// Differs where places stand between options; without words it does not.
std::optional<Value> parse_intermixed_args(Call& call) {
  const auto words = words_given(call);
  return words && words->empty() ? parse(call, false)
                                 : lost(call.machine, "a command line that is not followed");
}

}  // namespace argparse_models
}  // namespace cutelab::reading::machine
