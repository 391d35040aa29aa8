#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/exported_call.h"
#include "kernel/plan.h"

namespace cutelab::kernel {

/// Which tensor of a call stands where in an operator, and what each of its modes is there.
struct OperatorRole {
  std::string tensor;              ///< name in the call, or a family of them (operator_groups.h)
  std::vector<std::string> modes;  ///< of each mode of the tensor, in its order: "m", "k", "l"
};

/// What an imported kernel computes, in the terms of kernel/reference.h.
struct Operator {
  std::string name;  ///< "gemm"; empty = not known
  std::map<std::string, OperatorRole> roles;
  std::map<std::string, double> numbers;  ///< "eps"
  /// Numbers that each call has for itself: what the call names them (ExportedCall::number).
  std::map<std::string, std::string> called;
  bool known() const { return !name.empty(); }
  double number(const std::string& number_name) const;  ///< of `numbers`, else what the operator takes for it
};

/// What an operator is made of.
struct OperatorSpec {
  std::string name;
  std::string meaning;  ///< "d = a · bᵀ"
  std::vector<std::string> inputs;
  std::string output;
  std::map<std::string, std::vector<std::string>> modes;  ///< of each role, in the order of its dense form;
                                                          ///< "row*" stands for any number of modes
  std::vector<std::string> numbers;                       ///< it needs
  std::vector<std::string> optional = {};                 ///< inputs that it may have
  std::map<std::string, double> defaults = {};  ///< numbers that it may have, and what they are without
};
const std::vector<OperatorSpec>& all_operators();
const OperatorSpec* find_operator(const std::string& name);

/// Memory behind a pointer is a tensor of one mode; where its role has two, row and column, it gets the
/// extents that these have: as many columns as the weight.
void shape_runs(const Operator& op, ExportedCall& call);

/// The operator with the numbers that this call has.
Operator with_numbers_of(Operator op, const ExportedCall& call);

/// How a tensor is filled where `asked` is the fill of the others: weights, keys and values get moderate
/// values in place of adversarial ones, or the result overflows or picks one element alone; scales stay
/// within 1, for which the tolerance speaks.
Fill fill_for(const Operator& op, const std::string& tensor, Fill asked);

/// The element type of a DSL type's name ("Float16"); none where this program has no such type.
std::optional<DType> dsl_dtype(const std::string& name);

/// A host tensor for a tensor of a call: dense ones have their extents in the order of memory, others are one
/// run of elements. Types without a counterpart become bytes (int8).
Tensor host_tensor(const ExportedCall::Tensor& tensor);

/// Errors (kind usage): a role is missing, a tensor is not there, modes do not fit, extents contradict.
Status check_operator(const Operator& op, const ExportedCall& call);

/// The output as host_tensor lays it out, in fp32. Precondition: check_operator, no family in it, and
/// `inputs` are host tensors of the call.
Tensor evaluate(const Operator& op, const ExportedCall& call, const Inputs& inputs);

/// Of a group of problems the widest.
Tolerance operator_tolerance(const Operator& op, const ExportedCall& call);
Work operator_work(const Operator& op, const ExportedCall& call);

}  // namespace cutelab::kernel
