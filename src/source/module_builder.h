#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/python_module.h"

namespace cutelab::source {

/// Fills a PythonModule's tables in one pass over its tree.
class ModuleBuilder {
 public:
  explicit ModuleBuilder(PythonModule& module) : module_(module), tree_(*module.tree_) {}
  void build();

 private:
  struct Scope {
    std::uint32_t after;  ///< preorder number where it ends
    int function;
    int class_index;
    bool class_body;  ///< directly in a class body
  };
  void visit(Node node);
  void add_assignment(Node node);
  void add_function(Node node);
  void add_parameters(Node list, PythonFunction& function);
  void add_class(Node node);
  std::vector<std::string> decorators_of(Node definition);
  void add_import(Node node);
  void add_import_from(Node node);
  void add_import_entry(Import import);
  void bind(Node target, Assignment assignment);
  void add_binding(Assignment assignment);
  void add_global_names(Node statement);
  bool names_global(const Assignment& assignment) const;
  const Scope& scope() const { return scopes_.back(); }

  PythonModule& module_;
  const Tree& tree_;
  std::vector<Scope> scopes_;
  std::set<std::pair<int, std::string>> global_names_;  ///< by function: `global name`
};

}  // namespace cutelab::source
