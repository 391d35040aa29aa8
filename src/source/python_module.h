#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/dense_table.h"
#include "base/text_table.h"
#include "source/tree.h"

namespace cutelab::source {

struct Parameter {
  enum class Form { plain, star, double_star };
  std::string name;
  Node annotation;     ///< the type's expression; no node without one
  Node default_value;  ///< no node without one
  Form form = Form::plain;
  bool by_name = false;   ///< only: it stands behind a star
  bool by_place = false;  ///< only: it stands before the `/`
};

struct PythonFunction {
  std::string name;       ///< "kernel"
  std::string qualified;  ///< "HopperGemm.kernel", "outer.inner"
  Node node;              ///< function_definition; its first line is the `def` line
  Node body;
  int class_index = -1;  ///< class it is a method of
  int enclosing = -1;    ///< function it is defined in
  std::vector<Parameter> parameters;
  std::vector<std::string> decorators;  ///< qualified names, arguments left out
  bool has_decorator(std::string_view last_part) const;
  bool is_static() const { return has_decorator("staticmethod"); }
};

struct PythonClass {
  std::string name;
  Node node;
  Node body;
  std::vector<Node> bases;
  std::vector<std::string> decorators;
  std::vector<int> methods;  ///< indices into functions
  int enclosing = -1;        ///< function it is defined in
};

/// One binding of a name: `x = …`, `self.x = …`, one slot of `a, b = …`, `x += …`, a loop variable.
struct Assignment {
  enum class Form { plain, augmented, loop, with_as };
  std::string name;        ///< "x" or "self.x"
  Node value;              ///< right-hand side (the iterable for a loop); no node for a bare annotation
  Node annotation;         ///< type, where given
  Node statement;          ///< the whole statement
  int function = -1;       ///< function it stands in; -1 = module or class body
  int class_index = -1;    ///< class whose body or method it stands in
  std::vector<int> slots;  ///< path into the tuple on the right; empty = all of it
  Form form = Form::plain;
  bool through_globals = false;  ///< `globals()["x"] = …`
};

struct Import {
  std::string module;  ///< as written, leading dots kept: "..helpers.x", "cutlass.cute"
  std::string name;    ///< imported member; empty for `import module`; "*" for all
  std::string local;   ///< the name it binds
  Node statement;
};

/// A name in a scope (of a function or class, by index; -1 = the module), as a key that may be looked up
/// without a string of its own.
struct ScopedNameView {
  int scope = -1;
  std::string_view name;
};
struct ScopedName {
  int scope;
  std::string name;
  explicit ScopedName(ScopedNameView view) : scope(view.scope), name(view.name) {}
};
struct ScopedNameHash {
  std::size_t operator()(ScopedNameView key) const {
    return hash_of(key.name) ^ (static_cast<std::size_t>(key.scope + 1) * 0x9E3779B97F4A7C15u);
  }
};
struct ScopedNameEqual {
  bool operator()(const ScopedName& a, ScopedNameView b) const {
    return a.scope == b.scope && a.name == b.name;
  }
};
template <class T>
using ScopedTable = DenseTable<ScopedName, ScopedNameView, T, ScopedNameHash, ScopedNameEqual>;

/// The tables of one Python source: imports with aliases, classes, functions, bindings. Names are resolved
/// textually; nothing is run.
class PythonModule {
 public:
  static std::unique_ptr<PythonModule> parse(std::string path, std::string text,
                                             Extent extent = Extent::whole);

  const std::string& path() const { return path_; }
  const Tree& tree() const { return *tree_; }
  const std::vector<PythonFunction>& functions() const { return functions_; }
  const std::vector<PythonClass>& classes() const { return classes_; }
  const std::vector<Assignment>& assignments() const { return assignments_; }
  const std::vector<Import>& imports() const { return imports_; }

  /// Bindings of `name` made directly in `function` (-1 = module level, and by functions that declare it
  /// `global` or set it through globals()), in source order; indices into assignments().
  const std::vector<int>& bindings(int function, std::string_view name) const;
  /// Bindings of `self.<attribute>` in methods of, or `attribute` in the body of, that class.
  const std::vector<int>& attributes(int class_index, std::string_view attribute) const;

  int function_at(Node node) const;  ///< innermost function that holds the node; -1 = none
  int class_at(Node node) const;     ///< innermost class that holds the node (also through its methods)
  int function_defined(int scope,
                       std::string_view name) const;  ///< function `name` defined in that scope; -1 = none
  int class_defined(int scope,
                    std::string_view name) const;  ///< class `name` defined in that scope; -1 = none
  int method(int class_index, std::string_view name) const;

  /// "cute.arch.warp_idx" with its first part replaced by what an import binds it to; text that is no dotted
  /// name gives "".
  std::string qualified(Node expression) const;
  std::string qualified(std::string_view dotted) const;
  const Import* import_of(std::string_view local) const;

  const std::string& revision() const;  ///< SHA-256 of the text, first 16 hex digits
  std::string docstring() const;        ///< the module's own, without quotes

 private:
  friend class ModuleBuilder;
  std::string path_;
  std::unique_ptr<Tree> tree_;
  std::vector<PythonFunction> functions_;
  std::vector<PythonClass> classes_;
  std::vector<Assignment> assignments_;
  std::vector<Import> imports_;
  ScopedTable<int> import_by_local_;          // all at module level
  ScopedTable<std::vector<int>> bindings_;    // by function
  ScopedTable<std::vector<int>> attributes_;  // by class
  ScopedTable<int> function_by_scope_, class_by_scope_;
  mutable std::string revision_;  ///< made when first asked for
  std::vector<int> function_of_node_, class_of_node_;
};

/// "a.b.c" of an identifier or attribute chain; "" for anything else.
std::string dotted_text(Node expression);

/// The innermost statement that holds the node: a child of a block or module.
Node statement_of(Node node);

/// Text of a string literal without prefix and quotes; adjacent literals joined. Escapes are left as they
/// are.
std::string string_value(Node string_node);

}  // namespace cutelab::source
