#pragma once
#include <functional>
#include <set>

#include "reading/machine/interpreter_parts.h"
#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

bool is_exception_name(std::string_view name);  ///< of Python's own

/// The engine of a Machine: statements, expressions, calls, classes, imports and forks.
class Machine::Interpreter : private InterpreterParts {
 public:
  using Keywords = std::vector<std::pair<Symbol, Value>>;
  explicit Interpreter(Machine& machine) : m(machine), program(machine.program_), natives(Natives::all()) {}

  // statements.cc
  Flow block(source::Node body, Scope* s);
  Flow statement(source::Node n, Scope* s);

  // expressions.cc
  Value expression(source::Node n, Scope* s);

  // calls.cc
  Value call(const Value& callee, std::vector<Value> arguments, Keywords keywords, source::Node at,
             int module, bool complete = true, Scope* from = nullptr);
  Value call_plain(const Value& callee, std::vector<Value> arguments, Keywords keywords, source::Node at,
                   int module, bool complete, Scope* from);
  Value call_function(Function* f, const Value* self, std::vector<Value> arguments, Keywords keywords,
                      source::Node at, int module, bool complete = true);

  // modules.cc
  Scope* module_scope(int module);  ///< runs the module's body when first asked for
  Scope* main_scope();
  void run_body(Scope* s, int module);
  Value library(const std::string& path);  ///< what the library's own source defines there; unbound = nothing

  // classes.cc
  Value instantiate(Class* klass, std::vector<Value> arguments, Keywords keywords, source::Node at,
                    int module, bool complete = true);
  Value class_attribute(Class* klass, Symbol name);  ///< unbound = none
  const std::vector<Class*>& line_of(Class* klass);  ///< made where it is not yet
  void end_line(Class* klass);
  static bool is_hooked(Class* klass);
  bool has_unknown_base(Class* klass);  ///< a base of which not all is known
  void may_hook(Class* klass, Symbol name, const Value& value);
  void set_up_class(Class* klass, Keywords keywords);
  bool stored_whole(Instance* instance, Symbol name, const Value& value);
  bool stored_by_class(Instance* instance, Symbol name, const Value& value, source::Node at, int module);
  Function* own_method(const Value& object, std::string_view name);
  std::optional<Value> hooked_attribute(Instance* instance, Symbol name, bool plainly);
  Value bind_method(const Value& found, const Value& self, Class* klass, source::Node at, int module);
  Value attribute(const Value& object, std::string_view name, source::Node at, int module) {
    return attribute(object, m.symbol(name), at, module);
  }
  Value attribute(const Value& object, Symbol symbol, source::Node at, int module);

  // subscripts.cc
  Value subscript(const Value& object, const Value& index, source::Node at);
  Value subscript_plain(const Value& object, const Value& index, source::Node at);

  Value item_of_sequence(const Value& object, const Value& index, source::Node at);
  Value item_of_dict(const Value& object, const Value& index, source::Node at);
  Value item_of_text(const Value& object, const Value& index, source::Node at);
  Value item_of_object(const Value& object, const Value& index, source::Node at);

  // iterators.cc: places in what is walked
  Value viewed(const std::pair<Value, Value>& item, List::View view);
  std::optional<Walk> walk(const Value& v);
  std::optional<Walk> walk_of_instance(const Instance& instance, const Value& self);
  Step next(Walk& walk, Value& item);
  Step next(Iterator* iterator, Value& item);
  std::optional<std::vector<Value>> walked_to_the_end(const Value& v);

  // generators.cc
  Iterator* iterated(const Value& v, source::Node at, int module);
  void must_be_iterable(const Value& v, source::Node at, int module);

  // errors.cc
  bool exception_is(std::string_view type) const;

  // fork.cc
  void remember(Slots* slots, Symbol name, const Value& old);
  void remember(List* list);
  void remember(Dict* dict);
  void remember(Set* set);
  Value join(const Value& a, const Value& b, const std::string& condition);
  Value join_fields(const Record* a, const Record* b, const std::string& condition);

