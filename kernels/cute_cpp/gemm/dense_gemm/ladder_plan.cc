#include "ladder_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "../../../reference/calls.h"
#include "kernel/parallel.h"
#include "kernel/sum_tolerance.h"
#include "problem.h"

namespace dense_gemm {

using cutelab::Bytes;
using cutelab::Error;
using cutelab::ErrorKind;
using cutelab::Result;
using cutelab::Status;
using kernel::Fill;

Problem problem_of(const kernel::Params& p) {
  return {p.number("m"),   p.number("n"),      p.number("k"),      p.number("batch"),
          p.word("dtype"), p.word("a") == "k", p.word("b") == "k", p.word("sums") == "fast"};
}

std::vector<kernel::ParameterSpec> LadderPlan::parameters() const {
  constexpr std::int64_t most = 1 << 20;
  return {{"m", "rows of A and D", "4096", 1, most, {}},
          {"n", "rows of B, columns of D", "4096", 1, most, {}},
          {"k", "columns of A and B", "4096", 1, most, {}},
          {"batch", "independent problems", "1", 1, 4096, {}},
          {"alpha", "factor of A·Bᵀ", "1", -8, 8, {}},
          {"beta", "factor of C; 0 = C is not read", "0", -8, 8, {}},
          {"a", "what is contiguous in A (m, k)", "k", 0, 0, {"k", "m"}},
          {"b", "what is contiguous in B (n, k)", "k", 0, 0, {"k", "n"}},
          {"dtype",
           "type of A, B, C and D; e4m3: A and B, each with one scale, C and D are bf16",
           "bf16",
           0,
           0,
           {"bf16", "fp16", "e4m3"}},
          {"sums",
           "of e4m3: fp32, or fast: the tensor cores' own, of fewer bits",
           "fp32",
           0,
           0,
           {"fp32", "fast"}}};
}

Status LadderPlan::check(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const std::int64_t unit = 16 / p.element_bytes();
  const auto refuse = [&](const char* name, std::int64_t extent, const char* tensor, std::int64_t of = 8) {
    return Error{
        ErrorKind::usage, "dense_gemm " + params.text(),
        fmt::format("{} = {} is contiguous in {} and no multiple of {}: TMA wants strides of 16 bytes", name,
                    extent, tensor, of),
        "", fmt::format("pad {} to {}", name, (extent + of - 1) / of * of)};
  };
  if (p.narrow() && (!p.a_k_major || !p.b_k_major))
    return Error{ErrorKind::usage, "dense_gemm " + params.text(),
                 "WGMMA takes 8-bit operands with k contiguous only", "", "leave out --a and --b"};
  if (p.n % 8 != 0) return refuse("n", p.n, p.b_k_major ? "D" : "B and D");
  if (p.k % unit != 0 && (p.a_k_major || p.b_k_major)) return refuse("k", p.k, p.a_k_major ? "A" : "B", unit);
  if (p.m % 8 != 0 && !p.a_k_major) return refuse("m", p.m, "A");
  return {};
}

namespace {

kernel::Tensor operand(const char* name, const Problem& p, std::int64_t rows, bool k_major) {
  return kernel::Tensor(name, p.type(),
                        k_major ? std::vector{p.batch, rows, p.k} : std::vector{p.batch, p.k, rows});
}

/// (batch, rows, k) as fp32, k contiguous or rows contiguous, whatever the tensor has.
std::vector<float> as_float(const kernel::Tensor& tensor, std::int64_t rows, std::int64_t k,
                            bool tensor_k_major, bool wanted_k_major, std::int64_t batch) {
  std::vector<float> out(static_cast<std::size_t>(rows * k));
  for (std::int64_t i = 0; i < rows * k; ++i) {
    const std::int64_t row = tensor_k_major ? i / k : i % rows;
    const std::int64_t column = tensor_k_major ? i % k : i / rows;
    const std::int64_t to = wanted_k_major ? row * k + column : column * rows + row;
    out[static_cast<std::size_t>(to)] = static_cast<float>(tensor.at(batch * rows * k + i));
  }
  return out;
}

constexpr std::int64_t width = 64;  // columns of D at a time: their sums stay in registers and L1
constexpr std::int64_t depth = 64;  // products that are summed in fp32

/// sums[j] += a[0..count) · b[0..count)[j]; b's rows are `pitch` apart.
void add_products(const float* a, const float* b, std::int64_t count, std::int64_t pitch,
                  std::int64_t columns, double* sums) {
  float part[width] = {};
  for (std::int64_t k = 0; k < count; ++k) {
    const float factor = a[k];
    const float* row = b + k * pitch;
    if (columns == width)
      for (std::int64_t j = 0; j < width; ++j) part[j] += factor * row[j];
    else
      for (std::int64_t j = 0; j < columns; ++j) part[j] += factor * row[j];
  }
  for (std::int64_t j = 0; j < columns; ++j) sums[j] += static_cast<double>(part[j]);
}

/// Rows [begin, end) of A·Bᵀ of one batch: a is (m, k) : (k, 1), b is (k, n) : (n, 1).
void multiply_rows(const Problem& p, const float* a, const float* b, std::int64_t begin, std::int64_t end,
                   const std::function<void(std::int64_t, std::int64_t, double)>& put) {
  for (std::int64_t column = 0; column < p.n; column += width)
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t columns = std::min(width, p.n - column);
      double sums[width] = {};
      for (std::int64_t k = 0; k < p.k; k += depth)
        add_products(a + row * p.k + k, b + k * p.n + column, std::min(depth, p.k - k), p.n, columns, sums);
      for (std::int64_t j = 0; j < columns; ++j) put(row, column + j, sums[j]);
    }
}

}  // namespace

