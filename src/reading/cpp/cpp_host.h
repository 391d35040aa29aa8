#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reading/cpp/cpp_folder.h"

namespace cutelab::reading {

/// The host code of a program, run from its main as far as the sources tell what it does: loops, references,
/// pointers, objects and lambdas as C++ has them. What cannot be followed ends the run; what it may have
/// written to is unknown from there on. `tree`: a source whose preprocessor is done.
class CppHostRun {
 public:
  struct Launch {
    bool open = false;            ///< may be made in another way too
    std::vector<CppValue> parts;  ///< of the <<<…>>>, as it was made each time
  };
  CppHostRun(const source::Tree& tree, CppFolder& folder) : tree_(tree), folder_(folder) {}
  void run();
  /// What a <<<…>>> was made with; null: it was not come to, or is made in several ways.
  const Launch* launch(source::Node syntax) const;
  const char* limit() const { return limit_; }  ///< what ended the run early; null: no limit did

 private:
  using Node = source::Node;
  struct Scope;
  /// An object of the program, or a part of one.
  struct Thing {
    enum class Kind : std::uint8_t { unknown, value, record, array, pointer, closure, function };
    Kind kind = Kind::unknown;
    std::size_t number = 0;  ///< in order of their making
    CppValue value;          ///< of a record: its type
    std::string holds;       ///< the type of integers that it takes; empty: any
    std::vector<std::pair<std::string, Thing*>> parts;
    Thing* target = nullptr;  ///< of a pointer: what it points to, or the array that it points into
    std::int64_t index = -1;  ///< in that array; -1: not into an array
    bool grows = false;       ///< a vector
    bool kept = false;        ///< somebody who is not followed may write to it at any time
    Node node;                ///< of a closure or a function
    Scope* scope = nullptr;   ///< what a closure sees
    bool is(Kind k) const { return kind == k; }
  };
  using Kind = Thing::Kind;
  using Things = std::vector<Thing*>;
  struct Scope {
    Scope* outer = nullptr;
    std::map<std::string_view, Thing*> names = {};
    Thing* self = nullptr;                   ///< the object of a method
    std::set<std::string_view> copied = {};  ///< of a closure: what it holds itself
    Things leave = {};                       ///< objects whose destructor runs at the end
  };
  enum class Flow : std::uint8_t { on, out, next_round, returned };
  struct Mark {
    std::size_t number;
    bool wrote = false;
  };

  // Statements.
  Flow run(Node n, Scope& scope);
  Flow run_one(Node n, Scope& scope);
  Flow run_all(Node block, Scope& scope, Node but = {});
  Flow run_if(Node n, Scope& outer);
  Flow run_loop(Node n, Scope& outer);
  Flow run_range(Node n, Scope& outer);
  Flow run_switch(Node n, Scope& outer);
  Flow run_return(Node n, Scope& scope);
  void declare(Node declaration, Scope& scope);
  void declare_one(Node declaration, const CppDeclared& one, Scope& scope);
  void declare_binding(Node binding, Thing* whole, bool by_reference, Scope& scope);
  Thing* declared_object(Node type, Node declarator, Node value, Scope& scope);
  Thing* object_like_function(Node type, Node declarator, Scope& scope);
  Thing* library_object(Node type, Node declarator, Node value, const CppValue& meant, Scope& scope);
  void leave(Scope& scope);
  void bring(Node using_declaration, Scope& scope);
  void enumerate(Node enumeration, Scope& scope);
  Thing* static_local(Node declarator) const;

  // Expressions: an object of the program where one is named, else a new one.
  Thing* eval(Node n, Scope& scope);
  Thing* eval_new(Node n, Scope& scope);
  Thing* eval_other(Node n, Scope& scope);
  Thing* eval_literal(Node n);
  Thing* eval_unary(Node n, Scope& scope);
  Thing* eval_name(Node n, Scope& scope);
  Thing* begin_of(Thing* array);
  Thing* eval_binary(Node n, Scope& scope);
  Thing* eval_assignment(Node n, Scope& scope);
  Thing* eval_update(Node n, Scope& scope);
  Thing* eval_pointer(Node n, Scope& scope);
  Thing* eval_subscript(Node n, Scope& scope);
  Thing* eval_field(Node n, Scope& scope);
  Thing* eval_cast(Node type, Node given, Scope& scope);
  Thing* eval_lambda(Node n, Scope& scope);
  void capture_all(Node lambda, Scope& scope, Scope& own);
  Thing* eval_call(Node n, Scope& scope);
  Thing* eval_method(Node n, Scope& scope);
  Thing* folded(Node n, Scope& scope);
  bool is_plain(Node n) const;
  Things arguments_of(Node list, Scope& scope);
  bool is_fixed(Node n) const;
  bool is_plain_arguments(Node call) const;

