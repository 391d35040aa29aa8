// The reference operators of the GPU (kernels/reference/ops.h) against those of the host
// (kernel/reference.h): the same functions run here on the host, and, where there is a GPU, on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include "../kernels/reference/calls.h"
#include "device/device.h"
#include "kernel/build.h"
#include "kernel/loaded_kernel.h"
#include "kernel/reference.h"

namespace cutelab::kernel::reference {
namespace {

namespace ops = cutelab_reference;

/// One problem: its inputs, what the host's operator says of them, and the call, given where inputs (from 0
/// on) and outputs (-1, -2) lie.
struct OpsCase {
  std::string name;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
  std::function<ops::Call(const std::function<void*(int)>&)> call;
};

Tensor drawn(std::vector<std::int64_t> shape, Seed seed, DType dtype = DType::fp32,
             Fill fill = Fill::normal) {
  Tensor t("t", dtype, std::move(shape));
  t.fill(fill, seed);
  return t;
}
Tensor int32s(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape) {
  Tensor t("t", DType::int32, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    t.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
  return t;
}

/// Both operands of one type, every epilogue in turn.
OpsCase gemm_case(DType dtype, Activation activation, bool gated, bool k_major, bool with_c) {
  OpsCase c;
  c.name = std::string("gemm ") + name_of(dtype) + " activation " +
           std::to_string(static_cast<int>(activation)) + (gated ? " gated" : "") +
           (k_major ? "" : " mn-major");
  const Gemm p{5, 6, 37, 2, 1.5, with_c ? -0.5 : 0, activation, gated};
  const std::vector<std::int64_t> a_shape =
      k_major ? std::vector<std::int64_t>{2, 5, 37} : std::vector<std::int64_t>{2, 37, 5};
  const std::vector<std::int64_t> b_shape =
      k_major ? std::vector<std::int64_t>{2, 6, 37} : std::vector<std::int64_t>{2, 37, 6};
  c.inputs = {drawn(a_shape, 1, dtype), drawn(b_shape, 2, dtype), drawn({2, 5, 6}, 3, DType::bf16),
              drawn({6}, 4, DType::fp16)};
  const auto reader = matrix(c.inputs[2], 5, 6, true);
  c.expected = {gemm(p, matrix(c.inputs[0], 5, 37, k_major), matrix(c.inputs[1], 6, 37, k_major),
                     with_c ? &reader : nullptr, &c.inputs[3])};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::gemm_op;
    auto& g = call.gemm;
    g.a = ops::matrix_operand(at(0), dtype, 5, 37, k_major);
    g.b = ops::matrix_operand(at(1), dtype, 6, 37, k_major);
    if (with_c) g.c = ops::matrix_operand(at(2), DType::bf16, 5, 6, true);
    g.bias = at(3);
    g.bias_dtype = static_cast<int>(DType::fp16);
    g.out = static_cast<float*>(at(-1));
    g.m = 5, g.n = 6, g.k = 37, g.batch = 2;
    g.alpha = p.alpha, g.beta = p.beta;
    g.activation = static_cast<int>(activation), g.gated = gated;
    return call;
  };
  return c;
}

/// (4, k) times (3, k) of any two types; `expected` says what (row, column) is.
OpsCase product_case(std::string name, Tensor a, Tensor b, Tensor expected) {
  OpsCase c;
  c.name = std::move(name);
  const auto k = a.shape[1];
  const DType a_type = a.dtype, b_type = b.dtype;
  c.inputs = {std::move(a), std::move(b)};
  c.expected = {std::move(expected)};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::gemm_op;
    auto& g = call.gemm;
    g.a = ops::matrix_operand(at(0), a_type, 4, k, true);
    g.b = ops::matrix_operand(at(1), b_type, 3, k, true);
    g.out = static_cast<float*>(at(-1));
    g.m = 4, g.n = 3, g.k = k, g.batch = 1, g.alpha = 1;
    return call;
  };
  return c;
}

/// Whole numbers, whose products are summed here in 64-bit integers, by none of the operators. int32 keeps to
/// 24 bits of them: 64 products stay below 2^53.
OpsCase whole_number_case(DType dtype, Fill fill) {
  const std::int64_t k = 64;
  Tensor a = drawn({4, k}, 5, dtype, fill), b = drawn({3, k}, 6, dtype, fill);
  if (dtype == DType::int32)
    for (Tensor* t : {&a, &b})
      for (std::int64_t i = 0; i < t->size(); ++i) t->set(i, std::trunc(t->at(i) / 256));
  Tensor expected("t", DType::fp32, {1, 4, 3});
  for (std::int64_t row = 0; row < 4; ++row)
    for (std::int64_t column = 0; column < 3; ++column) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < k; ++i)
        sum += static_cast<std::int64_t>(a.at(row * k + i)) * static_cast<std::int64_t>(b.at(column * k + i));
      expected.set(row * 3 + column, static_cast<double>(sum));
    }
  return product_case(std::string("gemm of whole numbers ") + name_of(dtype) + " " + name_of(fill),
                      std::move(a), std::move(b), std::move(expected));
}

