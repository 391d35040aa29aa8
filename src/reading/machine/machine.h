#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "reading/machine/arena.h"
#include "reading/machine/library.h"
#include "reading/machine/natives.h"
#include "reading/machine/texts.h"
#include "reading/machine/trace.h"
#include "reading/machine/value.h"
#include "source/program.h"

namespace cutelab::reading::machine {

struct Managed;

/// The names of one activation: a function call, a class body, a module.
struct Scope {
  Slots names;
  int module = 0;
  int function = -1;        ///< index in the module; -1 = module level, class body or lambda
  Scope* parent = nullptr;  ///< where free names are looked up next
  bool is_class = false;    ///< names are not seen from functions inside
  bool is_jit = false;      ///< inside @cute.jit or @cute.kernel code
  int activation = 0;       ///< index into Trace::activations()
  Function* running = nullptr;
  Value self;                                     ///< first parameter of a method
  Managed* managed = nullptr;                     ///< of a @contextmanager: what its yield gives way to
  const std::vector<Symbol>* locals = nullptr;    ///< of `running`, sorted; made when asked for
  std::vector<Symbol> global_names, outer_names;  ///< `global`, `nonlocal`
  std::vector<Value> yields;                      ///< of a generator
  std::size_t yields_known = 0;                   ///< of them the first, that are sure where it is open
  bool yields_are_open = false;                   ///< how many more there are is not known
  std::vector<Value> maybe_returned;              ///< returns on branches whose condition is unknown
  bool lazy = false;  ///< a library module: its names are made when first asked for
};

/// What one `kernel(…).launch(…)` asked for.
struct Launch {
  Function* kernel = nullptr;
  source::Node node;  ///< the `.launch(…)` call
  int module = 0;
  Value grid, block, cluster, smem;  ///< unbound = not passed
  std::int64_t allocated = 0;        ///< bytes that the kernel's SmemAllocator handed out
  bool allocated_known = true;
  std::int64_t reserved = 0,
               user = 0;       ///< bytes of `allocated`: the library's own at the low end, the kernel's
  std::int64_t alignment = 1;  ///< of the kernel's
  int activation = 0;          ///< of the kernel's body
  bool perhaps = false;        ///< on one side of a branch whose condition is not known
};

/// A place where the run could not follow the program.
struct GiveUp {
  std::string reason;
  std::string depends_on;
  int module = 0;
  source::Node node;
};

/// Runs the Python of a program forward, the way `python file.py` with the file's own defaults would, and
/// writes down the value of every expression it passes. What it cannot know becomes an Unknown with its
/// reason; a branch on an unknown condition is run both ways and the outcomes are joined; a loop of device
/// code is run once with an unknown index. Ends by itself: steps, depth and memory are limited, and reaching
/// a limit is a GiveUp.
class Machine {
 public:
  struct Options {
    std::vector<std::pair<std::string, std::string>>
        settings;      ///< flag or attribute = value, over the defaults
    std::string arch;  ///< target that stands in for the device, "sm_100a"; empty = chosen by the program
    Library* library = nullptr;  ///< the DSL's own Python sources; null = not at hand
    int multiprocessors = 0;     ///< of the stand-in device; 0 = the target's usual one
    bool alone = false;          ///< a program that torchrun starts is read as the only rank
  };
  Machine(source::Program& program, Options options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs module 0 as the main program.
  void run_main();
  /// Calls each launching host function that the main program did not reach, with the constructor's defaults
  /// and unknown tensors.
  void run_entries();

  bool by_entries() const { return by_entries_; }  ///< the launches come from run_entries
  const std::vector<Launch>& launches() const { return launches_; }
  const std::vector<GiveUp>& give_ups() const { return give_ups_; }
  const Trace& trace() const { return trace_; }
  source::Program& program() { return program_; }
  const Options& options() const { return options_; }

  // --- for models
  // -------------------------------------------------------------------------------------------
  Symbol symbol(std::string_view name) { return names_.symbol(name); }
  const std::string& name_of(Symbol symbol) const { return names_.text(symbol); }

  template <class T, class... A>
  T* make(A&&... arguments) {
    T* out = arena_.make<T>(std::forward<A>(arguments)...);
    out->born = fork_serial_;
    if constexpr (requires { out->fields.born; }) out->fields.born = fork_serial_;
    if constexpr (requires { out->attributes.born; }) out->attributes.born = fork_serial_;
    return out;
  }
  Value unknown(std::string reason, std::string depends_on = {}, std::string path = {});
  /// Unknown where it is longer than a megabyte: a program that doubles one.
  Value text(std::string s) {
    return s.size() > 1u << 20 ? limit("a text of more than a megabyte") : Value(make<Text>(std::move(s)));
  }
  Value tuple(std::vector<Value> items) { return make<Tuple>(std::move(items)); }
  Value list(std::vector<Value> items) { return make<List>(std::move(items)); }
  Value external(std::string_view path);
  Value layout(layout::ComposedLayout l) { return make<LayoutObject>(std::move(l)); }
  Record* record(std::string kind, std::string path, const Call* made_by = nullptr);
  Value field(const Record* record, std::string_view name);  ///< unbound when missing

  /// Writes that a fork can take back. Models that change an object in place go through these.
  void set(Slots& slots, Symbol name, Value value);
  void set_field(Record* record, std::string_view name, Value value);
  /// object.name = value, through what its class says of that; `plainly`: past its __setattr__.
  void store(const Value& object, Symbol name, const Value& value, source::Node at, int module,
             bool plainly = false);
  void remove(const Value& object, Symbol name, source::Node at, int module);  ///< del object.name
  void put(Dict* dict, const Value& key, const Value& value);                  ///< dict[key] = value
  /// The names of an object as its __dict__: one dictionary, which follows them and they it.
  Value dict_of(Slots& names);
  /// What the object's attributes are is not known from here on, functions and classes aside.
  void lose_names(const Value& object);
  /// What code that is not followed does to the names that a call of that place sees; `text` null: any.
  void lose_globals(int module, const Text* text);
  /// The names of a dataclass's fields, in the order of its __init__.
  std::vector<Symbol> fields_of(Class* klass);
  /// Whether Python's own type of the value, where it is one, has no attribute of the name.
  bool lacks(const Value& object, std::string_view name) const;
  bool is_slotted(Class* klass);  ///< its objects take the names of its __slots__ alone
  /// An object or class of the program that may have attributes which were not seen: of a base that is not
  /// known, or given by code that is not followed.
  bool may_have_more(const Value& object);
  Value make_instance(Class* klass);                                                    ///< as object.__new__
  Value base_attribute(const Value& object, Symbol name, source::Node at, int module);  ///< as object's own
  /// Python takes no such value as a key: a TypeError is under way.
  bool refuses_key(const Value& key, source::Node at = {}, int module = 0);
  std::vector<Value>& mutable_items(List* list);
  std::vector<std::pair<Value, Value>>& mutable_items(Dict* dict);
  std::vector<Value>& mutable_items(Set* set);

  enum class Truth { no, yes, unknown };
  Truth truth(const Value& value);
  /// An object's own method of a special name, called; unbound: its class has none, or an error is under way.
  Value by_special(const Value& object, std::string_view name, std::vector<Value> arguments = {});
  Truth equal(const Value& a, const Value& b);
  /// Items of a tuple, list, set, known range, dict (keys), in the order the machine holds them; those that
  /// are left of an iterator, which is used up then. nullopt = not known, or an error is under way.
  std::optional<std::vector<Value>> items(const Value& value);
  /// As items(), where their order counts: the items of a set with several are not known.
  std::optional<std::vector<Value>> items_in_order(const Value& value);
  enum class Step { item, end, unknown, raised };
  /// The iterator itself, or a new one over what can be walked; null = not known how.
  Iterator* iterator(const Value& value);
  Step next(Iterator* iterator, Value& item);
  void lose(Iterator* iterator);  ///< where it stands is not known from here on
  Value arithmetic(std::string_view op, const Value& a, const Value& b);
  Value compare(std::string_view op, const Value& a, const Value& b);
  /// For messages and f-strings; what Python's str() would give where that is known.
  std::string str(const Value& value);
  /// Python's str() and repr() to the letter; nullopt where they are not known.
  std::optional<std::string> exact_str(const Value& value);
  std::optional<std::string> exact_repr(const Value& value, int depth = 0);
  /// format(value, specification), `template % values`. nullopt: not known, or an error is under way.
  std::optional<std::string> format(const Value& value, const std::string& specification);
  std::optional<std::string> percent_format(const std::string& text, const Value& values);
  std::string repr(const Value& value);  ///< "..." for a container inside itself, and past 65,536 values
  /// An expression in a scope, e.g. the annotation of a class body's name in Class::scope.
  Value evaluate(source::Node expression, Scope* scope);
  int activation_count() const { return static_cast<int>(trace_.activations().size()); }
  /// A later run tells more than the activations [first, end) did: their launches and values stand back.
  void supersede(int first, int end);
  Value attribute(const Value& object, std::string_view name, source::Node at = {}, int module = 0);
  Value subscript(const Value& object, const Value& index, source::Node at = {});
  Value call(const Value& callee, std::vector<Value> arguments,
             std::vector<std::pair<Symbol, Value>> keywords = {}, source::Node at = {}, int module = 0,
             bool complete = true);
  /// Raises in the program: the model's caller unwinds. Returns unbound. An error of which the type is not
  /// known, every clause takes it.
  Value raise(std::string what, source::Node at, int module);
  /// One of Python's own: raise_error("KeyError", …).
  Value raise_error(std::string_view type, const std::string& what, source::Node at = {}, int module = 0);
  bool raising() const { return raising_; }
  const Value& exception() const { return exception_; }
  /// The error under way is dropped; taken up again.
  void drop_error() { raising_ = false; }
  void take_up_error(const Value& exception) {
    exception_ = exception;
    raising_ = true;
  }
  bool catches(const Value& type);  ///< whether `except type:` takes the error under way
  /// What the program does from here on is not known: nothing of it is run.
  void leave_stack(Record* stack, source::Node at, int module);  ///< contextlib.ExitStack.close()
  void abandon(std::string reason, std::string depends_on, int module, source::Node node);
  void give_up(std::string reason, std::string depends_on, int module, source::Node node);
  /// A limit of this tool that the statement under way comes to: it is given up, and its value is not known.
  Value limit(const std::string& reason, std::string depends_on = {});

  /// A setting by its name ("mnkl", "self.num_stages"), which then counts as used.
  const std::string* setting(const std::string& name);
  const std::set<std::string>& used_settings() const { return used_settings_; }
  /// A setting's text as a person types it: 4, true, 128x256, (128, 256), 128,256, Float16, text.
  Value from_text(const std::string& text);
  /// A module of its own made from a Python file, its body not run yet; unbound: the file cannot be read.
  Value module_from_file(const std::string& path);
  Module* module_at(int index);  ///< of the program, as its own functions see it
  void run_module(Module* module);
  /// A number that is this object's alone.
  std::int64_t identity(const Object* object) {
    return identities_.try_emplace(object, static_cast<std::int64_t>(identities_.size()) + 1).first->second;
  }
  std::string exception_text() const;  ///< of the exception under way
  /// Of the exception that a program's ordinary end makes (sys.exit with no failure).
  static constexpr const char* exit_text = "the program exits";
  /// Why the run ended before the program did; empty: it did not.
  const std::string& stopped_by() const { return stopped_by_; }
  bool ended_by_exit() const { return raising_ && exception_text() == exit_text; }
  /// Error that ended the main program; exit_text where it surely exits before any launch; empty = none did.
  const std::string& error() const { return error_; }
  /// Why a function of the main module, entered as an entry, ended with an error; empty = it did not.
  std::string error_of_entry(int function) const {
    const auto known = failed_entries_.find(function);
    return known == failed_entries_.end() ? std::string() : known->second;
  }
  /// Calls a function any number of times, with arguments that are not known: what it changes is not known
  /// then.
  void call_any_times(const Value& function);

  /// An integer tuple of the layout room from a Python int, tuple or list; unknown leaves become symbols.
  std::optional<layout::IntTuple> int_tuple(const Value& value);
  Value from_int_tuple(layout::TupleView tuple);

  /// The kernel launch whose body is running; null on the host.
  Launch* current_launch() { return current_launch_; }
  const std::string& arch() const { return arch_; }
  void set_arch(std::string arch) { arch_ = std::move(arch); }

 private:
  void mirror(Slots& slots, Symbol name, const Value& value);
  Truth truth_of_instance(const Instance& instance, const Value& v);
  Truth equal_instances(const Value& a, const Value& b);
  std::optional<Truth> equal_by_methods(const Value& a, const Value& b);
  Truth equal_fields(const Instance* a, const Instance* b);
  Value by_methods(std::string_view op, const Value& a, const Value& b);
  Value ordered_fields(std::string_view op, const Value& a, const Value& b);
  Truth identical(const Value& a, const Value& b);
  std::optional<std::string> text_of_exception(const Record& exception);
  std::optional<std::string> exact_items(const Value& container, int depth);
  std::optional<std::string> repr_of_named(const Tuple& tuple, int depth);
  std::optional<std::string> converted(const Value& value, FormatSpec spec);
  std::optional<Truth> equal_sets(const Value& a, const Value& b);
  Truth equal_forms(const Dict& a, const Dict& b);
  Value combined_counters(std::string_view op, const Dict& a, const Dict& b);
  Truth within(const Set& a, const Set& b);
  Value compare_sets(std::string_view op, const Set& a, const Set& b);
  Value combined_sets(std::string_view op, const Set& a, const Set& b);
  Value of_sequences(std::string_view op, const Value& a, const Value& b);
  Value of_containers(std::string_view op, const Value& a, const Value& b);
  Value merged_dicts(const Dict& a, const Dict& b);
  Value contained(std::string_view op, const Value& a, Iterator* b);
  Value contains(std::string_view op, const Value& a, const Value& b);
  Value decided(Truth t, bool negate, const Value& a, const Value& b);
  std::string spelled(const Value& value);
  class Interpreter;
  friend class Interpreter;
  source::Program& program_;
  Options options_;
  std::string arch_;
  std::unordered_map<const Object*, std::int64_t> identities_;
  Arena arena_;
  Names own_names_;  ///< where there is no library
  Names& names_;
  TextTable<External*> externals_;
  std::vector<Launch> launches_;
  std::vector<GiveUp> give_ups_;
  Trace trace_;
  Launch* current_launch_ = nullptr;
  bool by_entries_ = false;
  bool exited_ = false;             ///< the main program ended by an exit
  bool types_are_patched_ = false;  ///< the program set an attribute of something of a library
  std::uint32_t fork_serial_ = 0;
  bool raising_ = false;
  bool own_raise_ = false;     ///< by a `raise` of the program
  std::size_t uncertain_ = 0;  ///< unknowns made outside of kernels: each may have been an error
  std::string error_, stopped_by_;
  std::map<int, std::string> failed_entries_;
  std::vector<const Object*> spelling_;  ///< what repr() is inside of
  std::size_t spelled_ = 0;              ///< values in the text that it makes
  int questions_ = 0;                    ///< of truth and equality that stand in one another
  std::int64_t compared_ = 0;            ///< values held against each other
  Value exception_;
  std::set<std::string> used_settings_;
  std::unique_ptr<Interpreter> interpreter_;              // after program_, which it refers to
  std::unordered_map<std::string, Value> symbol_values_;  ///< unknowns by the symbol they became in a layout
};

}  // namespace cutelab::reading::machine