  // Calls.
  Thing* called_by_name(Node n, Node callee, Scope& scope);
  Thing* free_function(Node n, std::string_view called, Node of_template, const Things& given, Scope& scope);
  Thing* invoke(Node function, const Things& given, Thing* self, Scope* around,
                const std::vector<CppValue>& of_template = {});
  bool bind(Node parameters, const Things& given, Scope& inner);
  void bind_types(Node function, const Things& given, const std::vector<CppValue>& of_template, Scope& inner);
  Thing* called_closure(Thing* closure, const Things& given);
  Thing* library_function(Node n, std::string_view name, Node of_template, const Things& given, Scope& scope);
  Thing* library_method(Thing* object, std::string_view name, const Things& given, Node n);
  Thing* unseen(Node n, std::string_view name, const Things& given);
  void launch_kernel(Node call, Node syntax, Scope& scope);
  Node function_called(std::string_view name, Node call, std::size_t given);
  Node method_named(Thing* object, std::string_view name, std::size_t given);

  // Objects.
  Thing* made(Kind kind);
  Thing* of_value(CppValue value);
  Thing* typed(CppValue value, std::string_view type);
  Thing* unknown(std::string why = "is not followed here", Node at = {});
  Thing* copy(const Thing* from);
  Thing* extents(const Things& given);
  Thing* object(const CppValue& type, Node type_node, const Things& given, Node braces, Scope& scope);
  Thing* known_sequence(Node of, Node value, Scope& scope);
  Thing* sequence(Node type, Node value, Scope& scope);
  Thing* new_record(const CppValue& type, Scope& around);
  bool add_members(Thing* record, Node structure, Scope& around);
  bool construct(Thing* record, Node constructor, const Things& given, Scope& around);
  bool fill(Thing* record, Node braces, const Things& given, Scope& scope);
  Node constructor_for(Node structure, std::size_t given, bool& any);
  Thing* converted(Thing* given, Node type, Scope& scope);
  void assign(Thing* target, Thing* from);
  Thing* part(Thing* record, std::string_view name);
  Thing* pointed(Thing* pointer, std::int64_t by = 0);
  CppValue value_of(const Thing* one, int depth = 0) const;
  void wrote(Thing* one);
  void poison(Thing* one, int depth = 0, bool kept = true);
  void poison_mentioned(Node region, Scope& scope, bool kept = true);
  void open_launches(Node region, Scope* scope, int depth = 0);
  Thing* stop(Node at);
  bool give_up(const char* what);
  Thing* found(std::string_view name, Scope& scope) const;
  Thing* global(Node name);
  Thing* global_of(Node declared);
  void make_globals();
  static Node seen_from(Node n);
  CppValue fold(Node n, Scope& scope);

  const source::Tree& tree_;
  CppFolder& folder_;
  std::deque<Thing> things_;
  std::deque<Scope> scopes_;
  std::map<std::uint32_t, Thing*> statics_;  ///< locals that stay, variables of the file
  std::map<std::uint32_t, Launch> launches_;
  std::set<std::uint32_t> opened_;
  std::vector<Mark*> marks_;
  Thing* result_ = nullptr;
  Node main_;
  int depth_ = 0, calls_ = 0, statements_ = 0, running_calls_ = 0;
  bool stopped_ = false;
  bool globals_open_ = false;  ///< something that runs before main may write to variables of the file
  const char* limit_ = nullptr;
};

/// The type that an integer has after promotion.
std::string_view host_type_of(const CppValue& integer);
/// Of a variable whose declaration does not tell which integers it takes.
inline constexpr char untold_type[] = "?";
bool is_loop_of_host(source::Node n);
/// A class's destructor that does something; no node: it has none.
source::Node destructor_of(source::Node structure);
/// Whether objects of a class are copied member by member and end without doing anything.
bool is_copied_by_member(source::Node structure);
std::string_view class_name_of(source::Node structure);
std::vector<source::Node> bases_of_class(source::Node structure);
/// The functions that a class's body defines, those of templates too.
std::vector<source::Node> methods_of_class(source::Node structure);

}  // namespace cutelab::reading