/// fp8 of both kinds in one product, subnormals and the ends of the range among them.
OpsCase eight_bit_case(DType a_type, DType b_type) {
  const std::int64_t k = 96;
  Tensor a = drawn({4, k}, 7, a_type, Fill::adversarial), b = drawn({3, k}, 8, b_type);
  a.set(0, largest(a_type));
  a.set(1, -largest(a_type));
  a.set(2, a_type == DType::fp8_e4m3 ? 0x1p-9 : 0x1p-16);  // the least of each
  Tensor expected = gemm({4, 3, k}, matrix(a, 4, k, true), matrix(b, 3, k, true));
  return product_case(std::string("gemm of ") + name_of(a_type) + " and " + name_of(b_type), std::move(a),
                      std::move(b), std::move(expected));
}

OpsCase scaled_case(DType values, DType scales, std::int64_t block_rows, std::int64_t block_columns) {
  OpsCase c;
  c.name = std::string("gemm of scaled ") + name_of(values) + " by " + name_of(scales);
  const std::int64_t down = (8 + block_rows - 1) / block_rows,
                     across = (96 + block_columns - 1) / block_columns;
  c.inputs = {drawn({8, 96}, 1, values), drawn({7, 96}, 2, values),
              drawn({down, across}, 3, scales, Fill::uniform)};
  c.expected = {gemm({8, 7, 96},
                     scaled(matrix(c.inputs[0], 8, 96, true), c.inputs[2], 8, 96, block_rows, block_columns),
                     matrix(c.inputs[1], 7, 96, true))};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::gemm_op;
    auto& g = call.gemm;
    g.a = ops::matrix_operand(at(0), values, 8, 96, true);
    ops::scale_operand(g.a, at(2), scales, 8, 96, block_rows, block_columns);
    g.b = ops::matrix_operand(at(1), values, 7, 96, true);
    g.out = static_cast<float*>(at(-1));
    g.m = 8, g.n = 7, g.k = 96, g.batch = 1, g.alpha = 1;
    return call;
  };
  return c;
}

enum class Tokens { dense, packed, paged };

