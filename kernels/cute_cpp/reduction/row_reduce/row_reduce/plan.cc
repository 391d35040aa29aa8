// row_reduce: legal configurations, launch, arguments. Problem, reference and work are reduce_plan.h's.
#include <fmt/format.h>

#include <cstring>

#include "../reduce_plan.h"
#include "config.h"
#include "params.h"

namespace row_reduce {
namespace {

using cutelab::Result;

constexpr std::int64_t most_blocks = INT64_C(2147483647);

Config config_of(const kernel::Config& config) {
  const auto number = [&](const char* name) { return static_cast<int>(config.value(name)); };
  return {number("threads_per_row"), number("rows_per_cta"), number("vector_elements"), number("vectors")};
}

/// The widest load, at most 128 bits, that divides the columns.
int widest_vector(const Problem& p) {
  int width = static_cast<int>(16 / kernel::bytes_of(p.dtype));
  while (p.columns % width != 0) width /= 2;
  return width;
}

const char* element_of(kernel::DType dtype) {
  if (dtype == kernel::DType::fp32) return "float";
  return dtype == kernel::DType::fp16 ? "cutlass::half_t" : "cutlass::bfloat16_t";
}

class Plan final : public ReducePlan {
 public:
  Result<kernel::CuteKernel> plan(const kernel::Params& params, const kernel::Config& config) const override {
    if (auto s = refused(params, config); !s) return s.error();
    const Problem p = problem_of(params);
    const Config c = config_of(config);
    kernel::CuteKernel k;
    k.device_function = "row_reduce_kernel";
    k.defines = {fmt::format("REDUCE_THREADS_PER_ROW={}", c.threads_per_row),
                 fmt::format("REDUCE_ROWS_PER_CTA={}", c.rows_per_cta),
                 fmt::format("REDUCE_VECTOR_ELEMENTS={}", c.vector_elements),
                 fmt::format("REDUCE_VECTORS={}", c.vectors),
                 fmt::format("REDUCE_OP={}", static_cast<int>(p.op)),
                 fmt::format("REDUCE_ELEMENT={}", element_of(p.dtype))};
    k.launch = [c, p](int) {
      kernel::LaunchShape shape;
      shape.grid[0] = static_cast<unsigned>(row_blocks(c, p.rows));
      shape.block[0] = static_cast<unsigned>(c.block());
      return shape;
    };
    k.arguments = [p](const kernel::Addresses& at) {
      const Params arguments{reinterpret_cast<const void*>(at.at("x")), reinterpret_cast<float*>(at.at("y")),
                             p.rows, p.columns};
      std::vector<std::byte> bytes(sizeof arguments);
      std::memcpy(bytes.data(), &arguments, sizeof arguments);
      return bytes;
    };
    return k;
  }

 private:
  std::vector<kernel::Config> candidates(const Problem& p) const override {
    std::vector<kernel::Config> all;
    const int vector = widest_vector(p);
    // As many threads as a row has vectors for, four loads each, come first.
    const std::int64_t wanted = (p.columns + vector * 4 - 1) / (vector * 4);
    int first = 32;
    while (first < 512 && first < wanted) first *= 2;
    for (const int threads : {first, 32, 64, 128, 256, 512, 1024})
      for (const int vectors : {4, 2, 8})
        if (threads != first || all.size() < 3)
          all.push_back({{{"threads_per_row", threads},
                          {"rows_per_cta", threads < 128 ? 128 / threads : 1},
                          {"vector_elements", vector},
                          {"vectors", vectors}},
                         ""});
    return all;
  }

  std::string rejection(const Problem& p, const kernel::Config& config) const override {
    const Config c = config_of(config);
    if (c.threads_per_row < 32 || c.threads_per_row > 1024 || (c.threads_per_row & (c.threads_per_row - 1)))
      return fmt::format("{} threads a row are no power of two from 32 to 1024", c.threads_per_row);
    if (c.rows_per_cta < 1 || c.block() > 1024)
      return fmt::format("{} threads in a block; 1 to 1024 are possible", c.block());
    if (c.vectors < 1 || c.vectors > 16) return fmt::format("{} vectors are none of 1 to 16", c.vectors);
    const auto bits = c.vector_elements * static_cast<std::int64_t>(kernel::bytes_of(p.dtype)) * 8;
    if (c.vector_elements < 1 || bits > 128 || (bits & (bits - 1)))
      return fmt::format("a load of {} bits; there are those of 16, 32, 64 and 128", bits);
    if (p.columns % c.vector_elements != 0)
      return fmt::format("{} columns are no multiple of {} elements", p.columns, c.vector_elements);
    if (row_blocks(c, p.rows) > most_blocks) return "more blocks than a grid has";
    return "";
  }

  std::int64_t columns_multiple(const kernel::Config& config) const override {
    return config.value("vector_elements");
  }
};

}  // namespace
}  // namespace row_reduce

cutelab::kernel::Package cutelab_package_row_reduce();
cutelab::kernel::Package cutelab_package_row_reduce() {
  cutelab::kernel::Package package;
  package.language = "cute-cpp";
  package.layer = "reduction";
  package.design = "row_reduce";
  package.version = "v0";
  package.summary =
      "sum, largest, least or sum of squares of each row: 128-bit loads, warp and block reduction";
  package.architectures = {"sm_90a"};
  package.plan = std::make_shared<row_reduce::Plan>();
  return package;
}
