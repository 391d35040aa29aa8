#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/reading.h"
#include "reading/evaluator/evaluator.h"
#include "reading/evaluator/flags.h"
#include "source/program.h"

namespace cutelab::reading {

/// One call of the source, with what it calls and where its result goes.
struct CallSite {
  source::Node call;
  std::string path;      ///< qualified path of the callee
  std::string leaf;      ///< its last part
  std::string receiver;  ///< text of the object a method is called on
  std::string target;    ///< name the result is bound to, if it is the whole right-hand side
  int function = -1;     ///< function it stands in
};

/// A fact on its way into the reading, with the node it stands on so that the checklist can ask further.
struct Draft {
  evidence::Fact fact;
  source::Node node;
  std::string construct;  ///< last part of the construct's name: "make_tiled_tma_atom_A", "const stage"
  std::string path;       ///< qualified path of the construct
};

/// A block of device code that only some warps run.
struct RoleBlock {
  std::string name;
  source::Node condition;
  source::Node block;
  source::Node statement;  ///< the `if`, `elif` or `else`; of a task its call
  /// One warp or thread that rejoins the others: neither its block nor a function called there loops over
  /// work.
  bool elected = false;
  bool otherwise = false;  ///< the `else` of the condition
};

/// What the extractors of one reading share: the program, the evaluator, the call sites, and the facts found
/// so far.
class FactContext {
 public:
  FactContext(source::Program& program, Evaluator& evaluator, const std::vector<Flag>& flags,
              evidence::Reading& reading);

  const source::PythonModule& module() const { return program.module(0); }
  const std::vector<CallSite>& calls() const { return calls_; }
  const CallSite* site_of(source::Node call) const;

  evidence::Location at(source::Node node) const;
  /// Value of an expression with its text as formula, ready for a fact.
  evidence::Value value(source::Node expression);
  evidence::Value value(const Abstract& abstract, source::Node expression) const;
  /// Value of a call's keyword argument; Undetermined "not given" when absent.
  source::Node keyword(source::Node call, std::string_view name) const;
  source::Node positional(source::Node call, int position) const;

  Draft& add(evidence::Family family, std::string kind, std::string subject, std::string says,
             source::Node at);

  /// The operation inside a copy or MMA object: looks through make_copy_atom, make_tiled_copy …, partitions.
  /// Qualified path or "".
  std::string operation_of(const Abstract& object, int depth = 0);
  /// Whether a function (of any module) holds, itself or through functions it calls, a call with this last
  /// part of the path.
  bool function_contains(int module, int function, const std::vector<std::string>& leaves, int depth = 0);
  /// Whether a function holds, itself or through functions it calls, PTX written by hand with one of these
  /// instructions in its text.
  bool function_assembles(int module, int function, const std::vector<const char*>& instructions,
                          int depth = 0);
  /// Whether a function holds a loop, itself or through functions it calls.
  bool function_loops(int module, int function, int depth = 0);

  source::Program& program;
  Evaluator& evaluator;
  const std::vector<Flag>& flags;
  evidence::Reading& reading;
  std::vector<Draft> drafts;
  std::vector<RoleBlock> roles;
  std::vector<bool> on_device;  ///< by function; see runs_on_device

 private:
  void collect_calls();
  /// A call in a body. The local function that it runs is looked for when first asked for: that may load a
  /// module.
  struct InnerCall {
    source::Node call;
    std::string_view leaf;  ///< last part of the callee
    bool asked_for = false;
    int module = 0, function = -1;
  };
  std::vector<InnerCall>& calls_in(int module, int function);
  /// False: the call runs no local function, or the one it stands in.
  bool runs_function(int module, int function, InnerCall& inner);
  std::vector<CallSite> calls_;
  std::map<std::pair<int, int>, std::vector<InnerCall>> calls_in_;
  std::vector<std::int32_t> call_by_node_;  ///< index into calls_; -1 = no call
};

/// The argument that a call of `function` passes for a parameter; none when it is left out.
source::Node argument_for(const FactContext& context, const source::PythonFunction& function,
                          source::Node call, std::size_t parameter);
/// What the program's own functions give that an expression calls: ", where tile(x) = x * 2 = 128"; "" = it
/// calls none.
std::string helpers_of_formula(FactContext& context, source::Node expression);
/// "c" of "a.b.c".
std::string leaf_name(std::string_view dotted);
/// The same as a part of the text that is given.
inline std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }
/// Whether a node stands in code of the device: a kernel, a decorated function that launches nothing and is
/// no entry point, what those call, and functions inside them.
bool runs_on_device(const FactContext& context, source::Node node);

