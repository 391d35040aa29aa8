#include "report/layout_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "layout/parse.h"

namespace cutelab::report {

using layout::ComposedLayout;
using layout::Notation;
using json = nlohmann::ordered_json;

std::string coverage(const ComposedLayout& layout) {
  auto known = layout::KnownComposed::of(layout);
  if (!known) {
    if (layout::has_basis(layout.layout())) return "coordinates, not offsets";
    return layout.layout().known() && layout.offset().known()
               ? "not counted: more than 2^40 elements, or offsets past 2^50"
               : "depends on the unknown sizes";
  }
  if (known->size() > layout::most_visited_elements) return "not counted: more than 4,194,304 elements";
  if (known->size() == 0) return "none: an extent is 0";
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(known->size()));
  for (std::int64_t i = 0; i < known->size(); ++i) values.push_back((*known)(i));
  std::sort(values.begin(), values.end());
  const std::int64_t least = values.front();
  const std::int64_t last = values.back();
  const auto distinct = std::unique(values.begin(), values.end()) - values.begin();
  const std::string range = fmt::format("{} … {}", with_thousands(least), with_thousands(last));
  if (distinct < known->size())
    return fmt::format("{} different in {}, each {} times on average (elements share storage)",
                       with_thousands(distinct), range,
                       static_cast<double>(known->size()) / static_cast<double>(distinct));
  if (distinct == last - least + 1) return fmt::format("each of {} once", range);
  return fmt::format("{} different in {}, {} left out", with_thousands(distinct), range,
                     with_thousands(last - least + 1 - distinct));
}

namespace {

std::string row(const char* name, const std::string& value) {
  return fmt::format("  {:<9} {}\n", name, value);
}

std::string count_text(const layout::Int& count, const char* what) {
  if (count.symbols() == std::vector<std::string>{"overflow"})
    return fmt::format("more {} than 64 bits count", what);
  return count.text() + " " + what;
}

std::string steps_text(const LayoutView& view) {
  std::size_t width = 0;
  for (const LayoutStep& step : view.steps) width = std::max(width, display_width(step.operation));
  std::string out;
  for (const LayoutStep& step : view.steps)
    out += "  " + step.operation + std::string(width - display_width(step.operation), ' ') + "  " +
           step.result.text() + "\n";
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string layout_text(const LayoutView& view) {
  const ComposedLayout& l = view.layout;
  std::string out = l.text() + "\n\n" + steps_text(view);
  out += row("size", count_text(size(l), "elements"));
  out += row("cosize", count_text(cosize(l), "elements of storage"));
  out += row("rank", fmt::format("{}, depth {}", l.rank(), l.shape().depth()));
  auto simplest =
      l.map([](const layout::Layout& inner) { return Result<layout::Layout>(layout::coalesce(inner)); });
  if (simplest && !(*simplest == l)) out += row("simplest", simplest->text());
  out += row("values", coverage(l));
  if (const std::string dsl = print(l, Notation::dsl); dsl != l.text()) out += row("DSL", dsl);
  for (const std::string& section : view.sections) out += "\n" + section;
  return out;
}

namespace {

json tuple_json(layout::TupleView t) {
  if (t.is_leaf()) {
    if (t.leaf().known() && t.leaf().plain()) return t.leaf().value();
    return t.leaf().text();
  }
  json out = json::array();
  for (int i = 0; i < t.rank(); ++i) out.push_back(tuple_json(t.mode(i)));
  return out;
}

json layout_json_of(const ComposedLayout& l) {
  json out;
  out["text"] = l.text();
  out["dsl"] = print(l, Notation::dsl);
  out["cpp"] = print(l, Notation::cpp);
  out["shape"] = tuple_json(l.shape());
  out["stride"] = tuple_json(l.layout().stride());
  if (!l.plain()) {
    out["swizzle"] = {{"bits", l.swizzle().bits}, {"base", l.swizzle().base}, {"shift", l.swizzle().shift}};
    out["offset"] = tuple_json(layout::IntTuple(l.offset()));
  }
  out["size"] = tuple_json(layout::IntTuple(size(l)));
  out["cosize"] = tuple_json(layout::IntTuple(cosize(l)));
  out["rank"] = l.rank();
  out["depth"] = l.shape().depth();
  return out;
}

}  // namespace

std::string layout_json(const LayoutView& view) {
  json out;
  out["schema"] = "cutelab.layout/1";
  out["layout"] = layout_json_of(view.layout);
  out["values"] = coverage(view.layout);
  out["steps"] = json::array();
  for (const LayoutStep& step : view.steps)
    out["steps"].push_back({{"operation", step.operation}, {"layout", layout_json_of(step.result)}});
  for (const auto& [name, text] : view.data) out[name] = json::parse(text);
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cutelab::report
