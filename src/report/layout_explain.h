#pragma once
#include <cstdint>
#include <string>

#include "layout/banks.h"
#include "layout/tma.h"

namespace cutelab::report {

/// The layout in words. Sample:
///
///   in words
///     (i,(j,k)) maps to i + 8*j + 16*k
///     mode 0 has 8 elements, one after the other
///     mode 1 has 2*4 elements, steps of 8 and 16
///     leading dimension: mode 0 has stride 1
///     values: each of 0 … 63 once
std::string explain(const layout::ComposedLayout& layout, std::int64_t bits, layout::SwizzleUnit unit);

/// Is every tile of a division whole, mode by mode? Tiles that overhang have to be predicated.
std::string tiles_text(const layout::Layout& layout, const layout::Tiler& tiler);

/// The same mapping in byte offsets and in element offsets. Error: bits are no whole bytes.
Result<std::string> forms_text(const layout::ComposedLayout& layout, std::int64_t bits,
                               layout::SwizzleUnit unit);

/// Rules of a TMA transfer, one per line, with what each compares, then the box.
std::string tma_text(const layout::TmaReport& report);
std::string tma_json(const layout::TmaReport& report);

}  // namespace cutelab::report
