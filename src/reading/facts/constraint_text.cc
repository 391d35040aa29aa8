#include "reading/facts/constraint_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/text.h"

namespace cutelab::reading {
namespace {
using Words = std::vector<std::string>;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Lower-case words, numbers and signs; "16-byte" is a number and a word, "A/B" two words and a sign.
Words words_of(std::string_view text) {
  Words out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_letter(text[i]))
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    else if (is_digit(text[i]))
      while (end < text.size() && is_digit(text[end])) ++end;
    else if (end < text.size() && text[end] == '=' && (text[i] == '<' || text[i] == '>' || text[i] == '='))
      ++end;
    if (text[i] != ' ' && text[i] != '`' && text[i] != '"') out.push_back(to_lower(text.substr(i, end - i)));
    i = end;
  }
  return out;
}

bool names_modes(std::string_view word) {
  return !word.empty() && word.size() <= 4 && word.find_first_not_of("mnkl") == std::string_view::npos;
}

std::string normal(std::string word) {
  if (word == "tiler" || word == "tiles") return "tile";
  return word;
}

/// Words that carry no meaning of their own in a subject.
bool is_filler(const std::string& word) {
  static const std::set<std::string> fillers = {"the",    "of",     "and",   "shape", "size",
                                                "also",   "values", "value", "a",     "in",
                                                "shapes", "sizes",  "mode",  "modes", "dimension"};
  return fillers.count(word) > 0;
}

RuleQuantity quantity_of(const Words& words, std::size_t begin, std::size_t end) {
  RuleQuantity out;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& w = words[i];
    if (w == "(") break;
    if (is_digit(w[0]) && i > begin && words[i - 1] == "*") {
      out.times = parse_integer(w).value_or(1);
    } else if (w.find('_') != std::string::npos) {
      const RuleQuantity named = quantity_of_name(w);
      out.words.insert(out.words.end(), named.words.begin(), named.words.end());
      out.modes += named.modes;
    } else if (names_modes(w)) {
      out.modes += w;
    } else if (is_letter(w[0]) && !is_filler(w)) {
      out.words.push_back(normal(w));
    }
  }
  return out;
}

/// Reads the demands of what stands after "must be".
class DemandReader {
 public:
  DemandReader(const Words& words, std::size_t at) : w_(words), at_(at) {}

  std::vector<RuleDemand> read() {
    while (at_ < w_.size() && !failed_) {
      if (skip_joints()) continue;
      if (!one()) break;
    }
    if (failed_) out_.clear();
    return std::move(out_);
  }

 private:
  const std::string& word(std::size_t ahead = 0) const {
    static const std::string none;
    return at_ + ahead < w_.size() ? w_[at_ + ahead] : none;
  }
  bool is(std::initializer_list<const char*> sequence) const {
    std::size_t i = 0;
    for (const char* s : sequence)
      if (word(i++) != s) return false;
    return true;
  }
  bool take(std::initializer_list<const char*> sequence) {
    if (!is(sequence)) return false;
    at_ += sequence.size();
    return true;
  }
  std::optional<std::int64_t> number() {
    if (word().empty() || !is_digit(word()[0])) return std::nullopt;
    return parse_integer(w_[at_++]);
  }
  bool skip_joints() {
    for (const char* joint : {",", "and", "also", "be", "a", "an", "either", "."})
      if (word() == joint) return ++at_, true;
    return false;
  }
  void add(RuleDemand::Kind kind, std::vector<std::int64_t> numbers, RuleQuantity other = {}) {
    out_.push_back({kind, std::move(numbers), std::move(other), {}});
  }

  bool one() {
    if (take({"positive"})) return add(RuleDemand::Kind::positive, {}), true;
    if (take({"power", "of", "2"}) || take({"power", "of", "two"}) || take({"powers", "of", "2"}))
      return add(RuleDemand::Kind::power_of_two, {}), true;
    if (take({"multiple", "of"}) || take({"multiples", "of"}) || take({"divisible", "by"})) return multiple();
    if (is({"total"})) return total();
    if (take({"<="}) || take({"at", "most"})) return limit(RuleDemand::Kind::at_most);
    if (take({">="}) || take({"at", "least"})) return limit(RuleDemand::Kind::at_least);
    if (take({"if"})) return condition();
    if (take({"["})) return choices();
    if (!word().empty() && is_digit(word()[0])) return choices();
    return false;
  }

