#include "kernel/views.h"

namespace cutelab::kernel {

MatrixReader matrix(const Tensor& tensor, std::int64_t rows, std::int64_t columns, bool columns_contiguous) {
  const View view(tensor, columns_contiguous ? std::vector<std::int64_t>{rows * columns, columns, 1}
                                             : std::vector<std::int64_t>{rows * columns, 1, rows});
  return [view](std::int64_t batch, std::int64_t row, std::int64_t column) {
    return view.at(batch, row, column);
  };
}

MatrixReader scaled(MatrixReader values, const Tensor& scales, std::int64_t rows, std::int64_t columns,
                    std::int64_t block_rows, std::int64_t block_columns) {
  const std::int64_t down = (rows + block_rows - 1) / block_rows;
  const std::int64_t across = (columns + block_columns - 1) / block_columns;
  const View view(scales, {down * across, across, 1});
  return [=, values = std::move(values)](std::int64_t batch, std::int64_t row, std::int64_t column) {
    return values(batch, row, column) * view.at(batch, row / block_rows, column / block_columns);
  };
}

TokenReader tokens(const Tensor& tensor, std::int64_t tokens, std::int64_t heads, std::int64_t elements) {
  const View view(tensor, {tokens * heads * elements, heads * elements, elements, 1});
  return [view](std::int64_t batch, std::int64_t token, std::int64_t head, std::int64_t element) {
    return view.at(batch, token, head, element);
  };
}

TokenReader packed_tokens(const Tensor& tensor, const Tensor& starts, std::int64_t heads,
                          std::int64_t elements) {
  const View view(tensor, {heads * elements, elements, 1});
  return [view, &starts](std::int64_t batch, std::int64_t token, std::int64_t head, std::int64_t element) {
    return view.at(static_cast<std::int64_t>(starts.at(batch)) + token, head, element);
  };
}

TokenReader paged_tokens(const Tensor& pages, const Tensor& table, std::int64_t page_size, std::int64_t heads,
                         std::int64_t elements) {
  const View view(pages, {page_size * heads * elements, heads * elements, elements, 1});
  const std::int64_t of_a_sequence = table.shape.back();
  return [=, &table](std::int64_t batch, std::int64_t token, std::int64_t head, std::int64_t element) {
    const auto page = static_cast<std::int64_t>(table.at(batch * of_a_sequence + token / page_size));
    return view.at(page, token % page_size, head, element);
  };
}

}  // namespace cutelab::kernel
