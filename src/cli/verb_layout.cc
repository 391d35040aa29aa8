#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <ostream>

#include "base/text.h"
#include "cli/layout_flags.h"
#include "cli/verbs.h"
#include "layout/atoms.h"
#include "layout/operations.h"
#include "layout/smem.h"
#include "report/layout_analysis.h"
#include "report/layout_drawing.h"
#include "report/layout_explain.h"
#include "report/layout_view.h"

namespace cutelab::cli {
namespace {

using layout::ComposedLayout;
using layout::Value;

Result<Value> apply(const LayoutStepFlag& step, const Value& value, const std::string& given) {
  std::string operation = step.operation;
  std::vector<Value> arguments{value};
  if (operation.empty()) {
    operation = given + "_inverse";
  } else if (*step.value) {
    auto argument = layout::parse(given);
    if (!argument) return argument;
    arguments.push_back(std::move(*argument));
  }
  auto result = layout::find_operation(operation)->run(arguments);
  if (result) return result;
  Error e = result.error();
  if (e.asked.empty()) e.asked = operation;
  e.where = fmt::format("{} {} on {}", step.flag, given, value.text());
  return e;
}

Result<std::int64_t> number(const Arguments& arguments, const char* flag, std::int64_t otherwise) {
  if (!arguments.has(flag)) return otherwise;
  if (const auto n = parse_integer(arguments.get(flag)); n && *n > 0 && *n <= 1 << 20)
    return static_cast<std::int64_t>(*n);
  return Error{ErrorKind::usage, fmt::format("layout {} {}", flag, arguments.get(flag)),
               "not a positive number", "", ""};
}

std::optional<std::uint64_t> descriptor_address(std::string_view text) {
  const bool hexadecimal = text.substr(0, 2) == "0x";
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t address = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), address, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return address;
}

layout::AccessKind access_kind(const std::string& name) {
  if (name == "store") return layout::AccessKind::store;
  if (name == "ldmatrix") return layout::AccessKind::ldmatrix;
  return name == "stmatrix" ? layout::AccessKind::stmatrix : layout::AccessKind::load;
}

bool is_mma_name(const std::string& name) {
  const std::string family = name.substr(0, name.find('.'));
  if (family == "tcgen05") return name.substr(0, 11) != "tcgen05.ld." && name.substr(0, 11) != "tcgen05.st.";
  return family != "ldmatrix" && family != "stmatrix" && family != "tma";
}

/// One run of the verb: the layout on its way through the flags.
class LayoutRun {
 public:
  LayoutRun(const Arguments& arguments, Context& context) : arguments_(arguments), context_(context) {}

  Result<ExitCode> go() {
    if (arguments_.has("--list")) return list(arguments_.get("--list"));
    if (arguments_.has("--file")) return each_line();
    auto value = start();
    if (!value) return value.error();
    for (const LayoutStepFlag& step : layout_steps()) {
      if (!arguments_.has(step.flag)) continue;
      if (view_.steps.empty())
        if (auto before = value->as_layout()) view_.steps.push_back({"start", *before});
      warn_of_carry(step, *value);
      judge_tiles(step, *value);
      value = apply(step, *value, arguments_.get(step.flag));
      if (!value) return value.error();
      if (auto after = value->as_layout()) view_.steps.push_back({step.flag + 2, *after});
    }
    if ((value->tuple() || !value->as_layout()) && !arguments_.has("--draw"))
      return write(value->text() + "\n");
    auto result = value->as_layout();
    if (!result) return result.error();
    view_.layout = *result;
    if (auto status = analyse(); !status) return status.error();
    if (arguments_.has("--draw")) return draw();
    return write(arguments_.has("--json") ? layout_json(view_) : layout_text(view_));
  }

 private:
  Result<Value> start() {
    if (arguments_.has("--atom")) return start_atom(arguments_.get("--atom"));
    if (arguments_.positionals().empty())
      return Error{ErrorKind::usage, "layout", "no expression is given", "",
                   "write one, or name an --atom or a --file"};
    return layout::parse(arguments_.positionals()[0]);
  }

