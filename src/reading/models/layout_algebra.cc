#include <array>

#include "layout/operations.h"
#include "reading/models/layout_values.h"

// cutlass.cute: operations that the layout room computes by name, on layouts and on tensors.

namespace cutelab::reading::machine {
namespace {

struct Binding {
  std::string_view name;  ///< in cutlass.cute, and in the layout room
  std::array<std::string_view, 3> parameters;
};

constexpr Binding bindings[] = {
    {"composition", {"lhs", "rhs"}},
    {"complement", {"input", "cotarget"}},
    {"coalesce", {"input", "target_profile"}},
    {"filter", {"input", ""}},
    {"filter_zeros", {"input", ""}},
    {"nullspace", {"a", ""}},
    {"right_inverse", {"input", ""}},
    {"left_inverse", {"layout", ""}},
    {"logical_divide", {"target", "tiler"}},
    {"zipped_divide", {"target", "tiler"}},
    {"tiled_divide", {"target", "tiler"}},
    {"flat_divide", {"target", "tiler"}},
    {"logical_product", {"block", "tiler"}},
    {"zipped_product", {"block", "tiler"}},
    {"tiled_product", {"block", "tiler"}},
    {"flat_product", {"block", "tiler"}},
    {"blocked_product", {"block", "tiler"}},
    {"raked_product", {"block", "tiler"}},
    {"tile_to_shape", {"atom", "trg_shape", "order"}},
    {"max_common_layout", {"a", "b"}},
    {"max_common_vector", {"a", "b"}},
};

const Binding* binding_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  for (const Binding& binding : bindings)
    if (binding.name == name) return &binding;
  return nullptr;
}

std::optional<Value> run(Call& call) {
  const Binding* binding = binding_of(call.path);
  const layout::Operation* operation = binding ? layout::find_operation(binding->name) : nullptr;
  if (!operation) return std::nullopt;
  if (binding->name == "filter_zeros" && call.get(-1, "target_profile", Value::none()).as<Tuple>())
    return as_like(call, call.get(0, "input"),
                   not_told(call, "filtering by the zeros of a profile is not computed"));
  std::vector<layout::Value> operands;
  for (std::size_t i = 0; i < binding->parameters.size(); ++i) {
    if (binding->parameters[i].empty() && i > 0) break;
    const Value argument = call.get(static_cast<int>(i), binding->parameters[i]);
    if (!argument.bound() || (argument.is_none() && i > 0 && binding->name != "composition" &&
                              binding->name.find("divide") == std::string_view::npos))
      break;
    auto operand = operand_of(call.machine, argument);
    if (!operand) {
      const Value first = call.get(0, binding->parameters[0]);
      return as_like(call, first, not_told(call, "an argument is not known", argument));
    }
    operands.push_back(std::move(*operand));
  }
  if (static_cast<int>(operands.size()) < operation->least) return not_told(call, "an argument is not known");
  const Value first = call.get(0, binding->parameters[0]);
  return as_like(call, first, told(call, operation->run(operands)));
}

// get_swizzle_portion, get_nonswizzle_portion
std::optional<Value> swizzle_part(Call& call) {
  auto composed = layout_of(call.machine, call.get(0, "layout"));
  if (!composed) return not_told(call, "the layout is not known", call.get(0, "layout"));
  if (call.path.find("nonswizzle") != std::string_view::npos)
    return call.machine.layout(layout::ComposedLayout(composed->layout()));
  return value_of(call.machine, layout::Value(composed->swizzle()));
}

}  // namespace

void add_layout_algebra(Natives& natives) {
  for (const Binding& binding : bindings) add_cute(natives, binding.name, run);
  add_cute(natives, "get_swizzle_portion", swizzle_part);
  add_cute(natives, "get_nonswizzle_portion", swizzle_part);
}

}  // namespace cutelab::reading::machine