  bool limit(RuleDemand::Kind kind) {
    const auto n = number();
    if (!n || word().starts_with("byte")) return failed_ = true;
    add(kind, {*n});
    return true;
  }

  bool total() {
    while (word() == "total" || word() == "cluster" || word() == "size") ++at_;
    if (!take({"<="})) return failed_ = true;
    return limit(RuleDemand::Kind::total_at_most);
  }

  /// "multiple of 8", "divisible by the tile size m & n (256, 256)", "divisible by num_threads",
  /// "divisible by 64 (sf_vec_size=16) or 128 (sf_vec_size=32)".
  bool multiple() {
    if (const auto n = number()) {
      add(RuleDemand::Kind::multiple, {*n});
      if (annotation() && take({"or"}))
        if (const auto other = number()) {
          add(RuleDemand::Kind::multiple, {*other});
          annotation();
        }
      return true;
    }
    const std::size_t begin = at_;
    while (at_ < w_.size() && word() != "(" && word() != "," && word() != "if" && word() != "." &&
           word() != "otherwise" && word() != "per")
      ++at_;
    const std::size_t end = at_;
    if (word() == "per")  // "num_k_blocks per k_tile": the name is that of the whole
      while (at_ < w_.size() && word() != "(" && word() != "," && word() != "if" && word() != ".") ++at_;
    if (!usual_value() && take({"("})) {
      std::vector<std::int64_t> numbers;
      while (const auto n = number()) {
        numbers.push_back(*n);
        take({","});
      }
      if (!numbers.empty() && take({")"})) return add(RuleDemand::Kind::multiple, std::move(numbers)), true;
      return failed_ = true;
    }
    RuleQuantity other = quantity_of(w_, begin, end);
    if (other.words.empty() || end - begin > 4) return failed_ = true;
    add(RuleDemand::Kind::multiple, {}, std::move(other));
    if (usual_value()) annotation();
    return true;
  }

  /// "(typically 4)": a remark, no demand.
  bool usual_value() const {
    return word() == "(" && at_ + 1 < w_.size() &&
           (w_[at_ + 1] == "typically" || w_[at_ + 1] == "usually" || w_[at_ + 1] == "normally");
  }

  /// "64/128", "128 or 256", "32-256, step 32", "1, 1]"
  bool choices() {
    std::vector<std::int64_t> numbers;
    if (const auto n = number()) numbers.push_back(*n);
    if (numbers.empty()) return failed_ = true;
    if (take({"-"})) {
      const auto last = number();
      if (!last) return failed_ = true;
      const bool stepped = take({",", "step"}) || take({"step"});
      const auto step = stepped ? number() : std::optional<std::int64_t>(1);
      if (!step || *step < 1) return failed_ = true;
      add(RuleDemand::Kind::between, {numbers[0], *last, *step});
      return true;
    }
    bool tuple = false;
    while (word() == "/" || word() == "or" || word() == "," || word() == "|") {
      if (at_ + 1 >= w_.size() || !is_digit(w_[at_ + 1][0])) break;
      tuple = tuple || word() == ",";
      ++at_;
      numbers.push_back(*number());
    }
    tuple = take({"]"}) || tuple;
    if (tuple && std::any_of(numbers.begin(), numbers.end(), [&](auto n) { return n != numbers[0]; }))
      return failed_ = true;
    if (word().starts_with("byte") || word() == "%" || word() == "k" || word() == "x") return failed_ = true;
    add(RuleDemand::Kind::one_of, tuple ? std::vector<std::int64_t>{numbers[0]} : std::move(numbers));
    if (annotation() && take({"or"}) && !word().empty() && is_digit(word()[0])) return choices();
    return true;
  }