kernel::Inputs LadderPlan::prepare_inputs(const kernel::Params& params, Fill fill, kernel::Seed seed) const {
  const Problem p = problem_of(params);
  auto a = operand("a", p, p.m, p.a_k_major);
  auto b = operand("b", p, p.n, p.b_k_major);
  a.fill(fill, seed);
  // Products of two adversarial operands would leave nothing to see beside the largest.
  b.fill(fill == Fill::adversarial ? Fill::normal : fill, seed + 1);
  kernel::Inputs inputs{{std::move(a), std::move(b)}};
  if (params.number("beta") != 0) {
    kernel::Tensor c("c", p.result_type(), {p.batch, p.m, p.n});
    c.fill(Fill::normal, seed + 2);
    inputs.tensors.push_back(std::move(c));
  }
  if (p.narrow())
    for (const auto& [name, value] :
         {std::pair{"scale_a", 0.25 * static_cast<double>(seed % 7 + 1)}, {"scale_b", 0.75}}) {
      inputs.tensors.emplace_back(name, kernel::DType::fp32, std::vector<std::int64_t>{1});
      inputs.tensors.back().set(0, value);
    }
  return inputs;
}

kernel::Outputs LadderPlan::prepare_outputs(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  return {{kernel::Tensor("d", p.result_type(), {p.batch, p.m, p.n})}};
}

kernel::Outputs LadderPlan::reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const {
  const Problem p = problem_of(params);
  auto alpha = static_cast<double>(params.number("alpha"));
  if (p.narrow()) alpha *= inputs.find("scale_a")->at(0) * inputs.find("scale_b")->at(0);
  const auto beta = static_cast<double>(params.number("beta"));
  const kernel::Tensor* c = inputs.find("c");
  kernel::Tensor d("d", kernel::DType::fp32, {p.batch, p.m, p.n});
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    const auto a = as_float(*inputs.find("a"), p.m, p.k, p.a_k_major, true, batch);
    const auto b = as_float(*inputs.find("b"), p.n, p.k, p.b_k_major, false, batch);
    const auto put = [&](std::int64_t row, std::int64_t column, double sum) {
      const std::int64_t at = (batch * p.m + row) * p.n + column;
      d.set(at, alpha * sum + (c ? beta * c->at(at) : 0));
    };
    kernel::for_each_share(p.m, [&](std::int64_t begin, std::int64_t end) {
      multiply_rows(p, a.data(), b.data(), begin, end, put);
    });
  }
  return {{std::move(d)}};
}

