#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiled/ir.h"
#include "compiled/ir_places.h"
#include "compiled/ir_types.h"
#include "compiled/read_ir.h"

namespace cutelab::compiled {

inline constexpr std::size_t npos = std::string_view::npos;

/// A value that the compiler states.
evidence::Value stated(std::int64_t number);
evidence::Value stated(bool truth);
evidence::Value stated(std::string text);
evidence::Value stated(std::string_view text);
evidence::Value stated(const char* text);
evidence::Value stated(std::vector<evidence::Value> items);
/// A layout as the layout room writes it, so that equal layouts are equal texts; as it stands if that room
/// cannot read it. `swizzle` may be empty.
evidence::Value stated_layout(std::string_view swizzle, std::string_view layout);
/// "(64,128,1):(…)" -> [64, 128, 1]; "64x128x16" likewise. Undetermined parts are left as text.
evidence::Value stated_shape(std::string_view shape);

/// Shape, types, majors and operand sources of an MMA atom's type; empty for another type.
std::map<std::string, evidence::Value> mma_values(std::string_view type);

/// A member of a shared-memory struct, or a whole allocation where there is no struct.
struct Member {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
};

/// An allocation of shared memory.
struct Buffer {
  ir::Id operation = ir::none;
  std::int64_t bytes = 0;
  std::int64_t alignment = 1;
  std::vector<Member> members;  ///< of a struct; empty otherwise
};

/// Where a pointer or tensor into shared memory begins.
struct Address {
  ir::Id allocation = ir::none;  ///< the operation; `none`: not found
  std::int64_t offset = 0;       ///< bytes, without what is known only at run time
  bool exact = true;             ///< false: something is added at run time
};

/// A family of barriers that one call made.
struct Pipeline {
  std::string kind;  ///< "PipelineTmaAsync"; empty: mbarriers without a class
  std::string member;
  ir::Id first = ir::none;             ///< the first initialisation: its place is the pipeline's
  std::vector<ir::Id> locations;       ///< one for each group (full, empty), in order
  std::vector<int> counts;             ///< barriers of each group
  std::vector<std::int64_t> arrivals;  ///< of each group; -1 where it is known only at run time
  std::vector<std::int64_t> bytes;     ///< transaction bytes expected, distinct
};

/// Draws facts from one module, function by function.
class IrReader {
 public:
  IrReader(const ir::Module& module, const std::vector<std::string>& files)
      : module_(module), places_(module, files) {}
  IrReading run();

 private:
  using Handler = void (IrReader::*)(const ir::Operation&);
  using Values = std::map<std::string, evidence::Value>;
  static const std::unordered_map<std::string_view, Handler>& handlers();
  static void add_common_handlers(std::unordered_map<std::string_view, Handler>& table);
  static Handler family_handler(std::string_view name);

  struct Draft {
    evidence::Family family;
    std::string kind;
    std::string subject;
    Values values;
    std::string says;
    bool optional = false;
  };
  /// Adds the fact at the operation's place, or joins it to the same fact already there. Nullptr: the
  /// operation has no line of the program's own.
  evidence::Fact* add(const ir::Operation& operation, Draft draft);
  /// Keeps what is no fact of its own and answers a statement of the source.
  void add_lesser(const ir::Operation& operation, Draft draft);
  evidence::Value inside(const ir::Operation& operation, const Place& place);

  // functions
  void enter(const ir::Operation& function);
  void leave();
  std::string kernel_name(const ir::Operation& kernel, const Place& place);
  void emit_pipelines();

  // what an operation's text says
  std::optional<std::int64_t> number(ir::Id value) const { return ir::constant(module_, value); }
  evidence::Value number_or_unknown(ir::Id value) const;
  std::string_view type(std::string_view written) const { return ir::resolved(module_, written); }
  std::string_view result_type(const ir::Operation& operation, std::size_t index = 0) const;
  std::string_view input_type(const ir::Operation& operation, std::size_t index) const;

  // shared memory
  Address address_of(ir::Id value) const;
  bool step(const ir::Operation& maker, Address& address, ir::Id& value) const;
  const Member* member_at(const Address& address) const;
  std::string buffer_name(const Address& address) const;
  void on_allocation(const ir::Operation& operation);
  void on_view(const ir::Operation& operation);
  void on_layout(const ir::Operation& operation);
  void on_plain_layout(const ir::Operation& operation);
  void on_operand_layout(const ir::Operation& operation);
  void on_recast(const ir::Operation& operation);
  void on_partition(const ir::Operation& operation);

  // launch and descriptors, from the host function
  void on_launch_config(const ir::Operation& operation);
  void on_launch_attribute(const ir::Operation& operation);
  void on_launch(const ir::Operation& operation);
  void on_tma_descriptor(const ir::Operation& operation);
  void on_atom(const ir::Operation& operation);

  void on_multicast_mask(const ir::Operation& operation);
  void on_tensor_map(const ir::Operation& operation);
  std::vector<evidence::Value> stored_numbers(const ir::Operation& user, std::size_t operand) const;

  // the dialect of cute_ext
  void on_lir_pipeline(const ir::Operation& operation);
  void on_lir_step(const ir::Operation& operation);
  void on_lir_copy(const ir::Operation& operation);
  void on_lir_dot(const ir::Operation& operation);

  // device work
  void on_copy(const ir::Operation& operation);
  void on_gemm(const ir::Operation& operation);
  void add_register_accumulator(ir::Id value, bool copied);
  void on_mma_field(const ir::Operation& operation);
  void on_accumulator(const ir::Operation& operation);
  void on_wgmma(const ir::Operation& operation);
  void on_tensor_memory(const ir::Operation& operation);
  void on_group(const ir::Operation& operation);
  void on_instruction(const ir::Operation& operation);
  void on_loop(const ir::Operation& operation);
  void on_small_copy(const ir::Operation& operation);

  // synchronisation
  void on_mbarrier_init(const ir::Operation& operation);
  void on_mbarrier(const ir::Operation& operation);
  bool pipeline_call(const ir::Operation& operation, const Place& place, const std::string& member,
                     const std::string& pipeline, Values values);
  void on_barrier(const ir::Operation& operation);
  void on_fence(const ir::Operation& operation);
  void on_inline_text(const ir::Operation& operation);
  void on_registers(const ir::Operation& operation);

  const ir::Module& module_;
  Places places_;
  IrReading out_;
  std::unordered_map<std::string, std::size_t> index_;  ///< of facts, by kind, subject and line
  std::unordered_set<std::string> lesser_;              ///< kinds, lines and values of those told
  std::vector<Buffer> buffers_;
  std::vector<Pipeline> pipelines_;
  IrKernel* kernel_ = nullptr;                          ///< the one at hand; nullptr in host functions
  evidence::Location launch_;                           ///< of the kernel at hand
  std::map<std::string, evidence::Location> launches_;  ///< by symbol
  std::map<ir::Id, Values> configurations_;             ///< launch settings, by the value that carries them
  const ir::Operation* function_ = nullptr;
};

}  // namespace cutelab::compiled
