#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dense_table.h"
#include "base/text_table.h"
#include "reading/machine/value.h"

/// How library functions are modelled. A model answers with a value, or with `std::nullopt`: "not told here"
/// (then the library's own Python source is run if there is one, else the result is an unknown with the
/// call's path).
namespace cutelab::reading::machine {

class Machine;

/// One call as a model sees it: arguments evaluated, splats spread out.
struct Call {
  Machine& machine;
  std::string_view path;  ///< qualified path of the callee; for a method of a Record "<kind>.<name>"
  Value self;             ///< the object of a method; unbound for a function
  std::vector<Value> arguments;
  std::vector<std::pair<Symbol, Value>> keywords;
  source::Node node;     ///< the call, where it stands
  int module = 0;        ///< module of node
  bool complete = true;  ///< false: a splat of unknown length was among the arguments

  std::size_t count() const { return arguments.size(); }
  /// Argument by position or by keyword; unbound when neither is given. `position` -1: keyword only.
  Value get(int position, std::string_view keyword) const;
  Value get(int position, std::string_view keyword, Value otherwise) const {
    const Value v = get(position, keyword);
    return v.bound() ? v : otherwise;
  }
};

/// Attribute of a modelled value; unbound arguments, `self` is the value.
using Getter = std::optional<Value> (*)(Machine&, const Value& self);

/// Special names, as in Python: a method "__getitem__" of a kind, or of a function's path
/// ("struct.MemRange.__getitem__"), takes the items of the index as arguments; "__call__", "__len__",
/// "__eq__",
/// "__add__", "__radd__", "__mul__", … likewise. Kinds of built-in values: "str", "list", "dict", "tuple",
/// "set", "int", "float", "function", "class", "Layout".
///
/// Tables of models. Functions are keyed by package and last name: {"cutlass", "make_layout"} answers for
/// every path that starts with "cutlass." and ends with ".make_layout" unless a longer tail is registered
/// ("StaticPersistentTileScheduler.create"). Methods and getters are keyed by the kind of a Record, or by
/// "Layout" for a LayoutObject.
class Natives {
 public:
  void function(std::string_view package, std::string_view tail, Native native);
  void method(std::string_view kind, std::string_view name, Native native);
  void getter(std::string_view kind, std::string_view name, Getter getter);

  Native find_function(std::string_view path) const;
  Native find_method(std::string_view kind, std::string_view name) const;
  Getter find_getter(std::string_view kind, std::string_view name) const;

  /// All models of this tool.
  static const Natives& all();

 private:
  struct Entry {
    std::string package, tail;
    Native native;
  };
  /// A kind and a name of it, as a key that may be looked up without strings of its own.
  struct MemberView {
    std::string_view kind, name;
  };
  struct Member {
    std::string kind, name;
    explicit Member(MemberView view) : kind(view.kind), name(view.name) {}
  };
  struct MemberHash {
    std::size_t operator()(MemberView m) const {
      return hash_of(m.kind) * 0x9E3779B97F4A7C15u ^ hash_of(m.name);
    }
  };
  struct MemberEqual {
    bool operator()(const Member& a, MemberView b) const { return a.kind == b.kind && a.name == b.name; }
  };
  template <class T>
  using Members = DenseTable<Member, MemberView, T, MemberHash, MemberEqual>;
  DenseTable<std::string, std::string_view, std::vector<Entry>, TextHash, std::equal_to<>>
      functions_;  // by the end of the path
  Members<Native> methods_;
  Members<Getter> getters_;
};

// One per file of models.
void add_builtins(Natives& natives);  ///< Python's own functions and its math, functools, itertools, enum …
void add_argparse(Natives& natives);  ///< ArgumentParser, parse_args under the file's defaults and --set
void add_torch(Natives& natives);     ///< tensors of torch and cutlass.torch: shapes, strides, dtypes
void add_runtime(Natives& natives);   ///< from_dlpack, make_fake_tensor, HardwareInfo, compile, testing
void add_layouts(Natives& natives);   ///< cute.make_layout … : the layout room
void add_tensors(Natives& natives);   ///< cute.Tensor: make_tensor, local_tile, slices, partitions
void add_atoms(Natives& natives);     ///< MMA and copy operations, atoms, TiledMma, TiledCopy
void add_descriptors(Natives& natives);    ///< TMA atoms and their tensors
void add_storage(Natives& natives);        ///< cute.struct, MemRange, SmemAllocator, TmemAllocator
void add_numeric_types(Natives& natives);  ///< cutlass.Float16 … : width, conversions

}  // namespace cutelab::reading::machine