std::optional<kernel::DeviceReference> LadderPlan::device_reference(const kernel::Params& params) const {
  namespace ops = cutelab_reference;
  const Problem p = problem_of(params);
  const auto alpha = static_cast<double>(params.number("alpha"));
  const auto beta = static_cast<double>(params.number("beta"));
  kernel::DeviceReference reference;
  reference.operations = static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n) *
                         static_cast<double>(p.k);
  reference.outputs.tensors = {kernel::Tensor("d", kernel::DType::fp32, {p.batch, p.m, p.n})};
  reference.arguments = [p, alpha, beta](const kernel::Addresses& in, const kernel::Addresses& out) {
    const auto dtype = p.type();
    ops::Call call{};
    call.op = ops::Call::gemm_op;
    auto& g = call.gemm;
    g.a = ops::matrix_operand(ops::address_of(in.at("a")), dtype, p.m, p.k, p.a_k_major);
    g.b = ops::matrix_operand(ops::address_of(in.at("b")), dtype, p.n, p.k, p.b_k_major);
    if (beta != 0) g.c = ops::matrix_operand(ops::address_of(in.at("c")), p.result_type(), p.m, p.n, true);
    if (p.narrow())
      for (const auto& [o, name] : {std::pair{&g.a, "scale_a"}, {&g.b, "scale_b"}}) {
        const auto extent = std::max({p.m, p.n, p.k});
        ops::scale_operand(*o, ops::address_of(in.at(name)), kernel::DType::fp32, 1, 1, extent, extent);
        o->scale_strides[0] = 0;  // one for all of the batch
      }
    g.out = reinterpret_cast<float*>(out.at("d"));
    g.m = p.m, g.n = p.n, g.k = p.k, g.batch = p.batch;
    g.alpha = alpha, g.beta = beta;
    return ops::bytes_of(call);
  };
  return reference;
}

namespace {

/// Of e4m3 products the tensor cores add 32 at a time and drop what lies below 2^-13 of their sum; fp32 sums
/// begin anew after 512 products at the latest. As in kernel/sum_tolerance.h, two deviations of the sum are
/// allowed at every addition.
kernel::Tolerance narrow_tolerance(const Problem& p, double product, double alpha) {
  const auto k = static_cast<double>(p.k);
  const double half = kernel::spacing_at_one(p.result_type()) / 2;
  const double length = p.fast_sums ? k : std::min(k, 512.0);
  constexpr double largest_scales = 1.75 * 0.75;  // prepare_inputs
  const double lost =
      (k / 32 + 1) * 2 * std::sqrt(length) * product * 0x1p-13 * std::abs(alpha) * largest_scales;
  return {
      half, half * 1.25, std::max(4 * lost / half, 0x1p-14),
      fmt::format("the result is rounded once to {}: at most 2^{:.0f} relative; {} sums of {} products of "
                  "e4m3 (root mean square {:.3g}) add up to {:.2g} absolute",
                  kernel::name_of(p.result_type()), std::log2(half),
                  p.fast_sums ? "the tensor cores'" : "fp32", p.k, product, lost)};
}

}  // namespace

kernel::Tolerance LadderPlan::tolerance(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  // Only one operand is filled adversarially (prepare_inputs).
  const double product = kernel::root_mean_square(Fill::adversarial) * kernel::root_mean_square(Fill::normal);
  const auto alpha = static_cast<double>(params.number("alpha"));
  if (p.narrow()) return narrow_tolerance(p, product, alpha);
  return kernel::product_tolerance({p.k, product, alpha, p.type()});
}