  Result<Value> start_atom(const std::string& name) {
    const std::string operand = arguments_.get("--operand", "");
    if (const auto kind = layout::smem_atom_kind(name)) {
      auto bits = number(arguments_, "--bits", 16);
      if (!bits) return bits.error();
      auto atom = smem_layout_atom(*kind, *bits);
      if (!atom) return atom.error();
      view_.sections.push_back(
          fmt::format("  {}: elements of {} bits; its swizzle counts bytes\n", name, *bits));
      return Value(std::move(*atom));
    }
    if (!is_mma_name(name)) {
      auto copy = layout::copy_atom(name);
      if (!copy) return copy.error();
      view_.sections.push_back(fmt::format("  {}: (thread, bit) to bit; {}\n", name, copy->note));
      if (operand == "address" && !copy->address)
        return Error{ErrorKind::usage, "layout --atom " + name + " --operand address",
                     "only tcgen05.ld and .st have an address in tensor memory", "", ""};
      return Value(operand == "address"  ? *copy->address
                   : operand == "source" ? copy->source
                                         : copy->destination);
    }
    auto atom = layout::mma_atom(name);
    if (!atom) return atom.error();
    const bool a = operand == "a";
    const bool b = operand == "b";
    tile_ = a ? std::pair(atom->m, atom->k) : b ? std::pair(atom->n, atom->k) : std::pair(atom->m, atom->n);
    view_.sections.push_back(fmt::format(
        "  {}: {} threads, operand {} of {}x{}, A from {}\n    A {}\n    B {}\n    C {}\n    {}\n", name,
        atom->threads.text(),
        a   ? "A"
        : b ? "B"
            : "C",
        tile_->first, tile_->second, atom->a_source, atom->a.text(), atom->b.text(), atom->c.text(),
        atom->note));
    return Value(a ? atom->a : b ? atom->b : atom->c);
  }

  void warn_of_carry(const LayoutStepFlag& step, const Value& value) {
    if (std::string(step.flag) != "--compose") return;
    auto left = value.as_plain_layout();
    auto argument = layout::parse(arguments_.get(step.flag));
    if (!left || !argument || !argument->is_layout()) return;
    auto right = argument->as_plain_layout();
    if (right && carry_free(*left, *right) == false)
      view_.sections.push_back(
          "  warning: CuTe accepts this composition, but modes of the right-hand side add up across an "
          "extent of\n"
          "  the left-hand side: the result is not left(right(i)) everywhere\n");
  }

  void judge_tiles(const LayoutStepFlag& step, const Value& value) {
    if (std::string(step.flag).find("divide") == std::string::npos) return;
    auto whole = value.as_layout();
    auto argument = layout::parse(arguments_.get(step.flag));
    if (!whole || !argument) return;
    auto tiler = argument->as_tiler();
    if (tiler) view_.sections.push_back(report::tiles_text(whole->layout(), *tiler));
  }

  layout::SwizzleUnit unit() const {
    const bool atom = arguments_.has("--atom") && !arguments_.has("--swizzle-unit");
    return atom || arguments_.get("--swizzle-unit") == "bytes" ? layout::SwizzleUnit::bytes
                                                               : layout::SwizzleUnit::elements;
  }
  Result<std::int64_t> bits() const {
    return number(arguments_, "--bits", arguments_.has("--atom") ? 16 : 32);
  }

  Status analyse() {
    auto width = bits();
    if (!width) return width.error();
    if (arguments_.has("--explain")) view_.sections.push_back(report::explain(view_.layout, *width, unit()));
    if (arguments_.has("--forms")) {
      auto forms = report::forms_text(view_.layout, *width, unit());
      if (!forms) return forms.error();
      view_.sections.push_back(std::move(*forms));
    }
    if (arguments_.has("--units")) {
      auto units = descriptor_units(view_.layout, *width);
      if (!units) return units.error();
      view_.sections.push_back(fmt::format("  in descriptor units of 16 bytes\n    {}\n", units->text()));
    }
    if (arguments_.has("--banks"))
      if (auto status = banks(*width); !status) return status;
    if (arguments_.has("--tma")) return tma(*width);
    return {};
  }

  Status banks(std::int64_t width) {
    auto threads = layout::parse(arguments_.get("--banks"));
    if (!threads) return threads.error();
    auto map = threads->as_plain_layout();
    if (!map) return map.error();
    auto bytes = number(arguments_, "--bytes", std::max<std::int64_t>(width / 8, 1));
    if (!bytes) return bytes.error();
    auto access = warp_access(view_.layout, width, unit(), *map,
                              access_kind(arguments_.get("--access", "load")), static_cast<int>(*bytes));
    if (!access) return access.error();
    view_.sections.push_back(report::banks_text(*access, map->text()));
    view_.data.emplace_back("banks", report::banks_json(*access));
    return {};
  }

  Status tma(std::int64_t width) {
    auto tile = layout::parse_tuple(arguments_.get("--tma"));
    if (!tile) return tile.error();
    auto span = number(arguments_, "--span", 128);
    if (!span) return span.error();
    layout::TmaRequest request{view_.layout.layout(), *tile, width, *span, {}, {}};
    if (arguments_.has("--smem")) {
      auto smem = layout::parse_layout(arguments_.get("--smem"));
      if (!smem) return smem.error();
      request.smem = std::move(*smem);
    }
    if (arguments_.has("--address")) {
      request.address = descriptor_address(arguments_.get("--address"));
      if (!request.address)
        return Error{ErrorKind::usage, "layout --address " + arguments_.get("--address"), "not an address",
                     "", "a number, hexadecimal after 0x"};
    }
    auto report = layout::check_tma(request);
    if (!report) return report.error();
    view_.sections.push_back(report::tma_text(*report));
    view_.data.emplace_back("tma", report::tma_json(*report));
    return {};
  }

