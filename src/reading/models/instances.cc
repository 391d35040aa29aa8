#include "reading/models/instances.h"

#include <algorithm>

#include "reading/models/element_types.h"
#include "reading/models/layout_values.h"

namespace cutelab::reading::machine {
namespace instances_models {

using ClassNames = std::initializer_list<std::string_view>;

bool among(std::string_view name, ClassNames names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string_view leaf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// Classes that values of other models are certainly not.
bool known_class(std::string_view name) {
  return among(name,
               {"Tensor",     "_Tensor",     "Layout",       "_Layout",  "ComposedLayout", "_ComposedLayout",
                "Swizzle",    "Pointer",     "_Pointer",     "Numeric",  "NumericMeta",    "Integer",
                "Float",      "Boolean",     "Int32",        "Int64",    "TensorSSA",      "ScaledBasis",
                "Op",         "MmaOp",       "CopyOp",       "Atom",     "MmaAtom",        "CopyAtom",
                "TiledMma",   "TiledCopy",   "ThrMma",       "ThrCopy",  "IntValue",       "Constexpr",
                "type",       "tuple",       "list",         "int",      "float",          "bool",
                "str",        "dict",        "set",          "Sequence", "Callable",       "_BasePointer",
                "ArithValue", "BasePointer", "NamedBarrier", "NoneType", "TypedTensor",    "FragmentBase"});
}

std::optional<bool> operation_is(Machine& m, const Record* op, std::string_view name) {
  const std::string_view own = leaf(op->path);
  if (own == name || name == "Op") return true;
  if (op->kind == "MmaOp") {
    const std::string family = text_of(m.field(op, "family"));
    const bool scaled = m.field(op, "sf_vec_size").bound();
    if (name == "MmaOp" || name == "AtomMmaOp") return true;
    if (name == "WarpMmaOp") return family == "warp" && !scaled;
    if (name == "WarpGroupMmaOp") return family == "warpgroup";
    if (name == "Tcgen05MmaOp") return family == "tcgen05";
    if (name == "BlockScaledMmaOp") return family == "tcgen05" && scaled;
    if (name == "MmaSM120BlockScaledOp") return family == "warp" && scaled;
  } else {
    if (name == "CopyOp") return true;
    if (name == "TmaCopyOp") return starts(own, "CopyBulkTensor") || starts(own, "CopyReduceBulkTensor");
  }
  const bool operation_name = name.size() > 2 && name.substr(name.size() - 2) == "Op";
  return operation_name || known_class(name) ? std::optional(false) : std::nullopt;
}

/// "OperandMajorMode" of the library's member "cutlass.cute.nvgpu.OperandMajorMode.K"; empty: no member of a
/// class.
std::string_view enumeration_of(const Value& value) {
  const External* member = value.as<External>();
  if (!member) return {};
  const std::string_view path = member->path;
  const auto last = path.rfind('.');
  if (last == std::string_view::npos || last == 0) return {};
  const std::string_view owner = leaf(path.substr(0, last));
  return !owner.empty() && owner[0] >= 'A' && owner[0] <= 'Z' ? owner : std::string_view();
}

std::optional<bool> record_is(Machine& m, const Record* record, std::string_view name) {
  const std::string_view kind = record->kind;
  if (kind == name) return true;
  if (kind == "MmaOp" || kind == "CopyOp") return operation_is(m, record, name);
  if (kind == "dtype") {
    if (name == "NumericMeta" || name == "type") return true;
  } else if (kind == "Tensor") {
    if (name == "_Tensor") return true;
  } else if (kind == "Pointer") {
    if (among(name, {"_Pointer", "_BasePointer", "BasePointer"})) return true;
  } else if (among(kind, {"MmaAtom", "TiledMma", "ThrMma"})) {
    if (name == "Atom" || name == "MmaAtom") return true;
    if (name == "TiledMma") return kind == "ThrMma";
  } else if (among(kind, {"CopyAtom", "TiledCopy", "ThrCopy", "TmaAtom"})) {
    if (name == "Atom" || name == "CopyAtom") return true;
    if (name == "TiledCopy") return kind == "ThrCopy";
  } else if (!among(kind, {"Swizzle", "ScaledBasis"})) {
    return std::nullopt;
  }
  return known_class(name) ? std::optional(false) : std::nullopt;
}

}  // namespace instances_models

std::optional<bool> model_is_a(Machine& machine, const Value& value, std::string_view name) {
  using namespace instances_models;
  if (const LayoutObject* object = value.as<LayoutObject>()) {
    if (name == "Layout" || name == "_Layout") return object->layout.plain();
    if (name == "ComposedLayout" || name == "_ComposedLayout") return !object->layout.plain();
    return known_class(name) ? std::optional(false) : std::nullopt;
  }
  if (const Record* record = value.as<Record>()) return record_is(machine, record, name);
  if (const std::string_view enumeration = enumeration_of(value); !enumeration.empty()) {
    if (name == enumeration || name == "Enum") return true;
    return known_class(name) ? std::optional(false) : std::nullopt;
  }
  if (element_type_of(value)) {
    if (name == "NumericMeta" || name == "type") return true;
    return known_class(name) ? std::optional(false) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> instance_is_a(const Instance* instance, std::string_view name) {
  using namespace instances_models;
  std::vector<const Class*> todo{instance->klass};
  bool all_known = true;
  if ((instance->klass->is_number && name == "int") || (instance->klass->is_text && name == "str"))
    return true;
  for (std::size_t at = 0; at < todo.size() && at < 32; ++at) {
    if (todo[at]->name == name) return true;
    for (const Value& base : todo[at]->bases) {
      if (const Class* klass = base.as<Class>())
        todo.push_back(klass);
      else if (const External* library = base.as<External>(); library && library->leaf() == name)
        return true;
      else
        all_known = all_known && library && library->leaf() == "Enum";
    }
  }
  return all_known && known_class(name) ? std::optional(false) : std::nullopt;
}

std::optional<bool> model_is_subclass(const Value& type, std::string_view name) {
  using namespace instances_models;
  const ElementType* element = element_type_of(type);
  if (!element) return std::nullopt;
  if (name == element->name || name == "Numeric") return true;
  if (name == "Float") return element->floating;
  if (name == "Integer") return !element->floating && element->name != "Boolean";
  return known_class(name) ? std::optional(false) : std::nullopt;
}

}  // namespace cutelab::reading::machine
