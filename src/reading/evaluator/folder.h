#pragma once
#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reading/evaluator/evaluator.h"
#include "reading/evaluator/flags.h"
#include "reading/evaluator/folding_memo.h"

namespace cutelab::reading {

/// One activation of a function: which function, called from where. Without a call it is the function seen
/// from all its callers.
struct Frame {
  int module = 0;
  int function = -1;  ///< -1 = module level
  const Frame* caller = nullptr;
  source::Node call;  ///< no node = not entered through one known call
  int arguments_after =
      0;  ///< leading arguments of the call that are not the function's (cute.compile(f, …): 1)
  const Abstract* self = nullptr;
};

/// Constant folding on demand: literals, names bound once (or on the branch that the defaults take),
/// attributes joined across the methods of a class and its bases, parameters through their call sites,
/// returns of local functions, command-line and parameter defaults. Loops, comprehensions and library calls
/// are not run: they give an object with its path, or an unknown that says why.
class Folder final : public Evaluator {
 public:
  /// What flags and constructor parameters are: their defaults, or anything (to tell what is fixed from what
  /// is only a default).
  enum class Inputs { defaults, anything };
  Folder(source::Program& program, std::vector<std::pair<std::string, std::string>> settings,
         Inputs inputs = Inputs::defaults);

  Abstract value_of(int module, source::Node expression) override;
  Abstract argument_of(const Abstract& object, source::Node argument) override;
  Activity active(int module, source::Node node) override;
  std::string callee_path(int module, source::Node call) override;
  bool callee_function(int module, source::Node call, int* function_module, int* function) override;
  std::string called_name(int module, source::Node call) override;

  /// As value_of and argument_of; the answers stay where they are as long as this Folder.
  const Abstract& evaluate_in_module(int module, source::Node expression);
  const Abstract& argument_folded(const Abstract& object, source::Node argument);

  const std::vector<Flag>& flags(int module);
  /// Settings that named no flag and no attribute so far.
  std::vector<std::string> unused_settings() const;
  bool gave_up() const { return steps_ > most_steps; }

 private:
  static constexpr int most_steps = 400'000;
  static constexpr int deepest = 90;
  using Kind = Abstract::Kind;

  // expressions
  // Answers that are given by reference or pointer stay where they are as long as this Folder.
  const Abstract& evaluate(source::Node n, const Frame* frame);
  const Abstract& evaluate_new(source::Node n, const Frame* frame);
  Abstract literal(source::Node n);
  Abstract sequence(source::Node n, const Frame* frame);
  Abstract attribute(source::Node n, const Frame* frame);
  const Abstract& subscript(source::Node n, const Frame* frame);
  const Abstract& conditional(source::Node n, const Frame* frame);
  Abstract binary(source::Node n, const Frame* frame);
  Abstract unary(source::Node n, const Frame* frame);
  Abstract comparison(source::Node n, const Frame* frame);
  Abstract boolean_operator(source::Node n, const Frame* frame);

  // names
  const Abstract& identifier(source::Node n, const Frame* frame);
  const Abstract* local_binding(const std::string& name, source::Node use, const Frame* frame);
  const Abstract& bound_value(int module, const source::Assignment& assignment, const Frame* frame);
  bool changes_in_place(int module, const source::Assignment& assignment);
  bool is_changed_in_place(int module, const source::Assignment& assignment);
  const Abstract* parameter(const std::string& name, const Frame* frame);
  const Abstract& parameter_value(int position, const Frame* frame);
  const Abstract& parameter_from_callers(int position, const Frame* frame);
  const Abstract& parameter_default(int position, const Frame* frame);
  std::optional<Abstract> defined(int module, int scope, const std::string& name);
  const Abstract& imported(int module, const source::Import& import);
  const Abstract& member_of_module(int module, const std::string& name);

