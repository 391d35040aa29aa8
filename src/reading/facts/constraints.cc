#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "base/text_table.h"
#include "reading/facts/constraint_text.h"
#include "reading/facts/context.h"
#include "reading/models/models.h"

/// Rules of the docstring held against the problem that was read.
namespace cutelab::reading {
using evidence::Constraint;
using source::Field;
using source::Node;
using NodeKind = source::Kind;
using Verdict = Constraint::Verdict;
namespace {

constexpr std::size_t most_uses = 40;  ///< of one name that are asked for its value

/// A quantity's number for one mode, and how a reader of the source finds it.
struct Told {
  std::string name;  ///< "mma_tiler_mn[0]"
  std::optional<std::int64_t> number;
};

/// What the names of a file stand for. A name is asked where it is used, the last use that is known answers.
class NamedValues {
 public:
  explicit NamedValues(FactContext& context) : context_(context) {
    const source::Tree::Nodes names = context.module().tree().all(NodeKind::identifier);
    places_.reserve(names.size());
    for (const Node n : names) {
      Uses& uses = uses_.try_emplace(n.text()).first->second;
      if (uses.count == most_uses) continue;
      places_.push_back({n, no_place});
      (uses.count++ == 0 ? uses.first : places_[uses.last].next) = places_.size() - 1;
      uses.last = places_.size() - 1;
    }
    for (const auto& [name, uses] : uses_) names_.push_back(name);
    std::sort(names_.begin(), names_.end());
  }

  bool has(std::string_view name) const { return uses_.count(name) > 0; }

  const Abstract& value(const std::string& name) {
    const auto [place, fresh] = values_.try_emplace(name, Abstract::unknown("not told"));
    if (!fresh || !has(name)) return place->second;
    for (std::size_t at = uses_.at(name).first; at != no_place; at = places_[at].next) {
      const Node n = places_[at].node;
      Node use = n;
      if (n.field() == Field::attribute_field) use = n.parent();
      if (n.field() == Field::name_field && n.parent().is(NodeKind::keyword_argument))
        use = n.parent().child(Field::value_field);
      const Abstract known = context_.evaluator.value_of(0, use);
      if (!known.known() || known.is(Abstract::Kind::none) || known.is(Abstract::Kind::function) ||
          known.is(Abstract::Kind::type))
        continue;
      place->second = known;  // what it is last, where it is set in steps
    }
    return place->second;
  }

  /// Names that mean the quantity, best first: the same words before some of them.
  const std::vector<std::string>& names_of(const RuleQuantity& of) {
    const auto [place, fresh] = names_of_words_.try_emplace(of.words);
    if (fresh) place->second = find_names(of);
    return place->second;
  }

  std::vector<std::string> find_names(const RuleQuantity& of) {
    std::vector<std::string> same, plain, part;
    for (const std::string_view name : names_) {
      if (!of.words.empty() && !holds_word(name, of.words.back())) continue;
      const RuleQuantity& named = quantity(name);
      if (named.words == of.words && (!of.words.empty() || named.modes.size() > 1))
        (named.modes.size() > 1 ? same : plain).emplace_back(name);
      else if (of.words.size() == 2 && named.words.size() == 1 && named.words[0] == of.words[1] &&
               named.modes.size() > 1)
        part.emplace_back(name);
    }
    same.insert(same.end(), plain.begin(), plain.end());
    same.insert(same.end(), part.begin(), part.end());
    return same;
  }

  /// nullopt: nothing in the file is called so. A number that is missing: it is, but its value is not known.
  std::optional<Told> of_mode(const RuleQuantity& of, char mode) {
    std::optional<Told> open;
    for (const std::string& name : names_of(of)) {
      const RuleQuantity& named = quantity(name);
      const Abstract& whole = value(name);
      if (mode && named.modes.empty() && !whole.is(Abstract::Kind::tuple)) continue;
      if (mode && !named.modes.empty() && named.modes.find(mode) == std::string::npos) continue;
      if (!mode && named.modes != of.modes) continue;
      Told told{name, std::nullopt};
      const Abstract* item = &whole;
      if (mode && (named.modes.size() != 1 || whole.is(Abstract::Kind::tuple))) {
        const auto at = named.modes.empty() ? std::string("mnkl").find(mode) : named.modes.find(mode);
        told.name += "[" + std::to_string(at) + "]";
        item = whole.is(Abstract::Kind::tuple) && at < whole.items.size() ? &whole.items[at] : nullptr;
      }
      if (item && item->is_number()) {
        told.number = item->number * of.times;
        if (of.times != 1) told.name += " * " + std::to_string(of.times);
        return told;
      }
      if (!open) open = told;
    }
    return open;
  }