/// Two sequences of 9 and 5 keys, 4 and 5 queries of which see from the end on where causal.
OpsCase attention_case(const char* name, Tokens how, std::int64_t heads, std::int64_t heads_kv,
                       std::int64_t d, std::int64_t dv, bool causal) {
  OpsCase c;
  c.name = std::string("attention ") + name;
  const bool latent = d != dv;
  Attention p{2, heads, heads_kv, 5, d, dv, 0.3, causal, {9, 5}, {4, 5}};
  const std::int64_t page = 4;
  std::vector<std::int64_t> shape = {2, 9, heads_kv, d};
  if (how == Tokens::packed) shape = {14, heads_kv, d};
  if (how == Tokens::paged) shape = {6, page, heads_kv, d};
  Tensor v = drawn(shape, 3);
  c.inputs = {drawn({2, 5, heads, d}, 1),
              drawn(shape, 2),
              v,
              int32s({0, 9, 14}, {3}),
              int32s({4, 1, 5, 0, 2, 0}, {2, 3}),
              int32s({9, 5}, {2}),
              int32s({4, 5}, {2})};
  const auto reader = [&](const Tensor& t) {
    if (how == Tokens::packed) return packed_tokens(t, c.inputs[3], heads_kv, d);
    if (how == Tokens::paged) return paged_tokens(t, c.inputs[4], page, heads_kv, d);
    return tokens(t, 9, heads_kv, d);
  };
  const auto got =
      attention(p, tokens(c.inputs[0], 5, heads, d), reader(c.inputs[1]), reader(c.inputs[latent ? 1 : 2]));
  c.expected = {got.out, got.log_sums};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::attention_op;
    auto& a = call.attention;
    const auto placed = [&](int which) {
      auto o = ops::token_operand(at(which), DType::fp32, how == Tokens::paged ? page : 9, heads_kv, d);
      if (how == Tokens::packed) o.starts = static_cast<const std::int32_t*>(at(3));
      if (how != Tokens::paged) return o;
      o.table = static_cast<const std::int32_t*>(at(4));
      o.page_size = page;
      o.pages_of_a_sequence = 3;
      return o;
    };
    a.q = ops::token_operand(at(0), DType::fp32, 5, heads, d);
    a.k = placed(1);
    a.v = placed(latent ? 1 : 2);
    a.keys = static_cast<const std::int32_t*>(at(5));
    a.queries_of = static_cast<const std::int32_t*>(at(6));
    a.out = static_cast<float*>(at(-1));
    a.log_sums = static_cast<float*>(at(-2));
    a.batch = 2, a.heads = heads, a.heads_kv = heads_kv, a.queries = 5, a.d = d, a.dv = dv;
    a.scale = 0.3, a.causal = causal;
    return call;
  };
  return c;
}

OpsCase rows_case(int kind, DType dtype) {
  OpsCase c;
  c.name = "rows " + std::to_string(kind) + " of " + name_of(dtype);
  c.inputs = {drawn({7, 101}, 1, dtype, Fill::adversarial), drawn({101}, 2), drawn({101}, 3)};
  const Tensor& x = c.inputs[0];
  const Reduction reductions[] = {Reduction::sum, Reduction::mean, Reduction::largest, Reduction::least,
                                  Reduction::sum_of_squares};
  c.expected = {kind == ops::Rows::rms_norm     ? rms_norm(x, c.inputs[1], 1e-5)
                : kind == ops::Rows::layer_norm ? layer_norm(x, c.inputs[1], &c.inputs[2], 1e-5)
                : kind == ops::Rows::softmax    ? softmax(x)
                                                : reduce(x, reductions[kind - ops::Rows::sum])};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::rows_op;
    auto& r = call.rows;
    r.x = at(0), r.weight = at(1), r.bias = kind == ops::Rows::layer_norm ? at(2) : nullptr;
    r.out = static_cast<float*>(at(-1));
    r.rows = 7, r.columns = 101, r.eps = 1e-5, r.kind = kind, r.x_dtype = static_cast<int>(dtype);
    return call;
  };
  return c;
}