  int open_forks_ = 0;     ///< sides of a branch, of which another may be the one taken
  int open_branches_ = 0;  ///< forks of if chains that the run is inside of
  int library_depth = 0;

 private:
  friend class Machine;
  // statements.cc
  Flow statement_plain(source::Node n, Scope* s);
  void place_error(source::Node n, const Scope* s) const;
  Flow expression_statement(source::Node n, Scope* s);
  Flow assign(source::Node n, Scope* s);
  Flow augmented(source::Node n, Scope* s);
  void bind(source::Node target, const Value& value, Scope* s);
  bool augmented_in_place(std::string_view op, const Value& before, const Value& operand);
  Value combined_in_place(std::string_view op, const Value& before, const Value& operand, source::Node at,
                          Scope* s);
  void bind_unknown(const std::vector<source::Node>& names, const Value& value, Scope* s);
  void bind_sequence(source::Node target, const Value& value, Scope* s);
  void bind_name(Symbol name, const Value& value, Scope* s);
  void bind_attribute(source::Node target, const Value& value, Scope* s);
  void bind_subscript(source::Node target, const Value& value, Scope* s);
  void store_attribute(source::Node target, const Value& object, const Value& value, Scope* s);
  void store_item(source::Node target, const Value& object, const Value& index, const Value& value, Scope* s);
  using ManagedBody = std::function<Flow(const Value&)>;  ///< of a `with`, given what the manager gives
  Flow with_statement(source::Node n, Scope* s);
  Flow with_items(const std::vector<source::Node>& items, std::size_t at, source::Node body, Scope* s);
  Flow managed(const Value& manager, const ManagedBody& body, source::Node at, Scope* s);
  Flow taking_errors(const std::function<Flow()>& body, const std::function<Flow(Flow)>& after,
                     const std::function<Flow()>& taken, source::Node at, Scope* s);
  Flow by_methods(const Value& manager, Function* enter, Function* exit, const ManagedBody& body,
                  source::Node at, Scope* s);
  Flow by_generator(Iterator* manager, const ManagedBody& body, source::Node at);
  Flow by_record(Record* manager, const ManagedBody& body, source::Node at, Scope* s);
  void leave_stack(Record* stack, source::Node at, int module);
  void call_exit(const Value& exit, source::Node at, int module);
  Value give_way(Scope* generator, const Value& given);
  std::vector<Value> error_details();
  Flow try_statement(source::Node n, Scope* s);
  bool handles(source::Node clause, Scope* s);
  bool caught_by(const Value& type);
  Flow raise_statement(source::Node n, Scope* s);
  Flow assert_statement(source::Node n, Scope* s);
  void delete_one(source::Node target, Scope* s);
  void delete_key(Dict* dict, const Value& index, source::Node target, Scope* s);
  Flow delete_statement(source::Node n, Scope* s);
  void declare(source::Node n, Scope* s, std::vector<Symbol>& names);

  // branches.cc
  Flow if_statement(source::Node n, Scope* s);
  Flow if_from(const std::vector<source::Node>& clauses, std::size_t at, Scope* s);
  Flow match_statement(source::Node n, Scope* s);
  Flow case_from(const std::vector<source::Node>& cases, std::size_t at, const Value& subject, Scope* s);
  Flow for_statement(source::Node n, Scope* s);
  Flow once(source::Node n, const Value& index, Scope* s);
  Flow while_statement(source::Node n, Scope* s);
  Flow loop_else(source::Node n, Scope* s);
  Flow one_of_many(source::Node loop, Scope* s);
  Flow round_of(source::Node loop, Scope* s, bool& left);
  Flow rest_of_block(source::Node first, Scope* s);
  void undo_perhaps(Scope* s);
  bool may_leave(source::Node body);
  void changed_some_times(const Outcome& out, const std::string& loop);
  void any_times(const std::vector<source::Node>& clauses, source::Node body, Scope* s);
  void unfollowed(Iterator* it);
  template <class Run>
  void run_any_times(const Run& run, const char* what);
  template <class Run>
  void run_any_times_each_way(const Run& run, const char* what);
  void widen(source::Node loop, Scope* s);
  Value unknown_item(const Value& iterable, source::Node at);