  /// Extent of the problem along one mode.
  std::optional<Told> problem(char mode) {
    if (auto told = of_mode({{}, "", 1}, mode)) return told;
    for (const char letter : {mode, static_cast<char>(mode - 32)}) {
      const std::string name(1, letter);
      if (has(name))
        return Told{name, value(name).is_number() ? std::optional(value(name).number) : std::nullopt};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t no_place = SIZE_MAX;
  struct Place {
    Node node;
    std::size_t next;  ///< of the same name
  };
  struct Uses {
    std::size_t count = 0, first = no_place, last = no_place;
  };

  const RuleQuantity& quantity(std::string_view name) {
    const auto [place, fresh] = quantities_.try_emplace(name);
    if (fresh) place->second = quantity_of_name(name);
    return place->second;
  }
  /// Whether the letters of a lower-case word stand in a name.
  static bool holds_word(std::string_view name, std::string_view word) {
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
    return std::search(name.begin(), name.end(), word.begin(), word.end(), same) != name.end();
  }

  FactContext& context_;
  std::unordered_map<std::string_view, Uses, TextHash> uses_;
  std::vector<Place> places_;
  std::vector<std::string_view> names_;                                      // each once, ordered
  std::unordered_map<std::string_view, RuleQuantity, TextHash> quantities_;  // of those that were looked at
  std::map<std::vector<std::string>, std::vector<std::string>> names_of_words_;
  std::map<std::string, Abstract> values_;
};

std::string list_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> parts;
  for (const auto n : numbers) parts.push_back(std::to_string(n));
  return cutelab::join(parts, ", ");
}

/// What one check came to; `none`: the names are not there, or its condition does not hold.
struct Outcome {
  Verdict verdict = Verdict::not_understood;
  std::string says;
};

Outcome decided(bool good, const std::string& yes, const std::string& no) {
  return {good ? Verdict::satisfied : Verdict::violated, good ? yes : no};
}

Outcome check_number(const RuleDemand& demand, std::int64_t divisor, const Told& told) {
  if (!told.number) return {Verdict::undetermined, "the value of " + told.name + " is not known"};
  const std::int64_t n = *told.number;
  const auto& limits = demand.numbers;
  const std::string is = told.name + " = " + std::to_string(n);
  using Kind = RuleDemand::Kind;
  switch (demand.kind) {
    case Kind::one_of:
      return decided(std::count(limits.begin(), limits.end(), n) > 0, is + " is one of " + list_of(limits),
                     is + " is none of " + list_of(limits));
    case Kind::between: {
      const std::string range = std::to_string(limits[0]) + ", " + std::to_string(limits[0] + limits[2]) +
                                " … " + std::to_string(limits[1]);
      return decided(n >= limits[0] && n <= limits[1] && (n - limits[0]) % limits[2] == 0,
                     is + " is one of " + range, is + " is none of " + range);
    }
    case Kind::at_most:
      return decided(n <= limits[0], is + " <= " + list_of(limits), is + " > " + list_of(limits));
    case Kind::at_least:
      return decided(n >= limits[0], is + " >= " + list_of(limits), is + " < " + list_of(limits));
    case Kind::positive:
      return decided(n > 0, is + " > 0", is + " is not positive");
    case Kind::power_of_two:
      return decided(n > 0 && (n & (n - 1)) == 0, is + " is a power of 2", is + " is no power of 2");
    case Kind::multiple: {
      if (divisor == 0) return {};
      const std::string by = std::to_string(divisor), rest = std::to_string(n % divisor);
      return decided(n % divisor == 0, is + " = " + std::to_string(n / divisor) + " * " + by,
                     is + " leaves " + rest + " over " + by);
    }
    default:
      return {};
  }
}

class RuleCheck {
 public:
  RuleCheck(NamedValues& values, const RuleText& rule) : values_(values), rule_(rule) {}

