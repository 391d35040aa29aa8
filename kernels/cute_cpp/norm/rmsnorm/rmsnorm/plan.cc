// What rmsnorm needs and does, for the host: parameters, inputs, reference, legal configurations, work,
// launch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "../../../../reference/calls.h"
#include "config.h"
#include "kernel/reference.h"
#include "kernel/registry.h"
#include "params.h"

namespace rmsnorm {
namespace {

using namespace cutelab;
using kernel::Params;

constexpr double eps = 1e-6;
constexpr int largest_row = 65536;  // 1024 threads, 64 elements each
constexpr int most_elements_per_thread =
    64;  // more spill: two elements a register, three rows' worth with prefetch

Config config_of(const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return Config{number("threads_per_row"), number("elements_per_thread"), number("rows_per_cta"),
                number("vector_elements"), number("ctas_per_sm"),         c.value("persistent") != 0,
                c.value("prefetch") != 0,  c.value("read_once") != 0,     c.value("weight_early") != 0};
}

kernel::Config named(const Config& c) {
  return kernel::Config{{{"threads_per_row", c.threads_per_row},
                         {"elements_per_thread", c.elements_per_thread},
                         {"rows_per_cta", c.rows_per_cta},
                         {"vector_elements", c.vector_elements},
                         {"ctas_per_sm", c.ctas_per_sm},
                         {"persistent", c.persistent},
                         {"prefetch", c.prefetch},
                         {"read_once", c.read_once},
                         {"weight_early", c.weight_early}},
                        ""};
}

/// The candidate that gives a row to `threads` threads; CTAs per SM by the registers that the rows in flight
/// take.
Config candidate(int hidden, int threads, bool persistent, bool prefetch) {
  Config c{};
  c.vector_elements = std::gcd(hidden, 8);
  c.threads_per_row = threads;
  const int even = std::max(c.vector_elements, 2);  // two elements share a register
  c.elements_per_thread = (hidden + threads * even - 1) / (threads * even) * even;
  c.rows_per_cta = threads == 32 ? 8 : 1;
  c.persistent = persistent;
  c.prefetch = prefetch;
  c.weight_early = true;
  c.read_once = false;  // measured slower: docs/kernels/rmsnorm.md
  c.ctas_per_sm = std::clamp(65536 / (register_estimate(c) * c.block()), 1, 2048 / c.block());
  return c;
}

std::string rejection(const Config& c, int hidden) {
  if (c.elements_per_thread > most_elements_per_thread)
    return fmt::format(
        "a thread would hold {} elements of the row, at most {} fit in registers without spilling",
        c.elements_per_thread, most_elements_per_thread);
  const int busy = (hidden + c.vector_elements - 1) / c.vector_elements;
  if (c.threads_per_row > 32 && busy * 2 <= c.threads_per_row)
    return fmt::format("only {} of {} threads would have a vector of the row", busy, c.threads_per_row);
  return "";
}

/// Preference: 32 elements a thread, one block of rows per CTA (docs/kernels/rmsnorm.md has the
/// measurements).
int rank(const Config& c) {
  const int away = c.elements_per_thread > 32 ? c.elements_per_thread - 32 : 32 - c.elements_per_thread;
  return away * 4 + (c.persistent ? c.prefetch ? 1 : 2 : 0);
}

class Plan final : public kernel::KernelPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override {
    return {{"b", "rows (batch × sequence)", "8192", 1, INT64_C(1) << 30, {}},
            {"h", "hidden size: elements of a row", "8192", 1, largest_row, {}},
            {"dtype", "type of x, weight and y", "bf16", 0, 0, {"bf16", "fp16"}}};
  }

  Status check(const Params&) const override { return {}; }