kernel::Work LadderPlan::algorithmic_flops_bytes(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  const std::int64_t c = params.number("beta") != 0 ? p.m * p.n : 0;
  const std::int64_t in = p.element_bytes();
  return {{{p.narrow() ? "fp8-tensor" : p.dtype + "-tensor",
            2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                static_cast<double>(p.batch)}},
          Bytes(p.batch * (in * (p.m * p.k + p.n * p.k) + 2 * (p.m * p.n + c))),
          p.narrow() ? "read A, B (and C where beta is not 0), write D: batch·(m·k + n·k + 2·m·n [+ 2·m·n]) "
                       "bytes; 2·batch·m·n·k flops"
                     : "read A, B (and C where beta is not 0), write D: 2·batch·(m·k + n·k + m·n [+ m·n]) "
                       "bytes; 2·batch·m·n·k flops"};
}

std::string LadderPlan::refusal(const Problem& p, const kernel::Config& config) const {
  if (p.narrow() && !takes_e4m3(p.fast_sums))
    return p.fast_sums ? "this version takes no e4m3; v6, v7 and v8 do"
                       : "this version takes no fp32 sums of e4m3; v6 and v8 do";
  return rejection(p, config);
}

std::vector<kernel::Config> LadderPlan::autotune_configs(const kernel::Params& params) const {
  const Problem p = problem_of(params);
  auto all = candidates(p);
  for (auto& config : all) config.rejected_because = refusal(p, config);
  std::stable_partition(all.begin(), all.end(), [](const kernel::Config& c) { return c.legal(); });
  return all;
}

std::vector<kernel::Params> LadderPlan::ragged_params(const kernel::Params& params,
                                                      const kernel::Config& config) const {
  std::vector<kernel::Params> all;
  const std::int64_t tile_m = config.value("tile_m");
  const std::int64_t tile_n = config.value("tile_n");
  const bool any_m = problem_of(params).a_k_major;  // else m is a multiple of 8
  const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch, int alpha,
                       int beta) {
    all.push_back(params);
    for (const auto& [name, value] : {std::pair{"m", m}, {"n", n}, {"k", k}, {"batch", batch}})
      all.back().set(name, value);
    all.back().set("alpha", std::int64_t{alpha});
    all.back().set("beta", std::int64_t{beta});
  };
  const std::int64_t least_k = 16 / problem_of(params).element_bytes();
  add(any_m ? 1 : 8, 8, least_k, 1, 1, 0);      // one row, eight columns, less than one k-tile
  add(any_m ? 1 : 8, tile_n * 3, 64, 1, 1, 0);  // one k-tile
  add(tile_m + (any_m ? 1 : 8), tile_n + 8, 64 + least_k, 1, 1, 0);  // one more than a tile each way
  add(tile_m * 2 - 8, tile_n * 2 - 8, 992 + least_k, 3, 2, -1);      // batch, C, k no multiple of a stage
  add(tile_m * 21 + 8, tile_n * 14 - 8, 128 + least_k, 1, 1,
      0);                                       // more tiles than CTAs: several turns of a persistent one
  add(tile_m * 17, tile_n * 9, 640, 2, -3, 2);  // the same with whole tiles, batch and C
  const auto given = [&](const char* name, std::int64_t otherwise) {
    const auto found = config.values.find(name);
    return found == config.values.end() ? otherwise : found->second;
  };
  const std::int64_t ring = given("stages", 1) * given("stage_k", 64);  // k that fills the ring once
  for (const std::int64_t k : {ring - least_k, ring, ring + least_k}) add(tile_m, tile_n, k, 2, 1, 0);
  return all;
}