OpsCase state_space_case(bool with_d) {
  OpsCase c;
  c.name = std::string("state space") + (with_d ? " with D" : "");
  const StateSpace p{2, 11, 4, 6, 2, 16};
  c.inputs = {drawn({2, 11, 4, 6}, 1, DType::bf16),
              drawn({2, 11, 4}, 2, DType::fp32, Fill::uniform),
              drawn({4}, 3),
              drawn({2, 11, 2, 16}, 4, DType::bf16),
              drawn({2, 11, 2, 16}, 5, DType::bf16),
              drawn({4}, 6)};
  const auto& in = c.inputs;
  c.expected = {state_space(p, in[0], in[1], in[2], in[3], in[4], with_d ? &in[5] : nullptr)};
  c.call = [=](const auto& at) {
    ops::Call call{};
    call.op = ops::Call::state_space_op;
    const int bf16 = static_cast<int>(DType::bf16);
    call.state_space = {
        at(0), at(1), at(2), at(3), at(4), with_d ? at(5) : nullptr,   static_cast<float*>(at(-1)), 2,
        11,    4,     6,     2,     16,    {bf16, 0, 0, bf16, bf16, 0}};
    return call;
  };
  return c;
}

std::vector<OpsCase> all_cases() {
  std::vector<OpsCase> cases;
  int n = 0;
  for (const DType dtype : all_dtypes()) {
    if (dtype == DType::int32) continue;  // its whole range is past what a double holds exactly: below
    cases.push_back(gemm_case(dtype, static_cast<Activation>(n % 5), false, n % 2 == 0, n % 3 == 0));
    ++n;
  }
  for (int a = 0; a < 5; ++a)
    cases.push_back(gemm_case(DType::bf16, static_cast<Activation>(a), a % 2 == 0, true, a > 2));
  cases.push_back(whole_number_case(DType::int8, Fill::uniform));
  cases.push_back(whole_number_case(DType::int8, Fill::adversarial));
  cases.push_back(whole_number_case(DType::int4, Fill::adversarial));
  cases.push_back(whole_number_case(DType::int32, Fill::uniform));
  cases.push_back(eight_bit_case(DType::fp8_e4m3, DType::fp8_e5m2));
  cases.push_back(eight_bit_case(DType::fp8_e5m2, DType::fp8_e4m3));
  cases.push_back(scaled_case(DType::fp8_e4m3, DType::ue8m0, 1, 32));
  cases.push_back(scaled_case(DType::fp8_e5m2, DType::fp32, 4, 48));
  cases.push_back(scaled_case(DType::int4, DType::bf16, 8, 96));
  cases.push_back(attention_case("plain", Tokens::dense, 2, 2, 16, 16, false));
  cases.push_back(attention_case("causal", Tokens::dense, 2, 2, 16, 16, true));
  cases.push_back(attention_case("grouped", Tokens::dense, 6, 2, 16, 16, true));
  cases.push_back(attention_case("packed", Tokens::packed, 4, 2, 80, 80, true));
  cases.push_back(attention_case("paged", Tokens::paged, 4, 1, 16, 16, false));
  cases.push_back(attention_case("latent (MLA), paged", Tokens::paged, 3, 1, 576, 512, true));
  for (int kind = 0; kind < 8; ++kind) cases.push_back(rows_case(kind, kind % 2 ? DType::bf16 : DType::fp32));
  cases.push_back(state_space_case(false));
  cases.push_back(state_space_case(true));
  return cases;
}

void expect_equal(const OpsCase& c, const std::vector<Tensor>& got) {
  for (std::size_t o = 0; o < got.size(); ++o)
    for (std::int64_t i = 0; i < got[o].size(); ++i) {
      const double want = c.expected[o].at(i), is = got[o].at(i);
      if (std::isnan(want) || std::isinf(want))
        ASSERT_TRUE(std::isnan(want) ? std::isnan(is) : is == want) << c.name << got[o].coordinates(i) << is;
      else
        ASSERT_NEAR(is, want, 2e-6 * std::max(std::abs(want), 1e-3)) << c.name << got[o].coordinates(i);
    }
}

/// Exactly what 64-bit integers say.
TEST(ReferenceOps, WholeNumbersAreExactByTheHostsOperator) {
  for (const DType dtype : {DType::int8, DType::int4, DType::int32}) {
    const OpsCase c = whole_number_case(dtype, Fill::uniform);
    const auto got = gemm({4, 3, 64}, matrix(c.inputs[0], 4, 64, true), matrix(c.inputs[1], 3, 64, true));
    EXPECT_EQ(got.data, c.expected[0].data) << c.name;
    double most = 0;
    for (std::int64_t i = 0; i < 12; ++i) most = std::max(most, std::abs(got.at(i)));
    EXPECT_GT(most, dtype == DType::int4 ? 40 : 1000) << "the numbers are not all small";
  }
}

