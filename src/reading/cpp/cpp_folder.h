#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reading/cpp/cpp_value.h"
#include "source/tree.h"

namespace cutelab::reading {

/// One declarator of a declaration or of a member's, with its value.
struct CppDeclared {
  source::Node declarator, value, bit_field;
};

/// Constant folding of CuTe C++: constexpr arithmetic, Int<N>, aliases, static layouts, template parameters
/// by the arguments that the file itself instantiates them with, sizeof of structs. On demand, nothing is
/// run; what a macro of the build, an argument of the program or two different instantiations decide is
/// unknown and says so.
class CppFolder {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  /// `trees`: the source, then the local headers it includes. `settings`: macros and constants by name.
  CppFolder(std::vector<const source::Tree*> trees, Settings settings);

  CppValue value(source::Node expression) { return evaluate(expression, nullptr); }
  /// The alias or struct that a template's name stands for; no node if none or several.
  source::Node definition_of(source::Node named) const;
  /// Whether a place is reached under the sources' own constants: no only where a branch is plainly not
  /// taken.
  bool reaches(source::Node place) { return reached(place); }
  /// 1 or 0; unknown where macros of the build decide, `depends_on` which.
  CppValue reach(source::Node place);
  /// What an init_declarator gives its name.
  CppValue value_of_declaration(source::Node init) { return initial(init, init, nullptr); }
  /// Of a struct's definition, with its template arguments as the file instantiates it.
  CppValue layout_of(source::Node structure);  ///< bytes; unknown says which member is missing
  struct Member {
    std::string name;
    std::int64_t offset = 0, bytes = 0, alignment = 1;
  };
  /// Members that could be placed, in order; all of them when layout_of is known.
  std::vector<Member> members_of(source::Node structure);
  /// Bytes of one declarator of a declaration.
  CppValue extent_of_variable(source::Node declaration, source::Node declarator);
  std::optional<std::int64_t> alignment_of(source::Node structure);
  const std::vector<std::string>& used_settings() const { return used_; }
  /// What a macro with arguments launches; no kernel: it launches nothing, or not in one way.
  struct Launched {
    source::Node kernel;
    std::vector<CppValue> parts;
  };
  Launched macro_launch(source::Node call);
  /// The function definition that a name of these sources stands for; no node if none or several.
  source::Node function_named(std::string_view name) const;

 private:
  friend class CppHostRun;
  /// Names that a template's arguments or a call's give to what stands in `scope`; anywhere without one.
  struct Frame {
    const Frame* outer = nullptr;
    source::Node scope = {};
    mutable std::map<std::string, CppValue, std::less<>> names = {};  ///< a call that is run assigns to them
    bool runs = false;                                                ///< the locals of such a call
  };
  using Frames = const Frame*;
  /// A place where a variable may get another value.
  struct Change {
    source::Node at;                     ///< an assignment, a step, or where it is handed out
    std::vector<std::string_view> path;  ///< the member that is changed
    bool told = true;                    ///< false: by whom it is handed to
    bool kept = false;                   ///< whoever has it may write to it at any later time
  };
  /// Where a variable is declared and up to where it is seen.
  struct Variable {
    source::Node declaration;  ///< init_declarator, declarator, parameter
    std::string_view name;
    source::Node block;  ///< what holds all its uses; none: of the file
    bool pointer = false;
  };
  enum class When { never, before, perhaps };
  enum class Flow { on, out, next_round, returned, stopped };

