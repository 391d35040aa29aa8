#pragma once
#include <map>
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "source/tree.h"

namespace cutelab::reading {

/// A fact of a CUDA C++ source with the node it stands on and the construct's name.
struct CppDraft {
  evidence::Fact fact;
  source::Node node;
  std::string construct;
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
  CppContext(const source::Tree& t, evidence::Reading& r) : tree(t), reading(r) {}
  const source::Tree& tree;
  evidence::Reading& reading;
  std::vector<CppDraft> drafts;
  std::vector<CppRole> roles;
  std::map<std::string, source::Node> bodies;  ///< function bodies of this file by name

  evidence::Location at(source::Node n) const { return {0, n.span()}; }
  CppDraft& add(evidence::Family family, std::string kind, std::string subject, std::string says,
                source::Node node);
  /// A literal (number, Int<N>{}, _N{}, true) or the constexpr constant a name stands for; else undetermined
  /// with the expression.
  evidence::Value value(source::Node expression) const;
};

/// Last name of a call's callee or of a type: `f` of a::b<T>::f<U>(…), x.f(…), p->f(…).
std::string leaf_name(source::Node callee);
/// What a declaration or assignment binds the node's value to; "" when the node is part of something larger.
std::string cpp_target(source::Node node);

/// A `for`, `while` or `do` statement.
bool is_loop(source::Node n);

void extract_cpp_functions(CppContext& context);   ///< functions, call graph, __launch_bounds__
void extract_cpp_constructs(CppContext& context);  ///< every name of the construct table
void extract_cpp_launches(CppContext& context);    ///< <<<…>>>, cudaLaunchKernelEx, cluster launches
void extract_cpp_storage(
    CppContext& context);  ///< __shared__, SharedStorage structs and members, stage constants
void extract_cpp_roles(CppContext& context);
void extract_cpp_stores(CppContext& context);  ///< assignments to tensors in global memory
void extract_cpp_waits(CppContext& context);  ///< waits of barrier types, and waits for all work after a loop
/// Whether a block, or a function of this file that it calls, holds a loop.
bool cpp_loops(const CppContext& context, source::Node block);
void read_cpp_architecture(CppContext& context);
void check_cpp_patterns(CppContext& context);

}  // namespace cutelab::reading