  kernel::Inputs prepare_inputs(const Params& p, kernel::Fill fill, kernel::Seed seed) const override {
    const auto dtype = kernel::dtype_of(p.word("dtype"));
    kernel::Tensor x("x", dtype, {p.number("b"), p.number("h")});  // (b, h) : (h, 1)
    kernel::Tensor weight("weight", dtype, {p.number("h")});       // (h)    : (1)
    x.fill(fill, seed);
    weight.fill(fill == kernel::Fill::adversarial ? kernel::Fill::normal : fill, seed + 1);
    return {{std::move(x), std::move(weight)}};
  }

  kernel::Outputs prepare_outputs(const Params& p) const override {
    return {{kernel::Tensor("y", kernel::dtype_of(p.word("dtype")), {p.number("b"), p.number("h")})}};
  }

  kernel::Outputs reference_fn(const Params&, const kernel::Inputs& inputs) const override {
    return {{kernel::reference::rms_norm(*inputs.find("x"), *inputs.find("weight"), eps)}};
  }

  std::optional<kernel::DeviceReference> device_reference(const Params& p) const override {
    namespace ops = cutelab_reference;
    const std::int64_t rows = p.number("b"), columns = p.number("h");
    const int dtype = static_cast<int>(kernel::dtype_of(p.word("dtype")));
    kernel::DeviceReference reference;
    reference.operations = static_cast<double>(rows) * static_cast<double>(columns);
    reference.outputs.tensors = {kernel::Tensor("y", kernel::DType::fp32, {rows, columns})};
    reference.arguments = [=](const kernel::Addresses& in, const kernel::Addresses& out) {
      ops::Call call{};
      call.op = ops::Call::rows_op;
      auto& r = call.rows;
      r.x = ops::address_of(in.at("x"));
      r.weight = ops::address_of(in.at("weight"));
      r.out = reinterpret_cast<float*>(out.at("y"));
      r.rows = rows, r.columns = columns, r.eps = eps;
      r.kind = ops::Rows::rms_norm, r.x_dtype = dtype, r.weight_dtype = dtype;
      return ops::bytes_of(call);
    };
    return reference;
  }

  kernel::Tolerance tolerance(const Params& p) const override {
    const double half = kernel::spacing_at_one(kernel::dtype_of(p.word("dtype"))) / 2;
    // fp16 loses relative precision below its smallest normal number, 2^-14.
    const double floor = p.word("dtype") == "fp16" ? 0x1p-14 : 0x1p-100;
    return {
        half, half * 1.05, floor,
        fmt::format(
            "the result is rounded once to {}: at most 2^{:.0f} relative; fp32 sums add under 5 % of that",
            p.word("dtype"), std::log2(half))};
  }

  std::vector<kernel::Config> autotune_configs(const Params& p) const override {
    const int hidden = static_cast<int>(p.number("h"));
    std::vector<Config> all;
    for (int threads = 32; threads <= 1024; threads *= 2)
      for (const auto& [persistent, prefetch] :
           {std::pair{true, true}, std::pair{true, false}, std::pair{false, false}})
        all.push_back(candidate(hidden, threads, persistent, prefetch));
    std::stable_sort(all.begin(), all.end(), [&](const Config& a, const Config& b) {
      const bool a_legal = rejection(a, hidden).empty();
      const bool b_legal = rejection(b, hidden).empty();
      return a_legal != b_legal ? a_legal : rank(a) < rank(b);
    });
    std::vector<kernel::Config> configs;
    for (const Config& c : all) {
      configs.push_back(named(c));
      configs.back().rejected_because = rejection(c, hidden);
    }
    return configs;
  }

  kernel::Work algorithmic_flops_bytes(const Params& p) const override {
    const std::int64_t b = p.number("b");
    const std::int64_t h = p.number("h");
    const double elements = static_cast<double>(b) * static_cast<double>(h);
    return {{{"fp32", 4 * elements}},
            Bytes(2 * b * h * 2 + h * 2),
            "read x and weight, write y: 2·b·h·2 + h·2 bytes; 4·b·h flops"};
  }

