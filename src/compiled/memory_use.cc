#include "compiled/memory_use.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "compiled/ir.h"
#include "compiled/ir_types.h"

namespace cutelab::compiled {
namespace {

using ir::Id;
using ir::Operation;
using Origins = std::set<int>;

constexpr int most_passes = 16;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Types of addresses of global memory: views, iterators, plain pointers that are not of another space.
bool is_global(std::string_view type) {
  if (type.starts_with("!llvm.ptr")) return type == "!llvm.ptr" || type == "!llvm.ptr<1>";
  if (type.starts_with("!ptr.ptr")) return has(type, "generic_space") || has(type, "global");
  return type == "<1>" || has(type, "gmem") || has(type, ", generic");
}

/// Types whose values lead to memory: addresses and TMA descriptors.
bool leads_to_memory(std::string_view type) {
  return is_global(type) || has(type, "tma_load") || has(type, "tma_store") || has(type, "tma_reduce") ||
         has(type, "tensor_map");
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Operations that read memory and give what lies there: an address among it is no argument's.
bool is_load(std::string_view name) {
  const std::string_view last = last_part(name);
  return last == "load" || last == "load_vec" || last == "ext" || has(name, "masked.load");
}

/// Operations on a view that give no memory although they state its type alone.
bool is_question(std::string_view name) {
  const std::string_view last = last_part(name);
  return (last.starts_with("get_") && last != "get_iter") || last == "size" || last == "cosize" ||
         last == "get" || last.starts_with("cmp");
}

/// Whole numbers that may be addresses: those made of one, and what arithmetic makes of them.
bool is_address_arithmetic(std::string_view name) {
  return has(name, "ptrtoint") || name == "cute.assume" || name.starts_with("arith.");
}

class Follower {
 public:
  explicit Follower(const ir::Module& module) : module_(module), origins_(module.values.size()) {
    for (Id id = 0; id < module_.values.size(); ++id)
      if (const auto& value = module_.values[id]; value.argument && value.operation != ir::none)
        arguments_[value.operation].push_back(id);
  }

  Result<MemoryUse> run(std::string_view function) {
    const Operation* host = function_named(function);
    if (host == nullptr)
      return Error{ErrorKind::input, "follow arguments", "there is no function " + std::string(function), "",
                   "export it again"};
    const auto& arguments = arguments_[module_.index_of(*host)];
    for (std::size_t i = 0; i < arguments.size(); ++i) origins_[arguments[i]].insert(static_cast<int>(i));
    use_.arguments.resize(arguments.size());
    changed_ = true;
    for (int pass = 0; pass < most_passes && changed_; ++pass) {
      changed_ = false;
      for (const Operation& operation : module_.operations) pass_on(operation);
    }
    for (const Operation& operation : module_.operations) look_at(operation);
    return use_;
  }

 private:
  const Operation* function_named(std::string_view name) const {
    for (const Operation& operation : module_.operations)
      if ((operation.name.ends_with(".func") || operation.name == "cuda.kernel") &&
          (has(operation.header, "@" + std::string(name) + "(") ||
           has(operation.header, "@\"" + std::string(name) + "\"(")))
        return &operation;
    return nullptr;
  }

  Id operand(const Operation& operation, std::size_t i) const { return module_.operand(operation, i); }
  Origins of(Id value) const { return value == ir::none ? Origins{} : origins_[value]; }
  Origins of_all(const Operation& operation) const {
    Origins all;
    for (std::size_t i = 0; i < operation.operands; ++i) all.merge(of(operand(operation, i)));
    return all;
  }
  void add(Id value, Origins more) {
    if (value == ir::none) return;
    const std::size_t before = origins_[value].size();
    origins_[value].merge(more);
    changed_ = changed_ || origins_[value].size() != before;
  }
  std::string_view type(std::string_view written) const { return ir::resolved(module_, written); }

  void pass_on(const Operation& operation) {
    if (has(operation.name, "launch")) return launch(operation);
    if (operation.name.starts_with("scf.")) return pass_through_control(operation);
    if (is_load(operation.name) || is_question(operation.name)) return;
    if (has(operation.header, "tma_descriptor_ptr>")) return;  // what the descriptor says is not known
    const Origins all = of_all(operation);
    if (all.empty()) return;
    const auto signature = ir::signature_of(operation);
    for (Id i = 0; i < operation.results; ++i) {
      std::string_view made;
      if (i < signature.results.size()) made = signature.results[i];
      if (signature.results.empty() && !signature.inputs.empty()) made = signature.inputs[0];
      if (leads_to_memory(type(made)) || is_address_arithmetic(operation.name))
        add(operation.first_result + i, all);
    }
  }

  /// Arguments of a kernel are the operands of its launch, the configuration before them.
  void launch(const Operation& operation) {
    const Operation* kernel = nullptr;
    const auto at = operation.header.rfind('@', operation.header.find('<'));
    if (at != std::string_view::npos)
      kernel =
          function_named(operation.header.substr(at + 1, operation.header.find_first_of("<( ", at) - at - 1));
    if (kernel == nullptr) return;
    const auto& arguments = arguments_[module_.index_of(*kernel)];
    for (std::size_t i = 0; i < arguments.size(); ++i) add(arguments[i], of(operand(operation, i + 1)));
  }

  /// Loops and branches: what they yield, what their arguments begin with.
  void pass_through_control(const Operation& operation) {
    for (const Id argument : arguments_[module_.index_of(operation)])
      add(argument, of(module_.values[argument].initial));
    const bool condition = operation.name == "scf.condition";
    if (operation.parent == ir::none || (operation.name != "scf.yield" && !condition)) return;
    const Operation& around = module_.operations[operation.parent];
    std::vector<Id> carried;
    for (const Id argument : arguments_[operation.parent])
      if (module_.values[argument].initial != ir::none) carried.push_back(argument);
    for (std::size_t i = condition; i < operation.operands; ++i) {
      const std::size_t index = i - condition;
      if (index < around.results)
        add(around.first_result + static_cast<Id>(index), of(operand(operation, i)));
      if (index < carried.size()) add(carried[index], of(operand(operation, i)));
    }
  }

  void note(const Origins& origins, bool read, bool written, bool must_be_known) {
    for (const int i : origins) {
      use_.arguments[static_cast<std::size_t>(i)].read |= read;
      use_.arguments[static_cast<std::size_t>(i)].written |= written;
    }
    if (written && must_be_known && origins.empty()) ++use_.writes_elsewhere;
  }
  /// The operand of that place, if its type is an address of global memory.
  void note_operand(const Operation& operation, const ir::Signature& signature, std::size_t i, bool read,
                    bool written) {
    const std::string_view kind = i < signature.inputs.size() ? type(signature.inputs[i]) : "";
    // A pointer without a space may lead anywhere: one that comes from no argument is not counted.
    if (is_global(kind)) note(of(operand(operation, i)), read, written, kind != "!llvm.ptr");
  }

  void look_at(const Operation& operation) {
    const std::string_view name = operation.name;
    if (name == "cute.copy" || name.starts_with("lir.tma_") || name.ends_with("_copy") || name == "lir.copy")
      return copy(operation);
    if (name == "llvm.inline_asm" || name == "nvvm.inline_ptx") return assembly(operation);
    const auto signature = ir::signature_of(operation);
    if (name.starts_with("cute.memref.store") || name == "llvm.store" || has(name, "masked.store"))
      return store(operation, signature);
    const bool bulk = name.starts_with("nvvm.cp.async");
    const bool out = bulk && has(name, ".global.shared"), in = bulk && has(name, ".shared") && !out;
    const bool atomic = has(name, "atomic") || name == "nvvm.red";
    if (name == "func.call" || name == "llvm.call") return call(operation, signature);
    if (!is_load(name) && !in && !out && !atomic) return;
    for (std::size_t i = 0; i < operation.operands; ++i) {
      if (bulk && has(name, ".tensor"))
        note(of(operand(operation, i)), in, out, false);
      else
        note_operand(operation, signature, i, !out, out || atomic);
    }
  }

  void copy(const Operation& operation) {
    const auto signature = ir::signature_of(operation);
    if (signature.inputs.empty()) return;
    const std::string_view first = type(signature.inputs[0]);
    if (operation.name == "cute.copy" && has(first, "tma_"))
      return note(of(operand(operation, 0)), has(first, "tma_load") || has(first, "tma_reduce"),
                  !has(first, "tma_load"), true);
    const std::size_t source = operation.name == "cute.copy" ? 1 : 0;
    note_operand(operation, signature, source, true, false);
    note_operand(operation, signature, source + 1, false, true);
  }

  /// cute.memref.store(%view, %coordinate, %value), store_vec(%value, %view), llvm.store %value, %pointer.
  void store(const Operation& operation, const ir::Signature& signature) {
    const std::size_t values = operation.name == "llvm.store" ? 1 : 0;
    std::vector<std::string_view> types = signature.inputs;
    for (std::size_t i = values; i < operation.operands; ++i) {
      std::string_view kind = i < types.size() ? type(types[i]) : "";
      if (const auto into = kind.find(" into "); into != std::string_view::npos) kind = kind.substr(into + 6);
      if (is_global(kind)) note(of(operand(operation, i)), false, true, kind != "!llvm.ptr");
    }
    if (has(operation.name, "masked.store") && operation.operands > 1)
      note(of(operand(operation, 1)), false, true, false);
  }

  void assembly(const Operation& operation) {
    const std::string_view text = ir::quoted(operation.header);
    const bool atomic = has(text, "atom.") || has(text, "red.global") || has(text, "red.async") ||
                        has(text, "red.relaxed") || has(text, "red.release");
    const bool written = atomic || has(text, "st.global") || has(text, "st.relaxed") ||
                         has(text, "st.release") || has(text, "st.weak") ||
                         (has(text, "cp.") && has(text, ".global.shared"));
    const bool read = atomic || has(text, "ld.global") || has(text, "ld.acquire") || has(text, "ld.relaxed");
    if (read || written) note(of_all(operation), read, written, false);
  }

  void call(const Operation& operation, const ir::Signature& signature) {
    for (std::size_t i = 0; i < operation.operands; ++i)
      if (i < signature.inputs.size() && is_global(type(signature.inputs[i])) &&
          !of(operand(operation, i)).empty())
        ++use_.writes_elsewhere;
  }

  const ir::Module& module_;
  std::vector<Origins> origins_;
  std::unordered_map<Id, std::vector<Id>> arguments_;  ///< of the regions of an operation
  MemoryUse use_;
  bool changed_ = false;
};

}  // namespace

Result<MemoryUse> memory_use(std::string_view text, std::string_view function) {
  auto module = ir::parse(text);
  if (!module) return module.error();
  return Follower(*module).run(function);
}

}  // namespace cutelab::compiled