  // iterators.cc, generators.cc
  Value asked(const Value& object);
  Step changed_size(const char* what);
  Step step_of(Iterator* it, std::int64_t at, Value& item);
  Step step_back(Iterator* it, std::int64_t at, Value& item);
  Step step_of_several(Iterator* it, std::int64_t at, Value& item);
  Step ends_together(Iterator* it, std::size_t ended);
  Step step_of_filter(Iterator* it, Value& item);
  Step step_of_instance(Iterator* it, Value& item);
  Step step_of_expression(Iterator* it, Value& item);
  Step next_of_expression(Iterator* it, Value& item);
  Truth all_hold(Iterator* it, std::size_t begin, std::size_t end);
  Step step_of_call(Iterator* it, std::int64_t at, Value& item);
  void gather(Iterator* it, bool at_once);
  void note_seen(Iterator* it);
  Value generator_expression(source::Node n, Scope* s);
  Value generator_call(Function* f, Scope* s, source::Node at, int module);
  bool is_generator(const Function* f);
  Scope* inner_scope(Scope* s);

  // errors.cc
  Flow handle(source::Node n, Scope* s);
  bool is_sure_of_error() const;
  using AfterBody = std::function<Flow(Flow)>;
  Flow perhaps_failed(Journal& journal, Flow flow, std::size_t failed_before, const AfterBody& after,
                      const std::function<Flow()>& handler, const std::string& what, Scope* s);
  void unsettle(const Outcome& done, const std::set<std::pair<Slots*, Symbol>>& passing,
                const std::string& what);
  Flow run_handler(source::Node clause, Scope* s);
  Flow any_handler(const std::vector<source::Node>& clauses, std::size_t at, Scope* s);
  Flow after_try(source::Node n, Flow flow, Scope* s);
  bool ends_process() const;
  void pass_on(Journal& journal);
  Outcome taken_back(Journal& journal, Flow flow);
  /// The activation may have returned by now.
  void left_maybe(Scope* s, const Value& result) {
    s->maybe_returned.push_back(result);
    yields_may_differ(s, s->yields.size());
  }
  void left_maybe(Scope* s, const Outcome& left);
  void take_after_return(Scope* s, const Outcome& other);
  void keep_after_return(Scope* s, Journal& journal);
  /// Only the first `known` items of a generator are sure.
  static void yields_may_differ(Scope* s, std::size_t known) {
    if (!s->yields_are_open) s->yields_known = known;
    s->yields_are_open = true;
  }
  bool undefined_for_sure(Symbol name, Scope* s, source::Node n);

  // fork.cc
  /// What a container holds, to change: as Machine::mutable_items, but that an object's names are told apart.
  template <class T>
  auto& contents(T* container) {
    remember(container);
    return container->items;
  }
  template <class Body>
  Outcome branch(const Body& body);
  template <class A, class B>
  Flow fork(const A& a, const B& b, const std::string& condition, Scope* s);
  Flow chain_fork(const std::function<Flow()>& taken, const std::function<Flow()>& others, source::Node at,
                  const std::string& condition, Scope* s);
  bool fails_by_itself(const std::string& condition) const;
  void take(const Outcome& outcome);
  Value without_write(Slots* slots, Symbol name);
  void merge(const Outcome& a, const Outcome& b, const std::string& condition);
  void merge_lists(const Outcome& a, const Outcome& b, const std::string& condition);
  void merge_dicts(const Outcome& a, const Outcome& b, const std::string& condition);

