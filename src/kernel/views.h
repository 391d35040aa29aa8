#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/tensor.h"

namespace cutelab::kernel {

/// Reads element (row, column) of one matrix of a batch, whatever its majorness, scaling or packing.
using MatrixReader = std::function<double(std::int64_t batch, std::int64_t row, std::int64_t column)>;
/// Reads (batch, token, head, element), whether the tokens are dense, packed one sequence after the other, or
/// in pages.
using TokenReader =
    std::function<double(std::int64_t batch, std::int64_t token, std::int64_t head, std::int64_t element)>;

/// A tensor by coordinates with strides of its own (elements). The tensor outlives the view.
class View {
 public:
  View(const Tensor& tensor, std::vector<std::int64_t> strides)
      : tensor_(&tensor), strides_(std::move(strides)) {}
  template <class... Index>
  double at(Index... index) const {
    std::int64_t offset = 0;
    std::size_t d = 0;
    ((offset += static_cast<std::int64_t>(index) * strides_[d++]), ...);
    return tensor_->at(offset);
  }

 private:
  const Tensor* tensor_;
  std::vector<std::int64_t> strides_;
};

/// A (batch, rows, columns) matrix in a dense tensor, rows or columns contiguous.
MatrixReader matrix(const Tensor& tensor, std::int64_t rows, std::int64_t columns, bool columns_contiguous);

/// `values` times one scale for each block of `block_rows` × `block_columns` of them; `scales` is (batch,
/// rows / block_rows rounded up, columns / block_columns rounded up), dense. 1 × 32 with ue8m0 is a
/// microscaled operand; block_rows or block_columns as large as the matrix is a scale per column, per row or
/// per tensor.
MatrixReader scaled(MatrixReader values, const Tensor& scales, std::int64_t rows, std::int64_t columns,
                    std::int64_t block_rows, std::int64_t block_columns);

/// (batch, tokens, heads, elements), dense.
TokenReader tokens(const Tensor& tensor, std::int64_t tokens, std::int64_t heads, std::int64_t elements);
/// Sequences one after the other in (all tokens, heads, elements); `starts` (batch + 1, int32) says where.
TokenReader packed_tokens(const Tensor& tensor, const Tensor& starts, std::int64_t heads,
                          std::int64_t elements);
/// Pages (pages, page_size, heads, elements); `table` (batch, pages of a sequence, int32) names them in
/// order.
TokenReader paged_tokens(const Tensor& pages, const Tensor& table, std::int64_t page_size, std::int64_t heads,
                         std::int64_t elements);

}  // namespace cutelab::kernel
