#include "report/layout_explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "layout/smem.h"
#include "report/layout_view.h"

namespace cutelab::report {

using layout::ComposedLayout;
using layout::Int;
using layout::Swizzle;
using layout::TupleView;

namespace {

// "(i,(j,k))" and the names of its leaves.
std::string coordinate(TupleView shape, std::vector<std::string>& names) {
  if (shape.is_leaf()) {
    static constexpr const char* letters = "ijklmnpqrstuvw";
    const std::size_t n = names.size();
    names.push_back(n < 14 ? std::string(1, letters[n]) : fmt::format("c{}", n));
    return names.back();
  }
  std::string out = "(";
  for (int i = 0; i < shape.rank(); ++i) out += (i ? "," : "") + coordinate(shape.mode(i), names);
  return out + ")";
}

std::string formula(const layout::Layout& l) {
  std::vector<std::string> names;
  const std::string coord = coordinate(l.shape(), names);
  std::string sum;
  const std::vector<Int> strides = leaves(l.stride());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i].is_zero()) continue;
    std::string term = strides[i].is(1) ? names[i] : strides[i].text() + "*" + names[i];
    sum += sum.empty() || term[0] == '-' ? term : " + " + term;
  }
  return fmt::format("{} maps to {}", coord, sum.empty() ? "0" : sum);
}

std::string steps(const std::vector<Int>& strides) {
  std::vector<std::string> texts;
  for (const Int& d : strides) texts.push_back(d.text());
  if (strides.size() == 1 && strides[0].is(1)) return "one after the other";
  if (strides.size() == 1 && strides[0].is_zero())
    return "all in the same place (stride 0): shared or repeated";
  return (texts.size() == 1 ? "in steps of " : "steps of ") + join(texts, " and ");
}

std::string mode_line(int i, layout::LayoutView mode) {
  std::vector<std::string> extents;
  for (const Int& s : leaves(mode.shape)) extents.push_back(s.text());
  if (extents.size() == 1 && extents[0] == "1") return fmt::format("    mode {} has 1 element\n", i);
  return fmt::format("    mode {} has {} elements, {}\n", i, join(extents, "*"), steps(leaves(mode.stride)));
}

std::string swizzle_lines(const Swizzle& sw, std::int64_t bits, layout::SwizzleUnit unit) {
  const bool bytes = unit == layout::SwizzleUnit::bytes;
  const int read = sw.base + (sw.shift > 0 ? sw.shift : 0);
  const int changed = sw.base - (sw.shift < 0 ? sw.shift : 0);
  std::string out = fmt::format(
      "    the swizzle XORs bits {}-{} of the {} onto bits {}-{}: runs of {} stay whole, the pattern repeats "
      "every {}\n",
      read, read + sw.bits - 1, bytes ? "byte address" : "element offset", changed, changed + sw.bits - 1,
      std::int64_t{1} << sw.base, sw.period());
  const auto other = bytes ? recast(sw, 8, bits) : recast(sw, bits, 8);
  if (other)
    out += fmt::format("    on byte addresses {}, on elements of {} bits {}: the same mapping\n",
                       (bytes ? sw : *other).text(), bits, (bytes ? *other : sw).text());
  return out;
}

}  // namespace

std::string explain(const ComposedLayout& layout, std::int64_t bits, layout::SwizzleUnit unit) {
  const layout::Layout& inner = layout.layout();
  std::string out =
      "  in words\n    " + formula(inner) + (layout.plain() ? "" : ", before the swizzle") + "\n";
  for (int i = 0; i < inner.rank(); ++i) out += mode_line(i, inner.view().mode(i));
  if (!layout.offset().is(0))
    out += fmt::format("    everything starts at offset {}\n", layout.offset().text());
  if (!layout.swizzle().identity()) out += swizzle_lines(layout.swizzle(), bits, unit);
  out += "    leading dimension: " + layout::leading_mode(inner).says + "\n";
  out += "    values: " + coverage(layout) + "\n";
  if (const auto symbols = inner.symbols(); !symbols.empty())
    out += "    unknown: " + join(symbols, ", ") + "\n";
  return out;
}

