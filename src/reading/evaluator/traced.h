#pragma once
#include "reading/evaluator/folder.h"
#include "reading/machine/machine.h"

namespace cutelab::reading {

/// Answers from a run of the program where the run saw the node, and from folding where it did not. The run
/// gives values (what `python file.py` would compute), folding gives paths and what lies off the default way.
class TracedEvaluator final : public Evaluator {
 public:
  TracedEvaluator(Folder& folder, machine::Machine& machine) : folder_(folder), machine_(machine) {}

  Abstract value_of(int module, source::Node expression) override;
  Abstract argument_of(const Abstract& object, source::Node argument) override;
  Activity active(int module, source::Node node) override;
  std::string unreached(int module, source::Node node) override;
  std::string never_entered(int module, source::Node node) override;
  std::string callee_path(int module, source::Node call) override;
  bool callee_function(int module, source::Node call, int* function_module, int* function) override;
  std::string called_name(int module, source::Node call) override {
    return folder_.called_name(module, call);
  }
  std::vector<SeenLaunch> launches_elsewhere() override;
  std::vector<SeenLaunch> launches_at(int module, source::Node call) override;
  std::optional<SeenStorage> storage_of(int module, source::Node node) override;
  Abstract made_with(int module, source::Node call, std::string_view field) override;
  std::string object_at(int module, source::Node expression) override;
  std::optional<SeenTensor> tensor_at(int module, source::Node expression) override;
  std::vector<SeenColumns> tensor_memory_at(int module, source::Node expression,
                                            const std::vector<int>& slots) override;

 private:
  SeenLaunch told(const machine::Launch& launch);
  /// One value for all activations that saw the node; `frame` narrows them to those called the same way.
  machine::Value seen(int module, source::Node node, const Frame* frame);
  machine::Value seen(int module, source::Node node, const Frame* frame, bool superseded);
  /// The values of all activations that count; of those that stand back where there are no others.
  std::vector<machine::Value> all_seen(int module, source::Node node) const;
  machine::Value set_by_run(int module, source::Node expression);
  std::string decided_against(int module, source::Node node);
  Activity against_by_entries(int module, source::Node node, const Activity& folded);
  std::optional<SeenStorage> storage_in(const machine::Value& made);
  std::optional<SeenTensor> tensor_in(const machine::Value& value);
  std::optional<SeenColumns> columns_in(const machine::Value& value);
  bool called_so(int activation, const Frame* frame) const;
  Abstract converted(const machine::Value& value, int depth = 0);
  Abstract combined(const Abstract& folded, const machine::Value& value);
  /// The local function that a call runs; function -1: none.
  struct Callee {
    int module = 0, function = -1;
    bool asked_for = false;
  };
  Callee find_callee(int module, source::Node call);
  Folder& folder_;
  machine::Machine& machine_;
  std::vector<Callee> callees_;  ///< of calls of the file itself, by node: many facts ask for each of them
};

}  // namespace cutelab::reading
