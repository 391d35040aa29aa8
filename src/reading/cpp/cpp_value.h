#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout/composed.h"
#include "source/tree.h"

namespace cutelab::reading {

/// The type of an integer, after promotion.
enum class CppHeld : std::uint8_t { signed_int, unsigned_int, signed_long, unsigned_long };

/// What folding knows of an expression or a type of CuTe C++. A type whose value is fixed and that value are
/// the same here, as they are in CuTe: Int<128> and Int<128>{}, decltype(layout) and layout.
struct CppValue {
  enum class Kind {
    unknown,    ///< `text` says why, `depends_on` what would tell
    integer,    ///< `tuple`, a leaf
    tuple,      ///< shapes, strides, tilers, dim3: `tuple`
    layout,     ///< `layout`
    type,       ///< an element or library type of `bits`, by its last name in `text`
    structure,  ///< a struct's type or an object of it: `node`, `fields` where they are known
    pack,       ///< what a template's `class... T` is given: `fields`
    threads     ///< a tiled MMA or copy: as many threads as `tuple`, a leaf
  };
  // Out of line: `fields` holds values of this type.
  CppValue();
  CppValue(const CppValue&);
  CppValue(CppValue&&) noexcept;
  CppValue& operator=(const CppValue&);
  CppValue& operator=(CppValue&&) noexcept;
  ~CppValue();

  Kind kind = Kind::unknown;
  CppHeld held = CppHeld::signed_int;  ///< an integer's type
  layout::IntTuple tuple;
  std::shared_ptr<const layout::ComposedLayout> layout;
  std::string text;
  std::int64_t bits = 0;
  bool constant = false;                                 ///< `const T` as an argument of a template
  source::Node node;                                     ///< struct_specifier, or where an unknown stopped
  std::vector<std::pair<std::string, CppValue>> fields;  ///< members of an object; arguments of a template
  std::vector<std::string> depends_on;

  bool known() const { return kind != Kind::unknown; }
  bool is(Kind k) const { return kind == k; }
  std::optional<std::int64_t> integer() const {
    return kind == Kind::integer ? std::optional(tuple.leaf().value()) : std::nullopt;
  }
  static CppValue of(std::int64_t n) {
    CppValue out;
    out.kind = Kind::integer;
    out.tuple = layout::IntTuple(n);
    return out;
  }
  static CppValue of(layout::IntTuple t) {
    CppValue out;
    out.kind = t.is_leaf() ? Kind::integer : Kind::tuple;
    out.tuple = std::move(t);
    return out;
  }
  static CppValue of(layout::ComposedLayout l) {
    CppValue out;
    out.kind = Kind::layout;
    out.layout = std::make_shared<const layout::ComposedLayout>(std::move(l));
    return out;
  }
  static CppValue unknown(std::string reason, std::string depends_on = {}, source::Node at = {}) {
    CppValue out;
    out.text = std::move(reason);
    if (!depends_on.empty()) out.depends_on.push_back(std::move(depends_on));
    out.node = at;
    return out;
  }
};

/// Bytes a type takes in memory and what they are aligned to.
struct CppExtent {
  std::int64_t bytes = 0, alignment = 1;
  std::int64_t used = 0;  ///< bytes without the padding at its end
  bool empty = false;     ///< a struct without members: nothing as a base
  bool has_empty =
      false;             ///< is empty, or has a base or a member that is: no two of a type lie at one address
  bool dynamic = false;  ///< has virtual functions
  bool fills_end = false;  ///< what derives from it uses the padding at its end
  bool end_is_told = true;
};

}  // namespace cutelab::reading