std::string tiles_text(const layout::Layout& layout, const layout::Tiler& tiler) {
  auto divided = logical_divide(layout, tiler);
  if (!divided) return "";
  const bool by_mode = tiler.is_tuple();
  std::string out = "  tiles\n";
  for (int i = 0; i < (by_mode ? tiler.rank() : 1); ++i) {
    const Int whole = by_mode ? size(layout.mode(i)) : size(layout);
    const Int tiled = by_mode ? size(divided->mode(i)) : size(*divided);
    const std::string name = by_mode ? fmt::format("mode {}", i) : "the layout";
    const auto order = compare(tiled, whole);
    if (order && *order == 0)
      out += fmt::format("    {}: every tile is whole\n", name);
    else if (order && *order > 0)
      out += fmt::format("    {}: the last tile overhangs, {} elements for {}: predicate what lies beyond\n",
                         name, tiled.text(), whole.text());
    else
      out += fmt::format(
          "    {}: undetermined whether the last tile of {} is whole: predicate it unless it is\n", name,
          whole.text());
  }
  return out;
}

Result<std::string> forms_text(const ComposedLayout& layout, std::int64_t bits, layout::SwizzleUnit unit) {
  // As kernels print it: offsets in elements, the swizzle on byte addresses.
  ComposedLayout mixed = layout;
  if (unit == layout::SwizzleUnit::elements && !layout.plain()) {
    auto swizzle = recast(layout.swizzle(), bits, 8);
    if (!swizzle) return swizzle.error();
    mixed = ComposedLayout(*swizzle, layout.offset(), layout.layout());
  }
  auto bytes = byte_form(mixed, bits);
  if (!bytes) return bytes.error();
  ComposedLayout elements = layout;
  if (unit == layout::SwizzleUnit::bytes && !layout.plain()) {
    auto recasted = element_form(layout, bits);
    if (!recasted) return recasted.error();
    elements = std::move(*recasted);
  }
  return fmt::format(
      "  one mapping, two forms\n    in bytes                {}\n    in elements of {:2} bits  {}\n",
      bytes->text(), bits, elements.text());
}

namespace {
const char* word(layout::Verdict verdict) {
  switch (verdict) {
    case layout::Verdict::holds:
      return "holds";
    case layout::Verdict::broken:
      return "BROKEN";
    case layout::Verdict::undetermined:
      return "undetermined";
  }
  return "";
}
}  // namespace

std::string tma_text(const layout::TmaReport& report) {
  std::string out = fmt::format("  TMA: {}\n", report.legal() ? "legal" : "not legal as it stands");
  for (const layout::TmaRule& rule : report.rules)
    out += fmt::format("    {:<12} {:<15} {}{}\n", word(rule.verdict), rule.name, rule.says,
                       rule.field.empty() || rule.verdict == layout::Verdict::holds
                           ? ""
                           : fmt::format(" [descriptor field {}]", rule.field));
  if (report.box.empty()) return out;
  std::vector<std::string> box;
  for (const std::int64_t extent : report.box) box.push_back(fmt::format("{}", extent));
  return out + fmt::format("    box {} (contiguous mode first), {} bytes; {} box{} per tile\n",
                           join(box, " x "), with_thousands(report.box_bytes), report.boxes,
                           report.boxes == 1 ? "" : "es");
}

std::string tma_json(const layout::TmaReport& report) {
  nlohmann::ordered_json out;
  out["legal"] = report.legal();
  out["rules"] = nlohmann::ordered_json::array();
  for (const layout::TmaRule& rule : report.rules)
    out["rules"].push_back({{"name", rule.name},
                            {"verdict", to_lower(word(rule.verdict))},
                            {"says", rule.says},
                            {"field", rule.field}});
  out["order"] = report.order;
  out["box"] = report.box;
  out["boxes"] = report.boxes;
  out["box_bytes"] = report.box_bytes;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace cutelab::report
