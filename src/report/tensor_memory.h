#pragma once
#include <string>
#include <vector>

#include "report/diagram.h"
#include "report/model.h"

namespace cutelab::report {

/// The rows of a kernel's tensor memory from facts that tell columns, by their begin, wider ones first.
/// Tensors over the same columns are one row with all their names; where a helper lays several tensors by its
/// calls, its own name is left out where those it gives them to are told.
std::vector<TensorMemoryRow> tensor_memory_rows(const evidence::Reading& reading,
                                                const std::vector<std::size_t>& facts);

/// "0–127", "from 128", "?".
std::string columns_text(const TensorMemoryRow& row);
/// The rows before it that lie over the same columns and lanes: "tStS0"; empty = none.
std::string shares_text(const std::vector<TensorMemoryRow>& rows, std::size_t row);
/// The widest rows, at most `most`, in their order.
std::vector<std::size_t> widest(const std::vector<TensorMemoryRow>& rows, std::size_t most);

}  // namespace cutelab::report
