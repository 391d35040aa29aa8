#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout/composed.h"
#include "source/tree.h"

namespace cutelab::reading::machine {

class Machine;
struct Object;
struct Class;
struct Dict;
struct Call;
class Value;
using Native = std::optional<Value> (*)(Call&);  ///< a model, see natives.h

/// A Python value as the machine holds it: small ones in place, the others as objects of the machine's arena
/// (alive as long as the machine). Copying is copying two words.
class Value {
 public:
  enum class Kind : std::uint8_t { unbound, none, boolean, integer, real, object };

  constexpr Value() : integer_(0) {}
  static Value none() { return Value(Kind::none, 0); }
  static Value boolean(bool b) { return Value(Kind::boolean, b ? 1 : 0); }
  static Value integer(std::int64_t n) { return Value(Kind::integer, n); }
  static Value real(double d) {
    Value v(Kind::real, 0);
    v.real_ = d;
    return v;
  }
  Value(Object* object) : kind_(Kind::object), object_(object) {}  // NOLINT: implicit on purpose

  Kind kind() const { return kind_; }
  bool bound() const { return kind_ != Kind::unbound; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_bool() const { return kind_ == Kind::boolean; }
  bool is_int() const { return kind_ == Kind::integer; }
  bool is_integral() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }
  bool is_real() const { return kind_ == Kind::real; }
  bool is_number() const { return is_integral() || is_real(); }
  std::int64_t number() const { return integer_; }  ///< pre: is_integral()
  double as_real() const { return kind_ == Kind::real ? real_ : static_cast<double>(integer_); }
  Object* object() const { return kind_ == Kind::object ? object_ : nullptr; }
  /// The object if it is a T.
  template <class T>
  T* as() const;
  bool is_unknown() const;
  /// The same place in memory, or equal small values.
  bool same(const Value& other) const { return kind_ == other.kind_ && integer_ == other.integer_; }

 private:
  Value(Kind kind, std::int64_t n) : kind_(kind), integer_(n) {}
  Kind kind_ = Kind::unbound;
  union {
    std::int64_t integer_;
    double real_;
    Object* object_;
  };
};

using Symbol = std::uint32_t;  ///< an interned name

/// Names with values, in the order they were bound: locals, attributes of an instance, keyword arguments.
class Slots {
 public:
  Value* find(Symbol name) {
    if (!(held_ & bit(name))) return nullptr;
    for (auto& [key, value] : items_)
      if (key == name && value.bound()) return &value;
    return nullptr;
  }
  const Value* find(Symbol name) const { return const_cast<Slots*>(this)->find(name); }
  /// The value's place, made if missing. Callers that may run inside a fork write through Machine::set.
  Value& at(Symbol name) {
    if (held_ & bit(name))
      for (auto& [key, value] : items_)
        if (key == name) return value;
    held_ |= bit(name);
    if (items_.empty()) items_.reserve(usual);
    items_.emplace_back(name, Value());
    return items_.back().second;
  }
  const std::vector<std::pair<Symbol, Value>>& items() const { return items_; }
  /// The other's names and values in an object that was just made: it stays as new as it is.
  void copy_names(const Slots& other) {
    items_ = other.items_;
    held_ = other.held_;
  }
  /// Which fork was under way when they were made: a fork need not take back what lives only in it.
  std::uint32_t born = 0;
  bool is_of_iterator = false;
  bool is_of_library = false;  ///< what is not here is the library's own
  Class* of = nullptr;         ///< whose object's attributes they are: what is not here is looked for there
  Dict* dict = nullptr;  ///< the same as a dictionary, where the program asked for that: vars(), __dict__