  CppValue evaluate(source::Node n, Frames frame);
  CppValue evaluate_new(source::Node n, Frames frame);
  CppValue named(source::Node n, std::string_view name, Frames frame);
  CppValue declared(source::Node declaration, source::Node use, Frames frame);
  /// A variable at a use: what it is declared with, and the changes in between.
  CppValue initial(source::Node init, source::Node use, Frames frame);
  CppValue initializer(source::Node init, source::Node use, Frames frame);
  CppValue part_of_binding(source::Node init, source::Node use, Frames frame);
  CppValue without_initializer(source::Node declarator, source::Node use, Frames frame);
  CppValue made_object(source::Node declarator, source::Node use, Frames frame);
  CppValue of_member(source::Node declaration, source::Node declarator, source::Node use, Frames frame);
  CppValue changed(const Variable& variable, source::Node use, CppValue start, Frames frame);
  const std::vector<Change>& changes_of(const Variable& variable);
  void collect_changes(const Variable& variable, std::vector<std::string_view> path, int depth,
                       std::vector<Change>& out);
  void classify_change(source::Node name, const Variable& variable, std::vector<std::string_view> path,
                       int depth, std::vector<Change>& out);
  void collect_address(source::Node taken, std::vector<std::string_view> path, int depth,
                       std::vector<Change>& out);
  void collect_handed(source::Node expression, std::vector<std::string_view> path, int depth,
                      std::vector<Change>& out);
  bool is_shadowed(const Variable& variable, source::Node use) const;
  using Mentions = std::unordered_map<std::string_view, std::vector<std::uint32_t>>;
  const Mentions& mentions_in(const source::Tree* tree);
  bool jumps(source::Node block);
  std::uint32_t horizon(const Variable& variable, source::Node use);
  bool method_writes(source::Node call) const;
  When when(const Change& change, const Variable& variable, source::Node use, Frames frame);
  When when_around(source::Node above, source::Node below, Frames frame);
  CppValue applied_to_member(CppValue value, const Change& change, std::size_t step, source::Node type,
                             Frames frame);
  CppValue assigned(const CppValue& value, source::Node right, source::Node type, Frames frame);
  CppValue applied(CppValue value, const Change& change, std::size_t step, source::Node type, Frames frame);
  bool is_given_members(source::Node structure) const;
  // Calls whose body is run.
  CppValue run_body(source::Node function, const Frame& frame);
  Flow run(source::Node statement, const Frame& frame, CppValue* result);
  Flow run_declaration(source::Node statement, const Frame& frame, CppValue* result);
  Flow run_expression(source::Node expression, const Frame& frame, CppValue* result);
  Flow run_loop(source::Node loop, const Frame& frame, CppValue* result);
  Flow run_switch(source::Node statement, const Frame& frame, CppValue* result);
  Flow run_if(source::Node statement, const Frame& frame, CppValue* result);
  void bind_template(source::Node function, const std::vector<CppValue>& given, Frame& frame);
  void bind_parameters(source::Node owner, const std::vector<CppValue>& whole, Frame& frame);
  /// Of a class's own, or of one that it derives from: methods of that name that take so many arguments.
  source::Node method_of(const CppValue& object, std::string_view name, std::size_t given, Frame& members);
  CppValue method_call(source::Node n, const CppValue& object, std::string_view name,
                       const std::vector<CppValue>& arguments);
  CppValue member_named(const CppValue& structure, std::string_view name, bool of_type, int depth = 0);
  CppValue macro(std::string_view name, source::Node use);
  source::Node macro_called(source::Node call);
  const source::Tree* macro_tree(source::Node define);
  bool bind_macro(source::Node define, source::Node call, source::Node use, source::Node text, Frames outer,
                  Frame& frame);
  bool is_whole_macro(std::string_view name);
  CppValue macro_expression(source::Node define, source::Node use);
  CppValue macro_call(source::Node call, Frames frame);
  bool is_include_guard(source::Node directive) const;
  CppValue behind_ifdef(source::Node place) const;
  std::vector<source::Node> live_defines(std::string_view name, source::Node use, CppValue* open);
  /// The #define or #undef of a name that holds at a place of its file; no node: branches or other files
  /// tell.
  source::Node directive_before(std::string_view name, source::Node use) const;
  /// Whether a #define in front of the use stands for the name there.
  bool macro_hides(std::string_view name, source::Node declaration, source::Node use) const;
  CppValue enumerator(source::Node one, Frames frame);
  CppValue of_enumeration(source::Node enumeration);
  CppValue as_type(CppValue value, source::Node type, Frames frame);
  /// `a::b::name`, `::name`: what namespace scope `path` declares under that name.
  CppValue in_namespace(source::Node n, const std::vector<std::string_view>& path, source::Node name,
                        Frames frame);
  std::vector<CppValue> all_arguments(source::Node owner, std::vector<CppValue> given, Frames frame);
  /// What a template's name stands for with these arguments: its primary, or a specialization with what that
  /// leaves open; unknown where it cannot be told which.
  CppValue chosen_template(source::Node primary, std::string_view name, const std::vector<CppValue>& given,
                           Frames frame);
  CppValue specialized(source::Node special, const std::vector<CppValue>& given);
  /// 1: the pattern is this argument, with what it binds; 0: it is another; unknown: not told.
  CppValue matched(source::Node pattern, const CppValue& given, const std::vector<std::string_view>& open,
                   CppValue& bound);
  bool is_specialized_use(source::Node site, source::Node primary);
  CppValue parameter(source::Node function, std::string_view name, source::Node use);
  CppValue template_parameter(source::Node owner, std::string_view name, source::Node use);
  bool reached(source::Node place) { return reach(place).integer().value_or(1) != 0; }
  CppValue reach_of_function(source::Node function);
  CppValue reach_in_file(source::Node place);
  CppValue reach_of_mentions(source::Node function);
  CppValue reach_of_alias(source::Node alias);
  CppValue reach_of_branch(source::Node above, source::Node below);
  CppValue reach_behind_returns(source::Node block, source::Node statement);
  CppValue reach_of_directive(source::Node directive, source::Node below);
  CppValue reach_of_all(const std::vector<source::Node>& sites, source::Node but_within);
  CppValue directive_value(source::Node condition);
  static bool fits_template(source::Node owner, source::Node use);
  static bool fits_call(source::Node function, source::Node call);
  bool accepts(source::Node function, source::Node call);
  bool chooses(source::Node call, source::Node function);
  std::vector<source::Node> sites_of(source::Node function, const std::vector<source::Node>& uses);
  CppValue of_file(source::Node n, source::Node name);
  CppValue own_value(const CppValue& type, std::string_view name, int depth);
  CppValue qualified(source::Node n, Frames frame);
  CppValue member_of_scope(source::Node n, source::Node scope, source::Node name, Frames frame);
  CppValue unary(source::Node n, Frames frame);
  CppValue expanded(source::Node alias, const std::vector<CppValue>& arguments, Frames frame);
  CppValue binary(source::Node n, Frames frame);
  CppValue field(source::Node n, Frames frame);
  CppValue template_use(source::Node n, source::Node arguments, std::string_view name, Frames frame);
  CppValue call(source::Node n, Frames frame);
  CppValue own_call(source::Node n, std::string_view called, const std::vector<CppValue>& arguments,
                    source::Node template_arguments, Frames frame);
  CppValue evaluate_scope(source::Node scope, Frames frame);
  CppValue library_call(std::string_view name, source::Node n, std::vector<CppValue> arguments,
                        source::Node template_arguments, Frames frame);
  CppValue constexpr_call(source::Node function, const std::vector<CppValue>& arguments, Frames outer,
                          const std::vector<CppValue>& template_arguments = {});
  CppValue described_type(source::Node descriptor, Frames frame);
  CppValue own_member(const CppValue& structure, std::string_view name, bool of_type, Frames bound);
  CppValue library_record(CppValue record, source::Node braces, Frames frame);
  CppValue member_value(source::Node member, const CppDeclared& one, source::Node given, bool zeroed,
                        Frames frame, Frames own);
  CppValue object(const CppValue& type, source::Node braces, Frames frame);
  CppValue variable_template(source::Node init, source::Node use, const std::vector<CppValue>& arguments,
                             Frames frame);
  CppValue of_namespace(source::Node n, Frames frame);
  std::vector<CppValue> values_of(source::Node list, Frames frame);
  CppValue size_of(source::Node n, Frames frame);
  std::optional<CppExtent> extent_of(const CppValue& type, std::string* missing);
  std::optional<CppExtent> extent_of_struct(const CppValue& structure, std::string* missing,
                                            std::vector<Member>* members);
  std::optional<CppExtent> extent_of_declarator(source::Node declaration, source::Node declarator,
                                                Frames frame, std::string* missing);
  CppValue type_written_out(source::Node type, Frames frame);
  bool place_member(source::Node field, const CppDeclared& one, std::int64_t pack, bool overlapped,
                    Frames frame, CppExtent& out, std::int64_t& bits, std::vector<Member>* members,
                    std::string* missing);
  std::optional<CppExtent> extent_of_bases(source::Node structure, bool is_dynamic, Frames frame,
                                           std::string* missing);
  /// Raises an alignment by what is stated in a declaration; false: by what is not known.
  bool raise_alignment(source::Node declaration, Frames frame, std::int64_t* alignment);
  CppValue size_of_pack(source::Node n, Frames frame);
  void index();
  void index_prototype(source::Node declarator);
  void index_variable(source::Node init);
  void index_call(source::Node call);
  void index_other(source::Node n);
  void index_declaration(source::Node n);
  void index_written(source::Node written, source::Node target);
  source::Node scope_of(source::Node n) const;
  int nearness(source::Node declaration, source::Node scope, source::Node use) const;
  source::Node choose(std::string_view name, source::Node use) const;
  bool takes_reference(source::Node argument) const;
  bool unseen_takes_reference(source::Node callee, std::size_t position) const;
  bool keeps_reference(source::Node value) const;
  bool is_class_keeping(std::string_view name, std::size_t position) const;
  bool is_given_to_macro(source::Node written) const;
  const std::vector<std::string_view>& macros_that_write(std::string_view variable);
  void collect_macro_targets(std::string_view macro, source::Node define);
  bool macro_writes(std::string_view macro, std::size_t position, int depth) const;
  bool runs_later(const Change& change, const Variable& variable, std::uint32_t from, std::uint32_t to);
  /// Of a block's `using a::name;` that hides the declaration; no node: none does.
  source::Node used_in_block(std::string_view name, source::Node use, source::Node declaration) const;
  bool is_local(source::Node declaration) const;