  Result<render::Grid> grid() {
    if (arguments_.has("--tv")) {
      auto tile = layout::parse_tuple(arguments_.get("--tv"));
      if (!tile) return tile.error();
      const auto extents = leaves(*tile);
      if (extents.size() != 2 || !extents[0].known() || !extents[1].known())
        return Error{ErrorKind::usage, "layout --tv " + tile->text(), "a tile is two numbers", "",
                     "--tv '(64,128)'"};
      return report::draw_thread_values(view_.layout.layout(), extents[0].value(), extents[1].value());
    }
    if (tile_) return report::draw_thread_values(view_.layout.layout(), tile_->first, tile_->second);
    auto width = bits();
    if (!width) return width.error();
    ComposedLayout shown = view_.layout;
    if (unit() == layout::SwizzleUnit::bytes && !shown.plain()) {
      auto elements = element_form(shown, *width);
      if (!elements) return elements.error();
      shown = std::move(*elements);
    }
    return report::draw_layout(
        shown,
        arguments_.get("--colour") == "bank" ? report::LayoutColour::bank : report::LayoutColour::value,
        *width);
  }

  Result<ExitCode> draw() {
    auto drawing = grid();
    if (!drawing) return drawing.error();
    const std::string format = arguments_.get("--draw");
    if (format == "text")
      return write(grid_text(*drawing, context_.out_is_terminal && !arguments_.has("--output")));
    return write(format == "svg" ? grid_svg(*drawing)
                                 : grid_html(*drawing, "cutelab layout " + drawn_name()));
  }

  std::string drawn_name() const {
    if (!arguments_.has("--atom")) return view_.layout.text();
    return fmt::format("--atom {} --operand {}", arguments_.get("--atom"), arguments_.get("--operand", "c"));
  }

  Result<ExitCode> list(const std::string& what) {
    std::string out;
    if (what == "atoms") {
      for (const auto kind : layout::all_smem_atom_kinds) out += std::string(name_of(kind)) + "\n";
      for (const auto& names : {layout::mma_atom_names(), layout::copy_atom_names()})
        for (const std::string& name : names) out += name + "\n";
      return write(out);
    }
    std::vector<std::string> calls;
    std::size_t width = 0;
    for (const layout::Operation& operation : layout::operations()) {
      calls.push_back(fmt::format("{}({})", operation.name, operation.parameters));
      width = std::max(width, display_width(calls.back()));
    }
    for (std::size_t i = 0; i < calls.size(); ++i)
      out += fmt::format("{}{}  {}\n", calls[i], std::string(width - display_width(calls[i]), ' '),
                         layout::operations()[i].says);
    return write(out);
  }

  Result<ExitCode> each_line() {
    auto text = read_source(context_.files, arguments_.get("--file"));
    if (!text) return text.error();
    bool all = true;
    std::string out;
    for (const std::string_view line : split(*text, '\n')) {
      if (trim(line).empty()) continue;
      auto value = layout::parse(line);
      all &= value.ok();
      out += (value ? value->text() : "error: " + value.error().wrong) + "\n";
    }
    auto written = write(out);
    if (!written) return written;
    return all ? ExitCode::ok : ExitCode::failed_check;
  }

  Result<ExitCode> write(const std::string& text) {
    if (arguments_.has("--output")) {
      if (auto status = write_file_atomically(arguments_.get("--output"), text); !status)
        return status.error();
    } else {
      context_.out << text;
    }
    return ExitCode::ok;
  }

  const Arguments& arguments_;
  Context& context_;
  report::LayoutView view_;
  std::optional<std::pair<int, int>> tile_;  // of an MMA atom's operand
};

class LayoutVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec{
        "layout", "CuTe's layout algebra: evaluate, draw and explain a layout", "2 READ", {}, {}, {}, false};
    spec.positionals = {
        {"EXPR", "a layout, or operations on layouts: 'composition((8,4):(1,8), 4:2)'", 0, 1}};
    spec.flags = layout_flags();
    spec.examples = {"cutelab layout '(8,(2,4)):(1,(8,16))' --explain",
                     "cutelab layout '(4,2,3):(2,1,8)' --divide 4:2",
                     "cutelab layout --atom wgmma.m64n64k16.f16 --draw html -o c.html",
                     "cutelab layout 'S<3,4,3> o 0 o (32,64):(64,1)' --bits 16 --swizzle-unit bytes --banks "
                     "32:1 --access ldmatrix --bytes 16",
                     "cutelab layout '(M,4096):(4096,1)' --bits 16 --tma '(128,64)'"};
    return spec;
  }
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    return LayoutRun(arguments, context).go();
  }
};

}  // namespace

std::unique_ptr<Verb> make_layout_verb() { return std::make_unique<LayoutVerb>(); }

}  // namespace cutelab::cli