  // expressions.cc, comprehensions.cc, indices.cc
  Value evaluate(source::Node n, Scope* s);
  void note_touched(Value& value);
  Value binary(source::Node n, Scope* s);
  Value yield(source::Node n, Scope* s);
  Value literal(source::Node n, Scope* s);
  Value text_literal(source::Node n, Scope* s);
  std::optional<std::string> string_part(source::Node n, Scope* s);
  std::optional<std::string> interpolated(source::Node part, Scope* s);
  static std::string doubled_once(const std::string& text, char brace);
  Value sequence(source::Node n, Scope* s);
  bool spread(source::Node n, Scope* s, std::vector<Value>& items);
  Value dictionary(source::Node n, Scope* s);
  Value name(source::Node n, Scope* s);
  Value lookup(Symbol name, Scope* s);
  bool is_local(Symbol name, Scope* s);
  bool is_hidden(Symbol name, Scope* from, const Scope* to);
  static Scope* scope_of_walrus(Scope* s);
  bool is_followed() const;
  Value builtin(Symbol name);
  Value find_builtin(Symbol name);
  Value hidden_by_star(Symbol name);
  Value conditional(source::Node n, Scope* s);
  Value either(const std::function<Value()>& a, const std::function<Value()>& b, const std::string& condition,
               Scope* s);
  Value boolean_operator(source::Node n, Scope* s);
  Value comparison(source::Node n, Scope* s);
  Value unary(source::Node n, Scope* s);
  Value comprehension(source::Node n, Scope* s);
  bool comprehend(const std::vector<source::Node>& clauses, std::size_t at, source::Node body, Scope* s,
                  std::vector<Value>& out);
  Value index_value(source::Node n, Scope* s);
  Value subscript_node(source::Node n, Scope* s);
  Value generic_type(source::Node n, Scope* s);
  Value lambda(source::Node n, Scope* s);
  std::string why(const Value& v);

  // calls.cc
  Value call_node(source::Node n, Scope* s);
  void arguments_of(source::Node list, Scope* s, std::vector<Value>& arguments, Keywords& keywords,
                    bool& complete);
  void add_keyword(Keywords& keywords, Symbol name, const Value& value, source::Node at, int module);
  Value call_external(External* e, Call& call, Scope* from);
  Value call_record(Record* r, Call& call);
  Value call_method(Method* method, Call& call, Scope* from);
  Value call_super(Call& call, Scope* from);
  Value launch(Record* kernel_call, Call& call);
  bool interpretable(const Function* f) const;
  void may_allocate(std::string_view path);
  static bool may_change(std::string_view method);
  void lose_content(const Value& container);

  // escapes.cc
  static Care care_of(std::string_view path);
  static bool may_be_plain(const External& e);
  static bool is_left_open(const Value& a, const Value& b);
  bool has_foreign_base(Class* klass);
  void give_away(const Call& c, std::string_view path);
  void give_away(const Value& v);
  void lose_object(const Value& v, int depth, std::set<const Object*>& seen);
  void lose_attributes(Instance* instance, int depth, std::set<const Object*>& seen);
  void called_from_outside(const Value& v);
  void call_untraced(const Value& callee);
  void lose_escaped(std::string_view library);
  void escape(const Value& v, std::string_view library);
  Value lost();
  bool may_change_arguments(const Value& callee);
  bool may_alias(const Value& v, int depth = 0) const;
  Value aliased(const Value& out, const std::vector<Value>& of);
  void lose_aliases(const Value& v);
  bool cannot_be_called(const Value& callee, int module);
  Value replaced(Function* f, const Value* self, const std::vector<Value>& arguments,
                 const Keywords& keywords, source::Node at, int module, bool complete);
  Value too_deep(Function* f, const Value* self, const std::vector<Value>& arguments,
                 const Keywords& keywords, source::Node at, int module);
  Value watched(Function* f, Scope* s, source::Node at, int module);
  void again(const FromOutside& known);
  std::vector<Value> seen_by(const Value& callee);
  bool interpretable_module(int index) const;
  bool fits(const Function* f, const std::vector<Formal>& formals, std::size_t given,
            const Keywords& keywords, source::Node at, int module);
  const std::vector<Symbol>& locals_of(const Function* f);
  Symbol mangled(std::string_view name, source::Node at);
  std::vector<Formal> formals_of(const Function* f);
  void make_defaults(Function* f, Scope* s);
  bool enter_function(Function* f, Scope* s, std::vector<Value>& arguments, Keywords& keywords, bool complete,
                      source::Node at, int module);
  void note_unfollowed(std::string_view path, const Call& call);
  void unseen_code(const Value& code, Scope* from);
  Value captured(const Function* f, std::vector<Value> arguments, const Keywords& keywords, source::Node at,
                 int module);
  Value run_function(Function* f, Scope* s, source::Node at, int module);
  std::string_view kind_of(const Value& v) const;

