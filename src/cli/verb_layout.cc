#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/verbs.h"
#include "layout/operations.h"
#include "report/layout_view.h"

namespace cutelab::cli {
namespace {

using layout::ComposedLayout;
using layout::Value;

// A flag that applies one operation of the expression language to the layout; `value` empty: no argument.
struct Step {
  const char* flag;
  const char* value;
  const char* operation;
};

// In the order in which they are applied.
constexpr Step steps[] = {{"--compose", "LAYOUT", "composition"},
                          {"--divide", "TILER", "logical_divide"},
                          {"--zipped-divide", "TILER", "zipped_divide"},
                          {"--product", "TILER", "logical_product"},
                          {"--tile-to-shape", "SHAPE", "tile_to_shape"},
                          {"--complement", "SHAPE", "complement"},
                          {"--inverse", "left|right", ""},
                          {"--coalesce", "", "coalesce"}};

Result<Value> apply(const Step& step, const Value& value, const std::string& given) {
  std::string operation = step.operation;
  std::vector<Value> arguments{value};
  if (std::string(step.flag) == "--inverse") {
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

class LayoutVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec{
        "layout", "CuTe's layout algebra: evaluate, draw and explain a layout", "2 READ", {}, {}, {}, false};
    spec.positionals = {
        {"EXPR", "a layout, or operations on layouts: 'composition((8,4):(1,8), 4:2)'", 1, 1}};
    for (const Step& step : steps) {
      Flag flag{step.flag,
                step.value,
                *step.operation ? fmt::format("then {} it", step.operation) : "then invert it",
                "",
                false,
                {}};
      if (std::string(step.flag) == "--inverse") flag.choices = {"left", "right"};
      spec.flags.push_back(flag);
    }
    spec.flags.push_back({"--json", "", "the result as JSON", "", false, {}});
    spec.examples = {"cutelab layout '(8,(2,4)):(1,(8,16))'",
                     "cutelab layout '(4,2,3):(2,1,8)' --divide 4:2"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    auto value = layout::parse(arguments.positionals()[0]);
    if (!value) return value.error();
    report::LayoutView view;
    for (const Step& step : steps) {
      if (!arguments.has(step.flag)) continue;
      if (view.steps.empty())
        if (auto start = value->as_layout()) view.steps.push_back({"start", *start});
      value = apply(step, *value, arguments.get(step.flag));
      if (!value) return value.error();
      if (auto after = value->as_layout()) view.steps.push_back({step.flag + 2, *after});
    }
    auto result = value->as_layout();
    if (!result || value->tuple()) {
      context.out << value->text() << "\n";
      return ExitCode::ok;
    }
    view.layout = *result;
    context.out << (arguments.has("--json") ? layout_json(view) : layout_text(view));
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_layout_verb() { return std::make_unique<LayoutVerb>(); }

}  // namespace cutelab::cli
