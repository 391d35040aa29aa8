#include <algorithm>
#include "reading/evaluator/traced.h"

#include "reading/models/storage.h"
#include "reading/models/tensor_memory.h"

// Objects that the run made, by their node: structs in shared memory, tensors. A node that ran several times
// tells what all its runs have in common.

namespace cutelab::reading {
using RunValue = machine::Value;
using source::Node;
using Kind = Abstract::Kind;

namespace {
template <class T>
void keep_if_equal(std::optional<T>& known, const std::optional<T>& other) {
  if (known != other) known.reset();
}

/// What two runs of one class body have in common.
void keep_common(SeenStorage& known, const SeenStorage& other) {
  keep_if_equal(known.bytes, other.bytes);
  keep_if_equal(known.alignment, other.alignment);
  if (known.members.size() != other.members.size()) known.members.clear();
  for (std::size_t i = 0; i < known.members.size(); ++i) {
    keep_if_equal(known.members[i].bytes, other.members[i].bytes);
    keep_if_equal(known.members[i].offset, other.members[i].offset);
    keep_if_equal(known.members[i].alignment, other.members[i].alignment);
  }
}
}  // namespace

std::vector<RunValue> TracedEvaluator::all_seen(int module, Node node) const {
  const machine::Trace& trace = machine_.trace();
  std::vector<RunValue> out;
  for (const bool superseded : {false, true}) {
    for (std::int32_t i = trace.head(module, node); i >= 0; i = trace.seen(i).next)
      if (const auto& one = trace.seen(i);
          trace.superseded(one.activation) == superseded && one.value.bound())
        out.push_back(one.value);
    if (!out.empty()) break;
  }
  return out;
}

/// The struct that a class body or an allocation gave; nullopt = it is none.
std::optional<SeenStorage> TracedEvaluator::storage_in(const RunValue& made) {
  const machine::Record* shape = machine::struct_record(made);
  const machine::Record* placed = made.as<machine::Record>();
  if (placed && placed->kind == "storage") shape = machine::struct_record(machine_.field(placed, "struct"));
  if (!shape) return std::nullopt;
  const auto number = [&](const machine::Record* r, const char* name) -> std::optional<std::int64_t> {
    const RunValue v = machine_.field(r, name);
    return v.is_integral() ? std::optional(v.number()) : std::nullopt;
  };
  SeenStorage out;
  if (const auto* name = machine_.field(shape, "name").as<machine::Text>()) out.name = name->text;
  out.bytes = number(shape, "bytes");
  out.alignment = number(shape, "alignment");
  if (const auto members = machine_.items(machine_.field(shape, "members")))
    for (const RunValue& member : *members)
      if (const auto* record = member.as<machine::Record>())
        out.members.push_back({machine_.str(machine_.field(record, "name")), number(record, "bytes"),
                               number(record, "offset"), number(record, "alignment")});
  return out;
}

std::optional<SeenStorage> TracedEvaluator::storage_of(int module, Node node) {
  std::optional<SeenStorage> all;
  for (const RunValue& made : all_seen(module, node))
    if (const auto one = storage_in(made)) {
      if (all)
        keep_common(*all, *one);
      else
        all = one;
    }
  if (all) return all;
  SeenStorage out;  // allocated on its own
  const Abstract bytes = made_with(module, node, "allocated_bytes"),
                 alignment = made_with(module, node, "allocated_alignment");
  if (bytes.is(Kind::integer)) out.bytes = bytes.number;
  if (alignment.is(Kind::integer)) out.alignment = alignment.number;
  return out.bytes ? std::optional(out) : std::nullopt;
}

std::optional<SeenTensor> TracedEvaluator::tensor_in(const RunValue& value) {
  const auto* record = value.as<machine::Record>();
  if (!record || record->kind != "Tensor") return std::nullopt;
  const auto* object = machine_.field(record, "layout").as<machine::LayoutObject>();
  if (!object) return std::nullopt;
  SeenTensor out;
  out.coordinates = layout::has_basis(object->layout.layout());
  const layout::TupleView shape = object->layout.layout().shape().view();
  for (int i = 0; i < shape.rank(); ++i) {
    const layout::Int extent = layout::product(shape.mode(i));
    out.extents.push_back(extent.known() ? std::optional(extent.value()) : std::nullopt);
  }
  return out;
}

std::optional<SeenTensor> TracedEvaluator::tensor_at(int module, Node expression) {
  std::optional<SeenTensor> all;
  for (const RunValue& value : all_seen(module, expression)) {
    const auto one = tensor_in(value);
    if (!one || (all && (all->coordinates != one->coordinates || all->extents.size() != one->extents.size())))
      return std::nullopt;
    if (!all) all = one;
    for (std::size_t i = 0; i < one->extents.size(); ++i) keep_if_equal(all->extents[i], one->extents[i]);
  }
  return all;
}

namespace {
/// Whether a call lays a tensor over memory, rather than giving a view of one.
bool lays_tensor(Node call) {
  const std::string_view callee = call.child(source::Field::function_field).text();
  const std::string_view leaf = callee.substr(callee.rfind('.') + 1);
  return leaf == "make_tensor" || leaf == "allocate_tensor";
}
}  // namespace

std::optional<SeenColumns> TracedEvaluator::columns_in(const RunValue& value) {
  const auto* tensor = value.as<machine::Record>();
  if (!tensor || tensor->kind != "Tensor" || !tensor->made_at.is(source::Kind::call)) return std::nullopt;
  const auto* space = machine_.field(tensor, "memspace").as<machine::Text>();
  if (!space || space->text != "tmem" || !lays_tensor(tensor->made_at)) return std::nullopt;
  const auto* pointer = machine_.field(tensor, "iterator").as<machine::Record>();
  const RunValue layout = machine_.field(tensor, "layout"), type = machine_.field(tensor, "element_type"),
                 bits = pointer ? machine_.field(pointer, "tmem_bits") : RunValue(),
                 base = pointer ? machine_.field(pointer, "tmem_base") : RunValue();
  SeenColumns out;
  const auto because = [&](const RunValue& of, const char* otherwise) {
    const auto* unknown = of.as<machine::Unknown>();
    out.reason = unknown ? unknown->reason : otherwise;
    out.depends_on = unknown ? unknown->depends_on : std::string();
  };
  out.made_at = tensor->made_at;
  out.made_in = tensor->made_in;
  out.element = machine::type_name(machine_, type);
  out.of_allocation = base.as<machine::Text>() && base.as<machine::Text>()->text == "allocation";
  const bool placed = bits.is_integral() && bits.number() >= 0;
  const auto part = machine::extent_in_tensor_memory(machine_, layout, type, placed ? bits.number() : 0);
  if (!part) {
    because(layout, "the layout or the element type is not known");
  } else if (part->columns > machine::all_tmem_columns || part->lanes > machine::all_tmem_lanes) {
    out.reason = "its layout is none of tensor memory: it counts " + std::to_string(part->columns) +
                 " columns, " + std::to_string(part->lanes) + " lanes";
  } else if (part->first_column + part->columns > machine::all_tmem_columns) {
    out.reason = "its layout reaches beyond the memory, to column " +
                 std::to_string(part->first_column + part->columns - 1) +
                 ": how much of it is used is not told";
  } else {
    out.columns = part->columns;
    out.lanes = part->lanes;
  }
  if (placed) {
    out.first = bits.number() % machine::tmem_lane_bits / machine::tmem_column_bits;
    out.first_lane = bits.number() / machine::tmem_lane_bits;
  } else {
    because(bits, "the pointer is not known");
  }
  return out;
}

std::vector<SeenColumns> TracedEvaluator::tensor_memory_at(int module, Node expression,
                                                           const std::vector<int>& slots) {
  std::vector<SeenColumns> out;
  if (machine_.trace().head(module, expression) < 0) return out;
  for (RunValue value : all_seen(module, expression)) {
    for (const int slot : slots) {
      const auto* tuple = value.as<machine::Tuple>();
      const auto index = static_cast<std::size_t>(slot);
      value = tuple && index < tuple->items.size() ? tuple->items[index] : RunValue();
    }
    auto one = columns_in(value);
    if (!one || std::find(out.begin(), out.end(), *one) != out.end()) continue;
    const RunValue layout = machine_.field(value.as<machine::Record>(), "layout");
    if (layout.as<machine::LayoutObject>()) one->layout = machine_.repr(layout);
    out.push_back(std::move(*one));
  }
  return out;
}

std::string TracedEvaluator::object_at(int module, Node expression) {
  std::string out;
  for (const RunValue& value : all_seen(module, expression)) {
    const auto* record = value.as<machine::Record>();
    const auto* instance = value.as<machine::Instance>();
    if (!record && !instance) return {};
    const std::string& kind = record ? record->kind : instance->klass->name;
    if (!out.empty() && out != kind) return {};
    out = kind;
  }
  return out;
}

namespace {
/// Why what stands behind it was not reached; `who` ends so.
std::string ended(const std::string& error, const char* who) {
  if (error == machine::Machine::exit_text) return "the program exits before it";
  return std::string(who) + " ends with an error: " + error;
}
}  // namespace

std::string TracedEvaluator::unreached(int module, Node node) {
  if (machine_.trace().ran(module, node)) return {};
  const std::string& error = machine_.error();
  if (!error.empty()) return "not reached: " + ended(error, "the program");
  if (!machine_.stopped_by().empty()) return "not reached: the run ended before it: " + machine_.stopped_by();
  const int function = module == 0 ? machine_.program().module(0).function_at(node) : -1;
  const std::string of_entry = function < 0 ? std::string() : machine_.error_of_entry(function);
  return of_entry.empty() ? std::string() : "not reached: " + ended(of_entry, "its function");
}

std::string TracedEvaluator::never_entered(int module, Node node) {
  const int function = machine_.program().module(module).function_at(node);
  const std::string& error = machine_.error();
  if (error.empty() || function < 0 || machine_.trace().entered(module, function)) return {};
  return error == machine::Machine::exit_text ? ended(error, "")
                                              : "the program ends with an error before it: " + error;
}

}  // namespace cutelab::reading