  std::vector<const source::Tree*> trees_;
  Settings settings_;
  std::vector<std::string> used_;
  std::unordered_map<std::string_view, std::vector<source::Node>> declarations_;
  std::unordered_map<std::string_view, std::vector<source::Node>> functions_;
  std::unordered_map<std::string_view, std::vector<source::Node>> prototypes_;  ///< without a body
  std::unordered_map<std::string_view, std::vector<source::Node>> uses_;  ///< template_function, call by name
  std::unordered_map<std::string_view, std::vector<source::Node>> macros_;
  std::unordered_map<std::string_view, std::vector<source::Node>> function_macros_;  ///< with arguments
  struct ByPlace {
    bool operator()(source::Node a, source::Node b) const {
      return std::pair(a.tree(), a.index()) < std::pair(b.tree(), b.index());
    }
  };
  std::map<source::Node, std::unique_ptr<source::Tree>, ByPlace> macro_trees_;
  std::unordered_map<std::string_view, std::vector<source::Node>> undefined_;  ///< #undef by name
  std::unordered_map<std::string_view, std::vector<source::Node>> special_;    ///< template<> struct X<…>
  std::unordered_map<std::string_view, std::vector<source::Node>> members_;  ///< x.f(…), T::f(…) by name
  std::unordered_map<std::string_view, std::vector<source::Node>> types_;    ///< mentions of types by name
  std::unordered_set<std::string_view> namespaces_;
  std::vector<source::Node> usings_;                      ///< `using a::b;` and the like
  std::unordered_set<std::string_view> written_members_;  ///< by `x.m = …` and the like
  std::map<std::tuple<const source::Tree*, std::uint32_t, std::string_view>, std::vector<Change>> changes_;
  std::unordered_map<const source::Tree*, Mentions> mentions_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> macro_targets_;  ///< by variable
  std::map<std::pair<const source::Tree*, std::uint32_t>, bool> jumps_;
  int statements_ = 0;  ///< of bodies that were run
  int running_ = 0;
  std::map<std::pair<const source::Tree*, std::uint32_t>, CppValue> reach_of_functions_;
  struct Reached {
    std::vector<std::int32_t> of_node;  ///< 0 no, 1 yes, else unknown, its place in `open` + 2; -1 not asked
    std::vector<CppValue> open;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> returns;  ///< by block, ifs that return
  };
  std::unordered_map<const source::Tree*, Reached> reached_;
  std::unordered_map<std::string, CppValue> memo_;  ///< of expressions outside any frame
  int depth_ = 0;
  bool cut_short_ = false;  ///< a question of reach came too deep to be answered
  int steps_ = 0;
};

/// What a declaration, or a member's, declares.
std::vector<CppDeclared> cpp_declarators(source::Node declaration);
/// Whether a parameter is a reference that may be written through.
bool cpp_takes_by_reference(source::Node parameters, std::size_t position);
/// `dim3 g(a, b);` in a block, which the grammar takes for a function's declaration.
bool cpp_is_made_object(source::Node declarator);
/// `x` of `Guard g(x);` in a block, which the grammar takes for a function's parameter.
bool cpp_is_made_with(source::Node name);
/// The names of `auto [a, b]`, `auto& [a, b]`; no node: it is another declarator.
source::Node cpp_binding_of(source::Node declarator);
/// Whether a text has a word in it, as part of others too.
inline bool cpp_has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}
/// What stands in front of a declaration's declarators: `static constexpr int`.
std::string_view cpp_specifiers(source::Node declaration);
/// Whether a lambda around a place, within `block`, has a parameter of that name.
bool cpp_is_lambda_parameter(std::string_view name, source::Node use, source::Node block);
/// A type that points to another: `float*`.
CppValue cpp_pointer_to(const CppValue& pointee, std::string_view written);
/// A struct of the CUDA runtime or of CUTLASS that a launch is made of, with its members; unknown for others.
CppValue cpp_record_named(std::string_view name);
/// A grid or block as it is launched: a number is its first extent.
CppValue cpp_as_dim3(CppValue value);
/// Expressions of an argument or initializer list, punctuation left out.
std::vector<source::Node> cpp_items(source::Node list);
/// Whether two values are one, as template arguments are.
bool cpp_same_value(const CppValue& a, const CppValue& b);
/// The name that a template parameter declares.
source::Node cpp_template_parameter_name(source::Node parameter);
/// Names of the namespaces around a node, outermost first.
std::vector<std::string_view> namespaces_around(source::Node n);
/// Parameters of a function's definition.
source::Node cpp_parameters_of(source::Node function);
/// Whether a call with so many arguments fits, by what has a default.
bool cpp_takes(source::Node function, std::size_t given);
/// Whether the preprocessor keeps or drops both together, as far as the source tells.
bool same_branches(source::Node a, source::Node b);
/// The identifier that a declarator declares, below pointers, arrays and references.
source::Node cpp_declared_name(source::Node declarator);
/// The name node of a function definition.
source::Node cpp_function_name(source::Node definition);
/// An element or library type by its last name: half_t, uint64_t, ClusterBarrier; unknown for others.
CppValue cpp_type_named(std::string_view name);
/// A layout atom, an MMA operation or another name of the library that stands for a value:
/// Layout_K_SW128_Atom with element bits, SM90_64x64x16_…; unknown for others.
CppValue cpp_library_name(std::string_view name, const std::vector<CppValue>& arguments);
/// Adds to an MMA operation the extents m, n and k of one instruction and its ctas, where its name or its
/// arguments tell them.
void cpp_shape_of_operation(std::string_view name, const std::vector<CppValue>& arguments, CppValue& out);
/// make_tiled_mma, tile_size, partition_shape_A, tile_to_mma_shape, tiled_divide, make_tensor and what else
/// takes tiled operations or layouts apart; unknown with an empty text: it is none of these.
CppValue cpp_layout_call(std::string_view name, const std::vector<CppValue>& a,
                         const std::vector<CppValue>& template_arguments);

}  // namespace cutelab::reading