  // modules.cc
  Flow import_statement(source::Node n, Scope* s);
  Flow import_from(source::Node n, Scope* s);
  Value imported_module(const std::string& dotted, int from);
  Value member(const std::string& module, const std::string& name, int from);
  void import_all(const std::string& module, Scope* s);
  void import_unseen(const std::string& module, Scope* s);
  std::string absolute(const std::string& written, int from);
  Value library_name(Scope* s, Symbol name);
  Value asked_of_module(Scope* s, const std::string& name);
  Value find_in_library(const std::string& path);
  Value library_import(const source::Import& import, Scope* s);
  bool is_library(const std::string& dotted) const;
  static bool is_installed(std::string_view dotted);

  // classes.cc, attributes.cc
  Value define_function(source::Node n, Scope* s);
  Value define_class(source::Node n, Scope* s);
  Value decorated(source::Node n, Scope* s);
  void read_decorators(const source::PythonFunction& f, Function* out) const;
  Value read_bases(source::Node n, Class* klass, Keywords& keywords, Scope* s);
  void finish_class(Class* klass);
  void hold_class(Class* klass, const Value& kind);
  Value member_for(Class* klass, const Value& value, source::Node at, int module);
  Value member_of_value(Class* klass, const Value& value);
  void initialise_member(Instance* member, const Value& value);
  void fill_fields(Class* klass, Instance* made, const std::vector<Value>& arguments,
                   const Keywords& keywords, bool complete, std::vector<Value>& for_post_init);
  Initializer initializer(Class* klass);
  const External* modelled_base(Class* klass);
  Value of_modelled_base(const Value& self, Symbol name);
  Value made_by_new(Class* klass, const std::vector<Value>& arguments, const Keywords& keywords,
                    source::Node at, int module);
  Value memoized(Function* f, const Value* self, const std::vector<Value>& arguments,
                 const Keywords& keywords, source::Node at, int module);
  void behind(const Value& decorator, const Value& value);
  void lose_class(Class* klass);
  void apply_decorator(source::Node decorator, source::Node inner, Value& value, Scope* s);
  bool mark(std::string_view leaf, source::Node decorator, source::Node inner, Value& value, Scope* s);
  void initialize(const Initializer& how, Instance* made, std::vector<Value> arguments, Keywords keywords,
                  source::Node at, int module, bool complete);
  Value attribute_of_instance(Instance* instance, Symbol name, source::Node at, int module,
                              bool plainly = false);
  void base_runs(Instance* instance);
  Value base_of_super(Super* super, Class* start, Symbol name);
  Value bound_first(const Value& function, const Value& self);
  Value attribute_of_plain(const Value& object, Symbol symbol, source::Node at, int module);
  Value attribute_of_tuple(Tuple* tuple, Symbol name, source::Node at, int module);
  Value attribute_of_record(Record* record, Symbol symbol);
  Value attribute_of_class(Class* klass, Symbol name, source::Node at, int module);
  Value attribute_of_external(External* e, Symbol symbol, source::Node at, int module);
  Value attribute_of_super(Super* super, Symbol name, source::Node at, int module);
  bool lacks_name(const Value& object, std::string_view name) const;
  bool derives_from(Class* klass, std::string_view leaf, int depth = 0);

  const source::PythonModule& module_of(int index) const {
    return index >= Library::first ? m.options_.library->module(index) : program.module(index);
  }
  Scope* new_scope() {
    scopes_.emplace_back();
    scopes_.back().names.born = m.fork_serial_;
    return &scopes_.back();
  }
  Value unknown_at(std::string reason, source::Node n, std::string path = {});
  bool stop(source::Node at, int module);
  Symbol symbol_of(source::Node n, int module);
  bool traced(const Scope* s) const { return !s->lazy && library_depth == 0; }

  Machine& m;
  source::Program& program;
  const Natives& natives;
  Value result_;
  std::deque<Scope> scopes_;
};

}  // namespace cutelab::reading::machine