std::vector<Tensor> canaries(const OpsCase& c) {
  std::vector<Tensor> out;
  for (const Tensor& t : c.expected) out.emplace_back(t.name, t.dtype, t.shape);
  return out;
}

template <class Problem>
void compute_all(const Problem& p) {
  for (long long item = 0; item < p.items(); ++item) compute(p, item);
}

TEST(ReferenceOps, OnTheHostSayWhatTheHostsOperatorsSay) {
  for (OpsCase& c : all_cases()) {
    auto out = canaries(c);
    const auto call = c.call([&](int which) -> void* {
      return which < 0 ? out[static_cast<std::size_t>(-which - 1)].data.data()
                       : c.inputs[static_cast<std::size_t>(which)].data.data();
    });
    switch (call.op) {
      case ops::Call::gemm_op:
        compute_all(call.gemm);
        break;
      case ops::Call::attention_op:
        compute_all(call.attention);
        break;
      case ops::Call::rows_op:
        compute_all(call.rows);
        break;
      case ops::Call::state_space_op:
        compute_all(call.state_space);
        break;
    }
    expect_equal(c, out);
  }
}

/// The compiled operators. CUTELAB_ROOT names another source tree than the one the test was built from.
Result<LoadedKernel> compiled_ops(const std::string& arch) {
  const char* root = std::getenv("CUTELAB_ROOT");
  const std::string source_root = root ? root : CUTELAB_SOURCE_DIR;
  const DiskFileSource files;
  std::map<std::string, std::string> variables;
  for (const char* name : {"PATH", "CUTLASS_DIR", "CUDA_HOME", "CUDACXX"})
    if (const char* value = std::getenv(name)) variables[name] = value;
  const Environment environment(std::move(variables));
  auto built = build_kernel({files, environment, source_root, "kernels/reference", {}, arch},
                            find_toolchain(environment, files, source_root));
  if (!built) return built.error();
  return LoadedKernel::load(built->library);
}

std::vector<Tensor> computed_on(device::Session& session, const LoadedKernel& kernel, const OpsCase& c) {
  const auto placed = [&](const Tensor& t) {
    auto at = session.allocate(t.data.size());
    EXPECT_TRUE(at && session.upload(*at, t.data.data(), t.data.size()));
    return *at;
  };
  auto out = canaries(c);
  std::vector<device::Address> inputs, outputs;
  for (const Tensor& t : c.inputs) inputs.push_back(placed(t));
  for (const Tensor& t : out) outputs.push_back(placed(t));
  const auto call = c.call([&](int which) {
    return reinterpret_cast<void*>(which < 0 ? outputs[static_cast<std::size_t>(-which - 1)]
                                             : inputs[static_cast<std::size_t>(which)]);
  });
  const auto launched = kernel.launch(ops::bytes_of(call), {}, session.stream());
  EXPECT_TRUE(launched) << launched.error().message();
  EXPECT_TRUE(session.synchronize());
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_TRUE(session.download(out[i].data.data(), outputs[i], out[i].data.size()));
  return out;
}

TEST(ReferenceOps, OnTheGpuSayWhatTheHostsOperatorsSay) {
  const auto device = device::machine_device();
  auto session = device->open(0);
  if (!session) GTEST_SKIP() << session.error().wrong;
  auto kernel = compiled_ops((*session)->info().arch());
  if (!kernel) GTEST_SKIP() << kernel.error().wrong;
  for (const OpsCase& c : all_cases()) expect_equal(c, computed_on(**session, *kernel, c));
}

}  // namespace
}  // namespace cutelab::kernel::reference