 private:
  static constexpr std::size_t usual = 4;
  static std::uint64_t bit(Symbol name) { return std::uint64_t{1} << (name % 64); }
  std::vector<std::pair<Symbol, Value>> items_;
  std::uint64_t held_ = 0;  ///< a bit of each name: most that are asked for and are not there have none
};

enum class Type : std::uint8_t {
  unknown,
  text,
  tuple,
  list,
  dict,
  set,
  function,
  klass,
  instance,
  method,
  module,
  external,
  record,
  layout,
  range,
  slice,
  super,
  iterator,
};

struct Object {
  explicit Object(Type t) : type(t) {}
  virtual ~Object() = default;
  Type type;
  std::uint32_t born = 0;  ///< as Slots::born
};

struct Tuple;

/// Not determined: why, what it hangs on, and in which qualified path it came to be. Operations on it give
/// unknowns again.
struct Unknown : Object {
  static constexpr Type tag = Type::unknown;
  Unknown() : Object(tag) {}
  std::string reason;
  std::string depends_on;
  std::string path;           ///< "cutlass.cute.arch.thread_idx", as an External's
  bool changed = false;       ///< a loop changes what it stands for: no value that was given before holds
  bool of_host = false;       ///< made outside of kernels: the run would know it if it could be known
  std::optional<bool> holds;  ///< its truth, where that is known all the same
  Tuple* may_be = nullptr;    ///< objects of the program that it may be or hold
};

struct Text : Object {
  static constexpr Type tag = Type::text;
  explicit Text(std::string s) : Object(tag), text(std::move(s)) {}
  std::string text;
};

struct Tuple : Object {
  static constexpr Type tag = Type::tuple;
  explicit Tuple(std::vector<Value> v) : Object(tag), items(std::move(v)) {}
  std::vector<Value> items;
  std::vector<Symbol> names;  ///< of a named tuple
  Class* of = nullptr;        ///< its class
};

struct List : Object {
  static constexpr Type tag = Type::list;
  explicit List(std::vector<Value> v) : Object(tag), items(std::move(v)) {}
  std::vector<Value> items;
  bool open = false;  ///< there may be more items or fewer: a branch or loop that is not decided changed it
  /// dict.keys(), values(), items(): what the dict holds when it is looked at; `items` is not used.
  enum class View : std::uint8_t { none, keys, values, items };
  View view = View::none;
  Dict* view_of = nullptr;
};

/// In insertion order; keys compare with Machine::equal.
struct Dict : Object {
  static constexpr Type tag = Type::dict;
  Dict() : Object(tag) {}
  std::vector<std::pair<Value, Value>> items;
  bool open = false;       ///< as List::open
  Slots* names = nullptr;  ///< what its items are the names of: an object's __dict__
  /// OrderedDict, defaultdict, Counter of collections.
  enum class Form : std::uint8_t { plain, ordered, defaulting, counting };
  Form form = Form::plain;
  Value factory;  ///< of a defaultdict; unbound: it has none
};

struct Set : Object {
  static constexpr Type tag = Type::set;
  Set() : Object(tag) {}
  std::vector<Value> items;
  bool open = false;    ///< as List::open
  bool frozen = false;  ///< a frozenset: `|=` makes another one
};

struct Scope;
struct Class;

/// A `def` or lambda of some module with the scope it closes over.
struct Function : Object {
  static constexpr Type tag = Type::function;
  Function() : Object(tag) {}
  int module = 0;
  int index = -1;            ///< in PythonModule::functions(); -1 = lambda
  source::Node node;         ///< function_definition or lambda
  Scope* closure = nullptr;  ///< where free names are looked up
  Class* owner = nullptr;    ///< class whose body it stands in
  bool is_static = false, is_class_method = false, is_property = false, is_cached = false;
  bool is_jit = false;          ///< @cute.jit or @cute.kernel: `range` loops and unknown branches are dynamic
  bool is_kernel = false;       ///< @cute.kernel: calling it gives something to launch
  bool is_captured = false;     ///< @schedule: a call is kept for the tasks that run it
  bool is_manager = false;      ///< @contextmanager
  bool keeps_value = false;     ///< @cached_property
  bool is_wrapped = false;      ///< by a decorator that is not followed: what its calls take is not known
  bool is_replaced = false;     ///< by one of an unknown library: what its calls give is not known either
  Function* setter = nullptr;   ///< of a property
  Function* deleter = nullptr;  ///< of a property
  Dict* memo = nullptr;         ///< @lru_cache: results by their arguments
  Function* bare = nullptr;     ///< itself without that
  std::int64_t most_kept = -1;  ///< of them; -1: all
  /// Of the parameters, made where the function is; unbound: none. Empty: made when it is called (library).
  std::vector<Value> defaults;
  std::string path;  ///< "cutlass.utils.hopper_helpers.make_smem_layout_a", or its own qualified name
  Slots attributes;  ///< that the program set: f.__signature__ = …
};

struct Class : Object {
  static constexpr Type tag = Type::klass;
  Class() : Object(tag) {}
  int module = 0;
  int index = -1;  ///< in PythonModule::classes(); -1 = none
  source::Node node;
  std::string name, path;
  std::vector<Value> bases;  ///< Class or External
  Slots attributes;
  std::vector<std::pair<Symbol, source::Node>> annotations;  ///< in order, of the body
  Scope* scope = nullptr;                                    ///< the body's names
  std::vector<Class*> line;  ///< itself and its bases in the order of Python's look-up; empty: not made yet
  bool open = false;         ///< as Instance::open
  bool is_dataclass = false, is_enum = false, is_named_tuple = false;
  bool is_number = false, is_text = false;  ///< an IntEnum, IntFlag; a StrEnum
  bool has_fields = false;                  ///< is decorated with @dataclass itself
  bool fields_by_name = false;              ///< kw_only=True
  bool is_frozen = false, is_ordered = false, has_no_equality = false;  ///< of @dataclass
  bool hooks = false;          ///< something in its body may take part in setting attributes
  bool hooks_reading = false;  ///< in getting them
  bool has_slots = false;      ///< __slots__, whose names are in `slots`
  std::vector<Symbol> slots;
  bool keeps_abstract = false;  ///< of a metaclass that counts abstract methods
  bool is_abstract = false;     ///< has some that nothing implements: none of it can be made
  Object* storage = nullptr;    ///< a @cute.struct's computed Record "struct"
};

struct Instance : Object {
  static constexpr Type tag = Type::instance;
  Instance() : Object(tag) {}
  Class* klass = nullptr;
  Slots attributes;
  bool open = false;  ///< what is not followed may have given it attributes
  source::Node made_at;
  int made_in = 0;  ///< module of made_at
};

struct Method : Object {
  static constexpr Type tag = Type::method;
  Method() : Object(tag) {}
  Value self;
  Value function;    ///< Function, External
  std::string name;  ///< of a method of a built-in or modelled value: looked up in the tables when called
};

/// A module of the program: its names.
struct Module : Object {
  static constexpr Type tag = Type::module;
  Module() : Object(tag) {}
  int index = 0;
  Scope* scope = nullptr;
};

/// Something of a library, known by its qualified name: "torch.float16", "cutlass.Float16",
/// "cutlass.cute.make_layout".
struct External : Object {
  static constexpr Type tag = Type::external;
  External() : Object(tag) { written.is_of_library = true; }
  std::string path;
  Slots members;                 ///< attributes that were asked for before; not the program's to change
  Slots written;                 ///< those that the program set: math.ceil = …
  std::optional<Native> native;  ///< the model of its calls; none: not asked for so far
  std::string_view leaf() const {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::string_view(path) : std::string_view(path).substr(dot + 1);
  }
};

/// A value of a modelled library class: `kind` names the model ("Tensor", "TiledMma", "struct", "dtype"),
/// `path` how it was made (for the facts: "cutlass.pipeline.PipelineTmaAsync.create").
struct Record : Object {
  static constexpr Type tag = Type::record;
  Record() : Object(tag) {}
  std::string kind;
  std::string path;
  Slots fields;
  source::Node made_at;  ///< the call that made it
  int made_in = -1;      ///< module of made_at
};

/// Layout, ComposedLayout: a value of the layout room.
struct LayoutObject : Object {
  static constexpr Type tag = Type::layout;
  explicit LayoutObject(layout::ComposedLayout l) : Object(tag), layout(std::move(l)) {}
  layout::ComposedLayout layout;
};

struct Range : Object {
  static constexpr Type tag = Type::range;
  Range() : Object(tag) {}
  Value begin = Value::integer(0), end, step = Value::integer(1);
  bool unrolled = false;  ///< range_constexpr
  bool dynamic = false;   ///< cutlass.range: always one pass with an unknown index
};

struct Slice : Object {
  static constexpr Type tag = Type::slice;
  Slice() : Object(tag) {}
  Value begin, end, step;
};

/// `super()` of a method.
struct Super : Object {
  static constexpr Type tag = Type::super;
  Super() : Object(tag) {}
  Value self;
  Class* after = nullptr;  ///< look in its bases
};

/// What may be walked once: what iter(), zip(), map(), enumerate(), a generator give. Its place lies in
/// `state`, so that a fork takes steps back as it does other writes.
struct Iterator : Object {
  static constexpr Type tag = Type::iterator;
  /// A model's step: a Machine::Step, given the place that it keeps as "at" of `state`, 0 at first.
  using Stepper = int (*)(Machine&, Iterator&, std::int64_t at, Value& item);
  enum class Form : std::uint8_t {
    walk,        ///< over sources[0], a container
    reversed,    ///< over sources[0], from its last item
    enumerated,  ///< sources[0] an iterator, as the others below; counts from `count`
    zipped,
    mapped,    ///< by `function`
    filtered,  ///< by `function`; None: by their truth
    chained,
    expression,  ///< a generator expression
    called,      ///< a generator function
    asked,       ///< sources[0] an object with __next__
    modelled     ///< by `step`
  };
  explicit Iterator(Form f) : Object(tag), form(f) { state.is_of_iterator = true; }
  Form form;
  bool strict = false;  ///< zip(strict=True)
  bool of_library = false;
  std::int64_t count = 0;  ///< first number of enumerate(); items of a dict or set when its walk began
  List::View view = List::View::none;  ///< of a dict
  std::vector<Value> sources;
  Value function;
  Stepper step = nullptr;
  Slots state;
  source::Node node;                  ///< the expression; the call of a generator function
  std::vector<source::Node> clauses;  ///< of an expression
  Scope* scope = nullptr;             ///< of an expression's names, a function's activation
  int module = 0;                     ///< of node
  /// What a generator function saw of mutable values when it was run, with what they held.
  std::vector<std::pair<Value, std::vector<Value>>> seen;
};

template <class T>
T* Value::as() const {
  return kind_ == Kind::object && object_->type == T::tag ? static_cast<T*>(object_) : nullptr;
}
inline bool Value::is_unknown() const { return kind_ == Kind::object && object_->type == Type::unknown; }

}  // namespace cutelab::reading::machine
