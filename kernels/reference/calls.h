#pragma once
// What plans and tests share when they call the reference operators: operands of dense tensors, and a call as
// the C door takes it.
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernel/dtype.h"
#include "ops.h"

namespace cutelab_reference {

/// (batch, rows, columns), columns contiguous or rows contiguous.
inline Operand matrix_operand(const void* data, cutelab::kernel::DType dtype, long long rows,
                              long long columns, bool columns_contiguous) {
  Operand o{};
  o.data = data;
  o.dtype = static_cast<int>(dtype);
  o.strides[0] = rows * columns;
  o.strides[1] = columns_contiguous ? columns : 1;
  o.strides[2] = columns_contiguous ? 1 : rows;
  return o;
}

/// One scale for each block of block_rows × block_columns of (batch, rows, columns); scales are dense.
inline void scale_operand(Operand& o, const void* scales, cutelab::kernel::DType dtype, long long rows,
                          long long columns, long long block_rows, long long block_columns) {
  const long long across = (columns + block_columns - 1) / block_columns;
  o.scales = scales;
  o.scale_dtype = static_cast<int>(dtype);
  o.block_rows = block_rows;
  o.block_columns = block_columns;
  o.scale_strides[0] = (rows + block_rows - 1) / block_rows * across;
  o.scale_strides[1] = across;
}

/// (batch, tokens, heads, elements), dense.
inline Operand token_operand(const void* data, cutelab::kernel::DType dtype, long long tokens,
                             long long heads, long long elements) {
  Operand o{};
  o.data = data;
  o.dtype = static_cast<int>(dtype);
  o.strides[0] = tokens * heads * elements;
  o.strides[1] = heads * elements;
  o.strides[2] = elements;
  o.strides[3] = 1;
  return o;
}

inline std::vector<std::byte> bytes_of(const Call& call) {
  std::vector<std::byte> bytes(sizeof call);
  std::memcpy(bytes.data(), &call, sizeof call);
  return bytes;
}

/// A device address as the operators take it.
inline const void* address_of(unsigned long long at) { return reinterpret_cast<const void*>(at); }

}  // namespace cutelab_reference