  Outcome run() {
    if (rule_.kind == RuleText::Kind::aligned) aligned();
    if (rule_.kind == RuleText::Kind::same_type) same_type();
    if (rule_.kind == RuleText::Kind::demands) demands();
    if (rule_.kind == RuleText::Kind::whole_tiles) whole_tiles();
    if (out_.verdict == Verdict::not_understood && !others_.empty())
      return {Verdict::satisfied,
              "does not apply: " + cutelab::join(rule_.demands[0].when.of.words, "_") + " is not " + others_};
    return out_;
  }

 private:
  bool of_problem() const {
    return rule_.of.words == std::vector<std::string>{"problem"} && !rule_.of.modes.empty();
  }
  std::optional<Told> told(char mode) {
    return of_problem() ? values_.problem(mode) : values_.of_mode(rule_.of, mode);
  }

  void note(const Outcome& one) {
    if (one.verdict == Verdict::not_understood) return;
    out_.says += (out_.says.empty() ? "" : "; ") + one.says;
    const auto rank = [](Verdict v) {
      return v == Verdict::violated ? 3 : v == Verdict::undetermined ? 2 : 1;
    };
    if (out_.verdict == Verdict::not_understood || rank(one.verdict) > rank(out_.verdict))
      out_.verdict = one.verdict;
  }

  /// Modes that the sentence names; of a tuple without named ones all that it has.
  std::string modes() {
    if (!rule_.of.modes.empty()) return rule_.of.modes;
    for (const std::string& name : values_.names_of(rule_.of))
      if (const auto named = quantity_of_name(name); named.modes.size() > 1) return named.modes;
    return "";
  }

  void demands() {
    if (rule_.of.words.empty()) return;
    const std::string all = modes();
    for (const RuleDemand& demand : rule_.demands) {
      const auto holds = when(demand.when);
      if (holds && !*holds) {
        others_ += (others_.empty() ? "" : " or ") + demand.when.equals;
        continue;
      }
      if (!holds) {
        note({Verdict::undetermined, "whether its condition holds is not known"});
      } else if (demand.kind == RuleDemand::Kind::total_at_most) {
        total(demand);
      } else if (all.empty()) {
        if (const auto number = told(0)) note(check_number(demand, divisor(demand, 0, 0), *number));
      } else {
        for (std::size_t m = 0; m < all.size(); ++m)
          if (const auto number = told(all[m]))
            note(check_number(demand, divisor(demand, m, all[m]), *number));
      }
    }
  }

  /// nullopt: not known.
  std::optional<bool> when(const RuleCondition& condition) {
    if (condition.equals.empty()) return true;
    const char mode = condition.of.modes.empty() ? '\0' : condition.of.modes[0];
    if (mode) {
      const auto number = values_.of_mode(condition.of, mode);
      if (!number || !number->number) return std::nullopt;
      return std::to_string(*number->number) == condition.equals;
    }
    for (const std::string& name : values_.names_of(condition.of)) {
      const Abstract& value = values_.value(name);
      if (value.is(Abstract::Kind::boolean)) return (value.number != 0) == (condition.equals == "true");
      if (value.is(Abstract::Kind::integer)) return std::to_string(value.number) == condition.equals;
    }
    return std::nullopt;
  }

  std::int64_t divisor(const RuleDemand& demand, std::size_t position, char mode) {
    if (demand.kind != RuleDemand::Kind::multiple) return 1;
    if (demand.numbers.size() == 1) return demand.numbers[0];
    if (position < demand.numbers.size()) return demand.numbers[position];
    const auto other = values_.of_mode(demand.other, demand.other.modes.empty() ? '\0' : mode);
    return other && other->number ? *other->number : 0;
  }

  void total(const RuleDemand& demand) {
    std::int64_t product = 1;
    std::string names;
    for (const char mode : modes()) {
      const auto number = told(mode);
      if (!number) return;
      if (!number->number)
        return note({Verdict::undetermined, "the value of " + number->name + " is not known"});
      product *= *number->number;
      names += (names.empty() ? "" : " * ") + number->name;
    }
    if (!names.empty())
      note(check_number({RuleDemand::Kind::at_most, demand.numbers, {}, {}}, 1, {names, product}));
  }

