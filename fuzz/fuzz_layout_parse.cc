// room: layout
// Any bytes as a layout expression: no crash, no hang, and what is printed reads back as the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "layout/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cutelab::layout;
  auto value = parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!value) {
    if (value.error().message().empty()) std::abort();
    return 0;
  }
  auto layout = value->as_layout();
  if (!layout) return 0;
  const std::string text = layout->text();
  for (const Notation notation : {Notation::plain, Notation::cpp, Notation::dsl}) (void)print(*layout, notation);
  (void)cosize(*layout);
  // Symbols made by operations ("ceil_div(M,8)", "overflow") are printed but not read.
  if (!layout->layout().known() || !layout->offset().known() || text.size() > max_expression_bytes) return 0;
  auto again = parse_layout(text);
  if (again && !(*again == *layout)) std::abort();
  if (!again && layout->shape().depth() < max_expression_depth - 2) std::abort();
  return 0;
}