  // objects
  Abstract attribute_of(const Abstract& object, const std::string& name, source::Node use,
                        const Frame* frame);
  Abstract attribute_of_instance(const Abstract& instance, const std::string& name, source::Node use);
  std::optional<Abstract> setting(const std::string& name);
  std::optional<Abstract> method_of(const Abstract& instance, const std::string& name);
  Abstract flag_default(const std::string& dest);
  Abstract field_of_constructor(const Abstract& instance, const std::string& name);
  std::optional<Abstract> argument_named(const Abstract& object, const std::string& name);
  std::optional<Abstract> field_given(const Abstract& instance, const std::string& name);
  using Ancestry = std::vector<std::pair<int, int>>;
  Ancestry ancestry(int module, int class_index);  ///< (module, class): itself, then bases
  const Abstract* self_of(int module, int function);
  const Abstract* intern(const Abstract& a);

  // calls
  const Abstract& call(source::Node n, const Frame* frame);
  /// Stays where it is as long as `callee` and this Folder do.
  const Abstract& called(const Abstract& callee);
  const Abstract& call_function(const Abstract& function, source::Node n, const Frame* frame);
  Abstract construct(const Abstract& type, source::Node n, const Frame* frame);
  const Abstract& returned(const Frame* frame);
  std::optional<source::Node> argument(source::Node call, const source::PythonFunction& function,
                                       int position, int skip_parameters, int skip_arguments, bool* splat);
  struct Site {
    int module = 0;
    source::Node call;
    int skip = 0;  ///< leading arguments that are not the function's
  };
  std::vector<Site> call_sites(int module, int function);
  std::vector<Site> find_call_sites(int module, int function);
  const std::unordered_map<std::string, std::vector<source::Node>>& calls_by_leaf(int module);

  // frames and branches
  const Frame* root(int module, int function, const Abstract* self = nullptr);
  const Frame* enter(Frame frame);
  evidence::Tristate truth(source::Node condition, const Frame* frame);
  static std::string condition_of(source::Node branch);
  evidence::Tristate branch_taken(source::Node branch, const Frame* frame);
  evidence::Tristate reaches(source::Node statement, source::Node use, const Frame* frame);
  Activity branches_around(source::Node node, source::Node stop, const Frame* frame);
  Activity function_active(int module, int function);

  source::Program& program_;
  std::vector<std::pair<std::string, std::string>> settings_;
  Inputs inputs_;
  std::set<std::string> used_settings_;
  std::deque<Frame> frames_;
  std::deque<Abstract> interned_;
  std::map<std::tuple<int, int, const Frame*, std::uint32_t, const source::Tree*, const Abstract*>,
           const Frame*>
      frame_by_key_;
  /// Keeps an answer as long as this Folder.
  const Abstract& kept(Abstract&& value) { return answers_.emplace_back(std::move(value)); }
  const Abstract& with_path(const Abstract& value, std::string path);
  const Abstract nothing_ = Abstract::unknown("nothing there");
  FoldingMemo memo_;
  std::pmr::monotonic_buffer_resource answers_memory_;
  std::pmr::deque<Abstract> answers_{&answers_memory_};
  std::vector<std::vector<const Frame*>> roots_;  // by module, then function + 1
  std::map<std::pair<int, int>, Ancestry> ancestry_;
  std::map<std::pair<int, int>, std::vector<Site>> call_sites_;
  std::map<std::pair<int, int>, const Abstract*> self_by_class_;
  std::map<std::pair<int, int>, Activity> function_activity_;
  std::unordered_map<const source::Import*, Abstract> library_names_;  // imported from no local module
  std::unordered_map<const source::Assignment*, bool> changes_in_place_;
  std::map<int, std::vector<Flag>> flags_;
  std::map<int, std::unordered_map<std::string, std::vector<source::Node>>> calls_;
  int steps_ = 0;
  int depth_ = 0;
  int cuts_ = 0;  ///< evaluations cut short by a cycle or a limit; results made meanwhile are not remembered
};

/// One value of several that may hold: the value if all agree, else an unknown that keeps the common path and
/// the alternatives.
Abstract join(std::vector<Abstract> alternatives);

}  // namespace cutelab::reading