// One extractor per family. Each adds drafts; none reads another's, except where its comment says so.
void extract_constructs(FactContext& context);  ///< every call the construct tables name
void extract_launches(FactContext& context);    ///< H2, H4
void extract_storage(FactContext& context);     ///< H3: structs, members, stage constants
void extract_roles(FactContext& context);       ///< D1: dispatch, role constants; fills context.roles
void extract_tasks(FactContext& context);       ///< D1: tasks of the task scheduler
void name_roles(FactContext& context);          ///< names roles by what they do; needs the other facts
void extract_descriptors(
    FactContext& context);  ///< H1: descriptors made through local helpers; completes descriptor facts
void extract_copies(FactContext& context);  ///< D3: cute.copy by TMA and cp.async
/// D3, E1: calls of local helpers that copy between tensors they are given, each by the atom of its call.
void add_copies_of_helpers(FactContext& context);
/// A tensor in global or shared memory by the naming that CuTe code keeps: gC, tCgC, mC; sA, tCsA.
bool names_global(std::string_view text);
bool names_shared(std::string_view text);
void extract_pipelines(
    FactContext& context);  ///< D2: completes pipeline facts; pipelines made through local helpers
void extract_arrivals(FactContext& context);       ///< D1, D2: warps of roles, sizes of groups, who arrives
void tell_arrivals(FactContext& context);          ///< D2: which threads arrive; a part of extract_arrivals
void extract_barrier_rings(FactContext& context);  ///< rings of hand-written mbarriers, as pipelines
void extract_copy_targets(FactContext& context);   ///< D3: pipeline and buffer of each load
/// The pipeline, by its fact's subject, that an object belongs to: itself, a side or a handle of it; "" =
/// not told.
std::string pipeline_of(FactContext& context, source::Node object);
/// The value a local name was last bound to before it is used here; of a tuple on the left, the whole right.
source::Node bound_before(const FactContext& context, source::Node name);
/// Where a tensor or pointer lies: "shared", "global", "registers", "tensor-memory"; "" = not told.
std::string memory_space(FactContext& context, source::Node expression);
std::string memory_space(FactContext& context, const Abstract& object);  ///< by the call that made it
/// The tensor that slices, tiles and partitions are cut from, as the source names it; no node = not told.
source::Node tensor_origin(FactContext& context, source::Node expression);
void extract_extension(
    FactContext& context);  ///< H1, H3, D3, D4 of cute_ext: descriptors are made at the copy
void extract_primitives(FactContext& context);      ///< H1, H3, D3, D4, D6 of Primitives and task scheduling
void extract_inline_ptx(FactContext& context);      ///< instructions in the text of llvm.inline_asm
void add_copies_of_wrappers(FactContext& context);  ///< D3: calls of functions that are one copy operation
void extract_barriers(FactContext& context);        ///< D5: ids and threads of named barriers
void extract_mma(FactContext& context);             ///< D4: tiles, accumulators, pipelined loops
void extract_tensor_memory(
    FactContext& context);  ///< D4: columns of tensors; completes what extract_mma found
void extract_atoms(
    FactContext& context);  ///< D3, D4, E1: completes tiled MMAs and copy atoms; adds ldmatrix, stmatrix
void extract_helper_barriers(FactContext& context);  ///< D5: barriers in helpers of other files
void extract_layouts(FactContext& context);          ///< D6: swizzles applied to buffers
void extract_epilogue(FactContext& context);         ///< E1: final stores
void drop_staging_for_others(FactContext& context);  ///< E1: keeps what the stores read
void extract_store_fences(FactContext& context);     ///< D5: fences that a TMA store follows
void extract_boundaries(FactContext& context);       ///< B1: predicates and masks
void extract_hazards(
    FactContext& context);  ///< what rules ask of single statements; completes copies, descriptors
void extract_copy_groups(
    FactContext& context);  ///< D3: what waits for cp.async leave in flight; needs the groups
void extract_thread_branches(FactContext& context);  ///< D3: branches around TMA copies that part a warp
void extract_early_reads(
    FactContext& context);                     ///< D5: global memory read ahead of a dependent launch's wait
void extract_accesses(FactContext& context);   ///< H3, D5: members opened, barriers of other CTAs
void extract_tilings(FactContext& context);    ///< B1: how tensors in global memory are tiled
void refuse_no_extents(FactContext& context);  ///< H2, B1: quantities that are none are not told as values
void extract_trip_counts(FactContext& context);  ///< B1: loops whose count is rounded down or stepped
void extract_schedulers(FactContext& context);   ///< S1: loops over work tiles

void extract_handed_sides(FactContext& context);  ///< D2: roles that hand a side on; needs the roles' names

// What is not a fact of a family.
void read_functions(FactContext& context);  ///< functions, call graph, launches
void read_architecture(FactContext& context);
void read_flags(FactContext& context);
void read_imports(FactContext& context);
void read_docstring(FactContext& context);          ///< summary, constraints
void read_default_conflicts(FactContext& context);  ///< inputs whose defaults disagree
void check_constraints(FactContext& context);  ///< holds the constraints against the problem that was read
std::string style_of(const FactContext& context);

}  // namespace cutelab::reading