  /// "(use_2cta_instrs=True)" after a choice is its condition; any other remark is passed over.
  bool annotation() {
    if (word() != "(") return false;
    std::size_t close = at_;
    while (close < w_.size() && w_[close] != ")") ++close;
    if (close == at_ + 4 && (w_[at_ + 2] == "=" || w_[at_ + 2] == "=="))
      out_.back().when = {quantity_of_name(w_[at_ + 1]), w_[at_ + 3]};
    at_ = std::min(close + 1, w_.size());
    return true;
  }

  /// "if use_2cta_instrs=True", "if Mma tiler M is 256(use_2cta_instrs)": of every demand before it.
  bool condition() {
    const std::size_t begin = at_;
    while (at_ < w_.size() && word() != "=" && word() != "==" && word() != "is") ++at_;
    if (at_ + 1 >= w_.size()) return failed_ = true;
    const RuleCondition when{quantity_of(w_, begin, at_), w_[at_ + 1]};
    if (when.of.words.empty()) return failed_ = true;
    for (RuleDemand& demand : out_) demand.when = when;
    at_ = w_.size();
    return true;
  }

  const Words& w_;
  std::size_t at_;
  std::vector<RuleDemand> out_;
  bool failed_ = false;
};

bool holds(const Words& words, std::string_view part) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return w == part; });
}

/// Letters of "A/B/C tensors"; "abc" where the sentence says each or all.
std::string tensors_of(const Words& words) {
  std::string out;
  for (const std::string& w : words)
    if (w.size() == 1 && w[0] >= 'a' && w[0] <= 'd' && (w != "a" || words.size() > 2)) out += w;
  return out.size() < 2 ? "abc" : out;
}

/// The index after "must be" and its like; 0 = the sentence makes no demand.
std::size_t after_verb(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if ((words[i] == "must" || words[i] == "should") && words[i + 1] == "be") return i + 2;
    if (words[i] == "must" && words[i + 1] == "have") return i + 2;
  }
  return 0;
}
}  // namespace

RuleQuantity quantity_of_name(std::string_view name) {
  RuleQuantity out;
  const std::string low = to_lower(name);
  std::vector<std::string> parts;
  for (const auto part : split(low, '_'))
    if (!part.empty() && part != "shape" && part != "size") parts.push_back(normal(std::string(part)));
  if (!parts.empty() && names_modes(parts.back())) {
    out.modes = parts.back();
    parts.pop_back();
  }
  out.words = std::move(parts);
  return out;
}

RuleText understand_rule(std::string_view text) {
  Words words = words_of(text);
  while (!words.empty() && !is_letter(words.front()[0])) words.erase(words.begin());
  RuleText out;
  if (holds(words, "oob") && holds(words, "allowed") && holds(words, "tma") && holds(words, "store") &&
      holds(words, "disabled")) {
    out.kind = RuleText::Kind::whole_tiles;
    return out;
  }
  const std::size_t verb = after_verb(words);
  if (verb == 0) return out;
  const Words subject(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(verb) - 2);
  if (holds(subject, "contiguous")) {
    for (std::size_t i = verb; i + 1 < words.size(); ++i) {
      const std::size_t unit = words[i + 1] == "-" ? i + 2 : i + 1;
      if (is_digit(words[i][0]) && unit < words.size() && words[unit].starts_with("byte"))
        out.bytes = parse_integer(words[i]).value_or(0);
    }
    out.kind = out.bytes > 0 ? RuleText::Kind::aligned : RuleText::Kind::none;
    out.tensors = tensors_of(subject);
    return out;
  }
  if (words[verb - 1] == "have") {
    const bool same = holds(words, "same") && (holds(words, "type") || holds(words, "types"));
    if (same && tensors_of(subject) == "ab" && !holds(subject, "for")) out.kind = RuleText::Kind::same_type;
    return out;
  }
  out.of = quantity_of(subject, 0, subject.size());
  out.demands = DemandReader(words, verb).read();
  if (!out.demands.empty()) out.kind = RuleText::Kind::demands;
  return out;
}

}  // namespace cutelab::reading