  std::vector<Params> ragged_params(const Params& p, const kernel::Config& config) const override {
    const Config c = config_of(config);
    const std::int64_t h = p.number("h");
    std::vector<Params> all;
    const auto add = [&](std::int64_t rows, std::int64_t hidden) {
      all.push_back(p);
      all.back().set("b", rows);
      all.back().set("h", hidden);
    };
    add(1, h);
    add(17, h);  // not a multiple of rows_per_cta, fewer rows than CTAs
    add(c.rows_per_cta * 1000 + 1, std::min<std::int64_t>(h, 2048));  // several turns of a persistent CTA
    if (h > c.vector_elements) add(33, h - c.vector_elements);  // the last vector of a row is outside it
    add(5, c.vector_elements);                                  // one vector a row
    return all;
  }

  Result<kernel::CuteKernel> plan(const Params& p, const kernel::Config& config) const override;
};

Result<kernel::CuteKernel> Plan::plan(const Params& p, const kernel::Config& config) const {
  const Config c = config_of(config);
  const long long rows = p.number("b");
  const int hidden = static_cast<int>(p.number("h"));
  if (!config.legal() || c.row_capacity() < hidden || hidden % c.vector_elements != 0)
    return Error{ErrorKind::usage, "plan rmsnorm " + p.text(),
                 config.legal() ? "the configuration does not hold such a row" : config.rejected_because,
                 config.text(), "take one of the legal configurations (--dry-run lists them)"};
  kernel::CuteKernel k;
  k.device_function = "rmsnorm_kernel";
  k.defines = {
      fmt::format("RMSNORM_THREADS_PER_ROW={}", c.threads_per_row),
      fmt::format("RMSNORM_ELEMENTS_PER_THREAD={}", c.elements_per_thread),
      fmt::format("RMSNORM_ROWS_PER_CTA={}", c.rows_per_cta),
      fmt::format("RMSNORM_VECTOR_ELEMENTS={}", c.vector_elements),
      fmt::format("RMSNORM_CTAS_PER_SM={}", c.ctas_per_sm),
      fmt::format("RMSNORM_PERSISTENT={}", c.persistent ? 1 : 0),
      fmt::format("RMSNORM_PREFETCH={}", c.prefetch ? 1 : 0),
      fmt::format("RMSNORM_READ_ONCE={}", c.read_once ? 1 : 0),
      fmt::format("RMSNORM_WEIGHT_EARLY={}", c.weight_early ? 1 : 0),
      p.word("dtype") == "fp16" ? "RMSNORM_ELEMENT=cutlass::half_t" : "RMSNORM_ELEMENT=cutlass::bfloat16_t"};
  k.launch = [c, rows](int sms) {
    kernel::LaunchShape shape;
    shape.grid[0] = static_cast<unsigned>(grid(c, rows, sms));
    shape.block[0] = static_cast<unsigned>(c.block());
    return shape;
  };
  k.arguments = [rows, hidden](const kernel::Addresses& at) {
    const auto pointer = [&](const char* name) { return reinterpret_cast<void*>(at.at(name)); };
    const rmsnorm::Params arguments{pointer("x"), pointer("weight"),      pointer("y"), rows,
                                    hidden,       static_cast<float>(eps)};
    std::vector<std::byte> bytes(sizeof arguments);
    std::memcpy(bytes.data(), &arguments, sizeof arguments);
    return bytes;
  };
  return k;
}

}  // namespace
}  // namespace rmsnorm

cutelab::kernel::Package cutelab_package_rmsnorm();
cutelab::kernel::Package cutelab_package_rmsnorm() {
  cutelab::kernel::Package package;
  package.language = "cute-cpp";
  package.layer = "norm";
  package.design = "rmsnorm";
  package.version = "v0";
  package.summary =
      "RMSNorm forward: a row in registers, read once, 128-bit accesses, warp and block reduction";
  package.architectures = {"sm_90a"};
  package.plan = std::make_shared<rmsnorm::Plan>();
  return package;
}
