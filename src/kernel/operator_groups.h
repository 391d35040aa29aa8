#pragma once
#include <string>
#include <vector>

#include "kernel/operators.h"

namespace cutelab::kernel {

/// A role's tensor may be a family: "table[*,0]", one tensor for each problem of a group, behind the
/// addresses in a column of a table. A family's members are the tensors that begin at those addresses.
bool is_family(const std::string& tensor);

/// Columns of the call's tables of addresses: "table[*,0]" of one with two modes, "table[*]" of one with one.
std::vector<std::string> families_of(const ExportedCall& call);

/// By its problem in the group; null where no tensor of the call begins at the address. Empty: there is no
/// such table.
std::vector<const ExportedCall::Tensor*> members_of(const std::string& family, const ExportedCall& call);

struct Family {
  std::string name;
  std::vector<const ExportedCall::Tensor*> members;  ///< as members_of says
};
std::vector<Family> families_with_members(const ExportedCall& call);

/// The operator of each problem of a group, its families replaced by their members; of one without families
/// itself alone. Errors (kind usage), with the role: no such table, an address without a tensor, no address
/// (an empty problem), families of different lengths, one result for two problems. Takes time that grows with
/// the call.
Result<std::vector<Operator>> groups_of(const Operator& op, const ExportedCall& call);

}  // namespace cutelab::kernel