std::vector<std::string> defines_of(const kernel::Config& config, const std::vector<std::string>& names) {
  std::vector<std::string> defines;
  for (const std::string& name : names) {
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    defines.push_back(fmt::format("GEMM_{}={}", upper, config.value(name)));
  }
  return defines;
}

void define_width(std::int64_t tile_n, std::vector<std::string>& defines) {
  for (const std::int64_t common : {8, 16, 32, 64, 96, 128, 192, 256})
    if (tile_n == common) return;
  defines.emplace_back("GEMM_ODD_TILE_N=1");
}

Result<kernel::CuteKernel> LadderPlan::plan(const kernel::Params& params,
                                            const kernel::Config& config) const {
  const Problem p = problem_of(params);
  const std::string wrong = config.legal() ? refusal(p, config) : config.rejected_because;
  if (!wrong.empty())
    return Error{ErrorKind::usage, "plan dense_gemm " + params.text(), wrong, config.text(),
                 "take one of the legal configurations (--dry-run lists them)"};
  const Candidate chosen = describe(p, config);
  kernel::CuteKernel k;
  k.device_function = "dense_gemm_kernel";
  k.defines = chosen.defines;
  k.defines.emplace_back(p.dtype == "fp16"   ? "GEMM_ELEMENT=cutlass::half_t"
                         : p.dtype == "bf16" ? "GEMM_ELEMENT=cutlass::bfloat16_t"
                                             : "GEMM_ELEMENT=cutlass::float_e4m3_t");
  const bool first_k_major = chosen.swapped ? p.b_k_major : p.a_k_major;
  const bool second_k_major = chosen.swapped ? p.a_k_major : p.b_k_major;
  k.defines.push_back(fmt::format("GEMM_A_K_MAJOR={}", first_k_major ? 1 : 0));
  k.defines.push_back(fmt::format("GEMM_B_K_MAJOR={}", second_k_major ? 1 : 0));
  k.launch = [chosen](int sms) {
    kernel::LaunchShape shape;
    std::int64_t clusters = chosen.clusters_of_work;
    if (chosen.persistent) clusters = std::min<std::int64_t>(clusters, sms / chosen.cluster);
    shape.grid[0] = static_cast<unsigned>(clusters) * chosen.cluster;
    shape.block[0] = chosen.block;
    shape.cluster[0] = chosen.cluster;
    shape.dynamic_smem_bytes = chosen.smem_bytes;
    return shape;
  };
  k.arguments = [params, p, chosen](const kernel::Addresses& at) {
    const auto pointer = [&](const char* name) {
      return at.count(name) ? reinterpret_cast<void*>(at.at(name)) : nullptr;
    };
    const auto small = [](std::int64_t value) { return static_cast<int>(value); };
    const Params arguments{pointer(chosen.swapped ? "b" : "a"),
                           pointer(chosen.swapped ? "a" : "b"),
                           pointer("c"),
                           pointer("d"),
                           small(chosen.swapped ? p.n : p.m),
                           small(chosen.swapped ? p.m : p.n),
                           small(p.k),
                           small(p.batch),
                           static_cast<float>(params.number("alpha")),
                           static_cast<float>(params.number("beta")),
                           static_cast<const float*>(pointer(chosen.swapped ? "scale_b" : "scale_a")),
                           static_cast<const float*>(pointer(chosen.swapped ? "scale_a" : "scale_b")),
                           chosen.tile_group};
    std::vector<std::byte> bytes(sizeof arguments);
    std::memcpy(bytes.data(), &arguments, sizeof arguments);
    return bytes;
  };
  return k;
}

kernel::Package package_of(const std::string& version, const std::string& summary,
                           std::shared_ptr<const kernel::KernelPlan> plan) {
  kernel::Package package;
  package.language = "cute-cpp";
  package.layer = "gemm";
  package.design = "dense_gemm";
  package.version = version;
  package.summary = summary;
  package.architectures = {"sm_90a"};
  package.plan = std::move(plan);
  return package;
}

}  // namespace dense_gemm
