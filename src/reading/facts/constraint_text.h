#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cutelab::reading {

/// What a sentence speaks of: a named quantity and the modes of it. "Mma tiler M" is {mma, tile} with modes
/// "m"; "cluster shape M/N" is {cluster} with "mn"; "m_block_size * 2" is {m, block} times 2.
struct RuleQuantity {
  std::vector<std::string> words;  ///< lower case, without "shape" and "size"
  std::string modes;               ///< letters of m, n, k, l; empty = the whole
  std::int64_t times = 1;
  friend bool operator==(const RuleQuantity&, const RuleQuantity&) = default;
};

/// "if use_2cta_instrs=True", "if Mma tiler M is 256".
struct RuleCondition {
  RuleQuantity of;
  std::string equals;  ///< "true", "256"; empty = no condition
};

/// One demand of a sentence.
struct RuleDemand {
  enum class Kind { one_of, between, at_most, at_least, multiple, power_of_two, positive, total_at_most };
  Kind kind = Kind::one_of;
  std::vector<std::int64_t> numbers;  ///< choices; first, last, step; limit; divisor of each mode or of all
  RuleQuantity other;                 ///< multiple of this quantity where there is no number
  RuleCondition when;
};

/// A rule of a docstring, taken apart as far as it is understood.
struct RuleText {
  enum class Kind {
    none,        ///< prose
    demands,     ///< numbers of a quantity
    aligned,     ///< the contiguous mode of tensors is a multiple of `bytes`
    same_type,   ///< operands A and B have one element type
    whole_tiles  ///< no partial tile unless TMA stores: M and N are multiples of the CTA's tile
  };
  Kind kind = Kind::none;
  RuleQuantity of;
  std::vector<RuleDemand> demands;
  std::int64_t bytes = 0;
  std::string tensors;  ///< aligned: letters, "abc"
};

/// "* Mma tiler M must be 64/128 (use_2cta_instrs=False) or 128/256 (use_2cta_instrs=True)". What is not
/// understood to its end of meaning is `none`, never a guess.
RuleText understand_rule(std::string_view text);
/// The words and modes of a name: "cluster_shape_mn" -> {cluster}, "mn".
RuleQuantity quantity_of_name(std::string_view name);

}  // namespace cutelab::reading
