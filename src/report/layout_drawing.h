#pragma once
#include <cstdint>
#include <optional>

#include "layout/composed.h"
#include "render/grid.h"

namespace cutelab::report {

enum class LayoutColour { value, bank };

/// At most this many cells are drawn; larger layouts show their first rows and columns and say so.
inline constexpr int most_drawn_rows = 64;
inline constexpr int most_drawn_columns = 64;

/// Rows are mode 0, columns all other modes; each cell shows the value there. `bank`: colour by the bank of 4
/// bytes that holds the element of `bits`. Errors: the layout has symbols.
Result<render::Grid> draw_layout(const layout::ComposedLayout& layout, LayoutColour colour,
                                 std::int64_t bits);

/// A thread-value layout over a tile (rows × columns, first mode fastest): each cell shows who holds it, "T3
/// V1", coloured by thread; cells held by several threads say how many. Errors: symbols; values outside the
/// tile.
Result<render::Grid> draw_thread_values(const layout::Layout& tv, std::int64_t rows, std::int64_t columns);

}  // namespace cutelab::report
