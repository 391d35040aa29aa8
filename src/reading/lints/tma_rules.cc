#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"
#include "reading/models/models.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;
// CUDA Driver API, cuTensorMapEncodeTiled.
constexpr std::int64_t most_box_extent = 256;
constexpr std::int64_t row_unit = 16;  ///< bytes

/// Bytes of a swizzle by its name: s128b, swizzle_128B, 128B; none = no such name.
std::optional<std::int64_t> span_of(const std::string& swizzle) {
  for (const std::int64_t span : {128, 64, 32})
    if (swizzle.find(std::to_string(span)) != std::string::npos) return span;
  return std::nullopt;
}

std::optional<int> bits_of(const Fact& descriptor) {
  const std::string type = text_of(descriptor, "type");
  return type.empty() ? std::nullopt : models::bits_of_type(type);
}

void hold_row(Check& check, const Fact& descriptor, std::int64_t inner) {
  const auto bits = bits_of(descriptor);
  if (!bits) return check.undecided(descriptor, "type");
  const std::int64_t bytes = inner * *bits / 8;
  const std::string formula = fmt::format("{} * {} / 8 = {}", inner, *bits, bytes);
  if (bytes % row_unit != 0)
    return check.fire(
        fmt::format("a row of {}'s box has {} bytes, no multiple of 16", descriptor.subject, bytes), formula,
        {descriptor.at});
  const auto span = span_of(text_of(descriptor, "swizzle"));
  if (span && bytes > *span)
    return check.fire(
        fmt::format("a row of {}'s box has {} bytes, the {} byte swizzle takes rows of at most {}: "
                    "load {} boxes of {} elements",
                    descriptor.subject, bytes, *span, *span, (bytes + *span - 1) / *span, *span * 8 / *bits),
        formula + fmt::format(" > {}", *span), {descriptor.at});
  check.passed();
}

void hold_box(Check& check, const Fact& descriptor) {
  const evidence::Value* box = value_of(descriptor, "box");
  const auto* items = box->list();
  if (!items || items->empty()) return check.undecided(descriptor, "box");
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto extent = (*items)[i].integer();
    if (extent && (*extent > most_box_extent || *extent < 1))
      return check.fire(fmt::format("mode {} of {}'s box has {} elements; a descriptor takes 1 to {}", i,
                                    descriptor.subject, *extent, most_box_extent),
                        fmt::format("{} = {}", (*items)[i].formula, *extent), {descriptor.at});
    if (!extent) return check.undecided(descriptor, "box");
  }
  hold_row(check, descriptor, *items->front().integer());
}
}  // namespace

Rule tma_box() {
  return {"tma-box",
          "each extent of a TMA box is at most 256, its rows are multiples of 16 bytes and fit the swizzle",
          "cut the tile into several boxes", evidence::Severity::error, [](Check& check) {
            for (const Fact* descriptor : check.facts(evidence::kind::tma_descriptor))
              if (value_of(*descriptor, "box")) hold_box(check, *descriptor);
          }};
}

Rule tma_stride() {
  return {"tma-stride", "rows of a tensor that TMA reads start at multiples of 16 bytes",
          "pad the rows, or copy that tensor without TMA", evidence::Severity::error, [](Check& check) {
            for (const Fact* descriptor : check.facts(evidence::kind::tma_descriptor)) {
              const evidence::Value* extents = value_of(*descriptor, "extents");
              const auto* items = extents ? extents->list() : nullptr;
              if (!items || items->size() < 2) continue;
              const auto row = items->front().integer();
              const auto bits = bits_of(*descriptor);
              if (!row || !bits) {
                check.undecided(*descriptor, row ? "type" : "extents");
                continue;
              }
              const std::int64_t bytes = *row * *bits / 8;
              if (bytes % row_unit == 0)
                check.passed();
              else
                check.fire(fmt::format("a row of {}'s tensor has {} bytes, no multiple of 16",
                                       descriptor->subject, bytes),
                           fmt::format("{} * {} / 8 = {}", *row, *bits, bytes), {descriptor->at});
            }
          }};
}

Rule tma_shared_step() {
  return {"tma-shared-step",
          "modes of a tile other than its rows step through shared memory by multiples of 16 bytes",
          "let the mode that is contiguous in global memory be contiguous in shared memory too",
          evidence::Severity::error, [](Check& check) {
            for (const Fact* descriptor : check.facts(evidence::kind::tma_descriptor)) {
              const std::string steps = text_of(*descriptor, "shared_steps");
              if (steps.empty()) continue;
              if (steps == "holds")
                check.passed();
              else
                check.fire(fmt::format("the tile of {} in shared memory, {}", descriptor->subject, steps), "",
                           {descriptor->at});
            }
          }};
}

}  // namespace cutelab::reading::lints