  /// The contiguous mode of A is k or m, of B k or n, of C and D n or m; "k", "m", "n" of a flag say which.
  void aligned() {
    for (const char tensor : rule_.tensors) {
      const std::string letter(1, tensor);
      std::string major_name = letter + "_major", type_name = letter + "_dtype";
      if (!values_.has(type_name) && (tensor == 'a' || tensor == 'b')) type_name = "ab_dtype";
      if (!values_.has(major_name) || !values_.has(type_name)) continue;
      const Abstract &major = values_.value(major_name), &type = values_.value(type_name);
      if (!major.is(Abstract::Kind::text) || major.text.size() != 1) {
        note({Verdict::undetermined, "the value of " + major_name + " is not known"});
        continue;
      }
      const auto bits = models::bits_of_type(type.path.empty() ? type.text : type.path);
      const auto extent = values_.problem(static_cast<char>(major.text[0] | 32));
      if (!bits || !extent || !extent->number) {
        note({Verdict::undetermined,
              "the value of " + (bits ? extent ? extent->name : "the extent" : type_name) + " is not known"});
        continue;
      }
      const std::int64_t line = *extent->number * *bits;
      const std::string says = letter + ": " + extent->name + " = " + std::to_string(*extent->number) +
                               " of " + std::to_string(*bits) + " bits are " + std::to_string(line / 8) +
                               " bytes";
      note(decided(line % (rule_.bytes * 8) == 0, says,
                   says + ", no multiple of " + std::to_string(rule_.bytes)));
    }
  }

  /// Partial tiles are cut by TMA alone; the flag that turns it on lifts the rule.
  void whole_tiles() {
    std::string lifts;
    for (const std::string& name : values_.names_of({{"use", "tma", "store"}, "", 1})) {
      if (values_.value(name).is(Abstract::Kind::boolean) && values_.value(name).number)
        return note({Verdict::satisfied, "lifted: " + name + " is true"});
      lifts = name;
    }
    for (const char mode : {'m', 'n'}) {
      auto tile = values_.of_mode({{"cta", "tile"}, "", 1}, mode);
      if (!tile) tile = values_.of_mode({{"mma", "tile"}, "", 1}, mode);
      const auto extent = values_.problem(mode);
      if (!tile || !extent) return;
      if (!tile->number)
        note({Verdict::undetermined, "the value of " + tile->name + " is not known"});
      else
        note(check_number({RuleDemand::Kind::multiple, {*tile->number}, {}, {}}, *tile->number, *extent));
    }
    if (out_.verdict == Verdict::violated && !lifts.empty()) out_.says += "; " + lifts + "=True lifts it";
  }

  void same_type() {
    if (values_.has("a_dtype") && values_.has("b_dtype")) {
      const Abstract &a = values_.value("a_dtype"), &b = values_.value("b_dtype");
      const auto named = [](const Abstract& v) { return leaf_name(v.path.empty() ? v.text : v.path); };
      if (!a.known() || !b.known())
        return note({Verdict::undetermined, "the types of A and B are not known"});
      note(decided(named(a) == named(b), "both are " + named(a), "A is " + named(a) + ", B is " + named(b)));
    } else if (values_.has("ab_dtype")) {
      note({Verdict::satisfied, "one input, ab_dtype, gives both"});
    }
  }

  NamedValues& values_;
  const RuleText& rule_;
  std::string others_;  ///< what conditions that do not hold ask for
  Outcome out_;
};
}  // namespace

void check_constraints(FactContext& context) {
  if (context.reading.constraints.empty()) return;
  std::optional<NamedValues> values;
  for (Constraint& constraint : context.reading.constraints) {
    const RuleText rule = understand_rule(constraint.text);
    if (rule.kind == RuleText::Kind::none) continue;
    if (!values) values.emplace(context);
    const Outcome outcome = RuleCheck(*values, rule).run();
    constraint.verdict = outcome.verdict;
    constraint.says = outcome.says;
  }
}

}  // namespace cutelab::reading
