#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/reading.h"
#include "reading/cpp/cpp_folder.h"
#include "reading/cpp/cpp_reach.h"
#include "source/tree.h"

namespace cutelab::reading {

/// A fact of a CUDA C++ source with the node it stands on and the construct's name.
struct CppDraft {
  evidence::Fact fact;
  source::Node node;
  std::string construct;
  source::Node decides;  ///< what is reached where the fact holds, where that is not `node`
  evidence::Tristate active = evidence::Tristate::yes;  ///< under the sources' own constants
  std::string condition;                                ///< what it depends on where that is not told
};

struct CppRole {
  std::string name;
  source::Node condition;
  source::Node block;
  bool loops = false;
  bool rest = false;  ///< what follows a role that returns: every other warp
};

/// What the extractors of one CUDA C++ reading share.
struct CppContext {
  /// `all`: `t`, then the local headers it includes, in the order of the reading's files.
  CppContext(const source::Tree& t, std::vector<const source::Tree*> all, CppFolder::Settings given,
             evidence::Reading& r)
      : tree(t),
        trees(all),
        parts(cpp_reached_parts(all, included_sources(r))),
        settings(given),
        folder(std::move(all), std::move(given)),
        reading(r) {}
  const source::Tree& tree;
  std::vector<const source::Tree*> trees;
  std::vector<CppPart> parts;  ///< what is read: the source, and what it uses of its headers
  CppFolder::Settings settings;
  mutable CppFolder folder;
  evidence::Reading& reading;
  /// Which of the trees an include of that text in that file means; -1: one that is not read.
  std::function<int(int, std::string_view)> included;
  std::vector<CppDraft> drafts;
  std::vector<CppRole> roles;
  std::map<std::string, source::Node> bodies;  ///< bodies of the functions that are read, by name

  CppNodes nodes() const { return CppNodes(parts); }
  /// By file: whether it is a source (.cu, .cc) and no header.
  static std::vector<bool> included_sources(const evidence::Reading& reading);
  evidence::Location at(source::Node n) const;
  CppDraft& add(evidence::Family family, std::string kind, std::string subject, std::string says,
                source::Node node);
  /// What folding tells of an expression; else undetermined, with what would tell.
  evidence::Value value(source::Node expression) const;
  evidence::Value value(const CppValue& folded, source::Node expression) const;
};

/// Last name of a call's callee or of a type: `f` of a::b<T>::f<U>(…), x.f(…), p->f(…).
std::string leaf_name(source::Node callee);
/// What a declaration or assignment binds the node's value to; "" when the node is part of something larger.
std::string cpp_target(source::Node node);

/// Where a function definition runs, by the specifiers around it.
evidence::Function::Kind function_kind(source::Node definition);

enum class CppSpace { unknown, global, shared, registers, tensor_memory };
/// Where a tensor lies.
CppSpace cpp_space_of(const CppContext& context, source::Node tensor);
/// Whether a node stands in a kernel or a device function.
bool cpp_on_device(source::Node n);

/// A `for`, `while` or `do` statement.
bool is_loop(source::Node n);

void extract_cpp_functions(CppContext& context);   ///< functions, call graph, __launch_bounds__
void extract_cpp_constructs(CppContext& context);  ///< every name of the construct table
void extract_cpp_layouts(CppContext& context);     ///< swizzled layouts that a name of another file makes
void extract_cpp_launches(CppContext& context);    ///< <<<…>>>, cudaLaunchKernelEx, cluster launches
/// A part of a launch: a number or extents; what folds to a name only is not known.
evidence::Value cpp_launch_value(const CppContext& context, const CppValue& folded, source::Node expression);
evidence::Value cpp_launch_value(const CppContext& context, source::Node expression);
void add_cpp_threads(CppDraft& launch, const evidence::Value& block);  ///< product of the block's extents
/// Grid, block, cluster and shared memory of a launch by a call, from its arguments or from the struct that
/// it takes.
void add_cpp_launch_parts(CppContext& context, source::Node call, const std::string& leaf);
void run_cpp_host(CppContext& context);             ///< launches by a run of main, and those of macros
void extract_cpp_collectives(CppContext& context);  ///< what CollectiveBuilder makes of its arguments
void finish_cpp_launches(CppContext& context);      ///< once shared memory is known
void extract_cpp_storage(
    CppContext& context);  ///< __shared__, SharedStorage structs and members, stage constants
void extract_cpp_roles(CppContext& context);
void name_cpp_roles(CppContext& context);           ///< the role that each fact stands in
void extract_cpp_stores(CppContext& context);       ///< assignments to tensors in global memory
void extract_cpp_waits(CppContext& context);        ///< waits for all work after a loop
void extract_cpp_barriers(CppContext& context);     ///< waits, arrivals and set-up of barriers
void extract_cpp_copies(CppContext& context);       ///< TMA and cp.async copies, per operand
void extract_cpp_descriptors(CppContext& context);  ///< what each TMA descriptor is for
void extract_cpp_views(CppContext& context);        ///< layouts laid over shared memory
void extract_cpp_mma(CppContext& context);  ///< accumulators, gemms behind helpers, tiled operations by name
void extract_cpp_atoms(CppContext& context);  ///< completes copy atoms, tiled MMAs, products; needs the waits
void extract_cpp_softmax(CppContext& context);     ///< running softmax of an included header's class
void extract_cpp_identities(CppContext& context);  ///< thread, warp and leader numbers
void extract_cpp_pipeline_sides(
    CppContext& context);                             ///< which pipeline a producer or consumer call works on
void extract_cpp_remote_memory(CppContext& context);  ///< PTX that reaches other CTAs' shared memory
void extract_cpp_store_fences(CppContext& context);   ///< fences that a TMA store follows
void extract_cpp_rings(CppContext& context);          ///< arrays of mbarriers whose elements take turns
void extract_cpp_persistence(CppContext& context);    ///< loops from the CTA's number in steps of the grid
void extract_cpp_steps(CppContext& context);          ///< loops whose next tile a method counts up
void tell_cpp_reach(CppContext& context);             ///< which facts the constants or the build turn off
void extract_cpp_counters(CppContext& context);       ///< work from a counter in global memory, last arrivers
void extract_cpp_guards(CppContext& context);         ///< bounds tests around accesses to global memory
/// What is said of a persistent loop whose tiles are a grid's width apart.
inline constexpr char cpp_steps_of_grid[] = "loop over tiles: from the CTA's own in steps of the grid";
/// The one thread that runs a statement, by the tests around it, or around all calls of the lambda that it
/// stands in: "thread 0"; "" = more than one, or not told.
std::string cpp_thread_of(const CppContext& context, source::Node at, int depth = 0);
/// The warps of a block that a condition leaves, or with `rest` those that it does not; empty: not told.
std::vector<std::int64_t> cpp_warps_of(const CppContext& context, source::Node condition, bool rest);
/// Whether a condition leaves one thread of a warp: elect_one_sync(), `threadIdx.x == 0`, `lane == 0`.
bool cpp_elects(const CppContext& context, source::Node condition);
/// Whether a block, or a function of this file that it calls, holds a loop.
bool cpp_loops(const CppContext& context, source::Node block);
void read_cpp_architecture(CppContext& context);
void check_cpp_patterns(CppContext& context);

}  // namespace cutelab::reading
