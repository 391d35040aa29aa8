// epilogue_gemm: problems, reference, configurations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "../../dense_gemm/dense_gemm_v8/config.h"
#include "../../dense_gemm/ladder_plan.h"
#include "params.h"

namespace epilogue_gemm {
namespace {

namespace kernel = cutelab::kernel;
using dense_gemm::problem_of;
using kernel::Fill;
using Tile = dense_gemm_v8::Config;

/// What is done to the product.
struct Wanted {
  std::string activation;
  bool bias, gated, aux, amax, residual;
  explicit Wanted(const kernel::Params& p)
      : activation(p.word("activation")),
        bias(p.word("bias") == "yes"),
        gated(p.word("gated") == "yes"),
        aux(p.word("aux") == "yes"),
        amax(p.word("amax") == "yes"),
        residual(p.number("beta") != 0) {}
};

double activated(const std::string& name, double x) {
  if (name == "relu") return std::max(x, 0.0);
  if (name == "gelu") return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
  if (name == "silu") return x / (1 + std::exp(-x));
  if (name == "softcap") return 30 * std::tanh(x / 30);
  return x;
}

/// The name of the activation in steps.cuh and user_steps.cuh.
std::string function_of(const std::string& activation) {
  if (activation == "none") return "Identity";
  std::string name = activation;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

/// `staged`: 1 = C comes and the stored product leaves through stages of the ring (steps.cuh).
kernel::Config named(const Tile& c, int staged) {
  return {{{"tile_m", Tile::tile_m},
           {"tile_n", c.tile_n},
           {"stages", c.stages},
           {"cluster_m", c.cluster_m},
           {"cluster_n", c.cluster_n},
           {"halves", c.halves},
           {"staged", staged}},
          ""};
}
Tile tile_of(const kernel::Config& c) {
  const auto number = [&](const char* name) { return static_cast<int>(c.value(name)); };
  return {number("tile_n"), 1, number("stages"), number("cluster_m"), number("cluster_n"), 0, 0, 0, 0,
          number("halves")};
}

class Plan final : public dense_gemm::LadderPlan {
 public:
  std::vector<kernel::ParameterSpec> parameters() const override {
    auto all = LadderPlan::parameters();
    for (auto& spec : all) {
      if (spec.name == "n") spec.meaning = "rows of B, columns of the product; a gated D has half of them";
      if (spec.name == "beta") spec.meaning = "factor of C, added last; 0 = C is not read";
      if (spec.name == "dtype") spec.choices = {"bf16", "fp16"};
    }
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& spec) { return spec.name == "sums"; }),
              all.end());
    const auto yes_or_no = [&](const char* name, const char* meaning) {
      all.push_back({name, meaning, "no", 0, 0, {"no", "yes"}});
    };
    all.push_back({"activation",
                   "of alpha·A·Bᵀ + bias; softcap is the example of one's own",
                   "gelu",
                   0,
                   0,
                   {"none", "relu", "gelu", "silu", "softcap"}});
    all.push_back({"bias", "added to each row of the product", "yes", 0, 0, {"no", "yes"}});
    yes_or_no("gated", "of every 16 columns the first 8 gate the others: activation(gate)·value");
    yes_or_no("aux", "the product with its bias is stored too, before the activation");
    yes_or_no("amax", "the largest |D| is returned, before D is rounded");
    return all;
  }

  cutelab::Status check(const kernel::Params& given) const override {
    const kernel::Params params = plain(given);
    if (auto s = LadderPlan::check(params); !s) return s;
    if (Wanted(given).gated && params.number("n") % 16 != 0)
      return cutelab::Error{cutelab::ErrorKind::usage, "epilogue_gemm " + given.text(),
                            "a gated product has 8 columns of gate beside 8 of value", "",
                            "make n a multiple of 16"};
    return {};
  }

  kernel::Inputs prepare_inputs(const kernel::Params& params, Fill fill, kernel::Seed seed) const override {
    const auto p = problem_of(plain(params));
    const Wanted wanted(params);
    // Activations of adversarial sums would be all 0 or all as they came.
    auto inputs =
        LadderPlan::prepare_inputs(plain(params), fill == Fill::adversarial ? Fill::normal : fill, seed);
    const auto add = [&](const char* name, std::vector<std::int64_t> shape, kernel::Seed own) {
      inputs.tensors.emplace_back(name, p.type(), std::move(shape));
      inputs.tensors.back().fill(Fill::normal, own);
    };
    if (wanted.bias) add("bias", {p.n}, seed + 3);
    if (wanted.residual) add("c", {p.batch, p.m, columns(params)}, seed + 4);
    return inputs;
  }

  kernel::Outputs prepare_outputs(const kernel::Params& params) const override {
    return outputs(params, problem_of(plain(params)).type());
  }

  kernel::Outputs reference_fn(const kernel::Params& params, const kernel::Inputs& inputs) const override {
    const auto p = problem_of(plain(params));
    const Wanted wanted(params);
    auto x = LadderPlan::reference_fn(plain(params), inputs).tensors[0];  // alpha is in it
    const auto* bias = inputs.find("bias");
    if (bias)
      for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, x.at(i) + bias->at(i % p.n));
    auto out = outputs(params, kernel::DType::fp32);
    auto& d = out.tensors[0];
    const auto* c = inputs.find("c");
    const auto beta = static_cast<double>(params.number("beta"));
    double largest = 0;
    for (std::int64_t i = 0; i < d.size(); ++i) {
      const std::int64_t gate = wanted.gated ? i / 8 * 16 + i % 8 : i;
      double y = activated(wanted.activation, x.at(gate));
      if (wanted.gated) y *= x.at(gate + 8);
      if (c) y += beta * c->at(i);
      d.set(i, y);
      largest = std::max(largest, std::abs(y));
    }
    if (wanted.amax) out.tensors.back().set(0, largest);
    if (wanted.aux) {
      x.name = "aux";
      out.tensors[1] = std::move(x);
    }
    return out;
  }
  std::optional<kernel::DeviceReference> device_reference(const kernel::Params&) const override {
    return std::nullopt;
  }

  kernel::Tolerance tolerance(const kernel::Params& params) const override {
    const auto p = problem_of(plain(params));
    const double half = kernel::spacing_at_one(p.type()) / 2;
    const auto k = static_cast<double>(p.k);
    const double alpha = std::abs(static_cast<double>(params.number("alpha")));
    // The fp32 sum as in dense_gemm, of normal values; a tanh of the hardware is within 2^-10 and multiplies
    // half of x, which is within 6 standard deviations.
    const double x = 6 * (alpha * std::sqrt(k) + 1);
    double error = (k / 16 + 1) * std::sqrt(k) * 0x1p-23 * alpha * 1.2;
    const auto& activation = params.word("activation");
    if (activation == "gelu" || activation == "silu") error += x / 2 * 0x1p-10;
    if (activation == "softcap") error += 30 * 0x1p-10;
    if (params.word("gated") == "yes") error *= 2 * x;
    return {half, half * 1.25, std::max(4 * error / half, 0x1p-14),
            fmt::format("the result is rounded once to {}; sums and activation add up to {:.2g} absolute",
                        kernel::name_of(p.type()), error)};
  }

  kernel::Work algorithmic_flops_bytes(const kernel::Params& params) const override {
    const auto p = problem_of(plain(params));
    const Wanted wanted(params);
    const std::int64_t out = p.m * columns(params);
    const std::int64_t moved =
        p.batch * (p.m * p.k + p.n * p.k + out * (wanted.residual ? 2 : 1) + (wanted.aux ? p.m * p.n : 0)) +
        (wanted.bias ? p.n : 0);
    return {{{p.dtype + "-tensor", 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) *
                                       static_cast<double>(p.k) * static_cast<double>(p.batch)}},
            cutelab::Bytes(2 * moved),
            "read A, B, bias, C, write D, aux, each once; 2·batch·m·n·k flops, the epilogue's not counted"};
  }

  /// Of configurations of one tile and cluster, the way to its end that suits what is asked for comes first.
  std::vector<kernel::Config> autotune_configs(const kernel::Params& params) const override {
    auto all = LadderPlan::autotune_configs(plain(params));
    const Wanted wanted(params);
    for (auto& config : all)
      if (config.legal()) config.rejected_because = staged_rejection(wanted, config);
    const auto place = [&](const kernel::Config& c) {
      const Tile tile = tile_of(c);
      const auto first = std::find_if(all.begin(), all.end(), [&](const kernel::Config& other) {
        const Tile o = tile_of(other);
        return o.tile_n == tile.tile_n && o.cluster_m == tile.cluster_m && o.cluster_n == tile.cluster_n;
      });
      return std::tuple{!c.legal(), first - all.begin(), preference(wanted, c)};
    };
    std::vector<std::pair<decltype(place(all[0])), kernel::Config>> placed;
    for (const auto& config : all) placed.emplace_back(place(config), config);
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::move(placed[i].second);
    return all;
  }

  std::vector<kernel::Params> ragged_params(const kernel::Params& params,
                                            const kernel::Config& config) const override {
    std::vector<kernel::Params> all;
    for (const auto& sizes : LadderPlan::ragged_params(plain(params), config)) {
      all.push_back(params);
      for (const char* name : {"m", "n", "k", "batch", "alpha", "beta"})
        all.back().set(name, sizes.number(name));
      if (Wanted(params).gated) all.back().set("n", (sizes.number("n") + 15) / 16 * 16);
    }
    return all;
  }

  cutelab::Result<kernel::CuteKernel> plan(const kernel::Params& params,
                                           const kernel::Config& config) const override {
    const Wanted wanted(params);
    if (auto wrong = staged_rejection(wanted, config); !wrong.empty())
      return cutelab::Error{cutelab::ErrorKind::usage, "plan epilogue_gemm " + params.text(), wrong,
                            config.text(), "leave staged at 0"};
    auto k = LadderPlan::plan(plain(params), config);
    if (!k) return k;
    for (const auto& [name, on] : {std::pair{"BIAS", wanted.bias},
                                   {"AUX", wanted.aux},
                                   {"RESIDUAL", wanted.residual},
                                   {"AMAX", wanted.amax},
                                   {"GATED", wanted.gated}})
      k->defines.push_back(fmt::format("EPILOGUE_{}={}", name, on ? 1 : 0));
    k->defines.push_back("EPILOGUE_ACTIVATION=" + function_of(wanted.activation));
    k->defines.push_back(fmt::format("EPILOGUE_STAGED={}", config.value("staged")));
    k->arguments = [of_gemm = k->arguments, beta = params.number("beta")](const kernel::Addresses& at) {
      const auto pointer = [&](const char* name) {
        return at.count(name) ? reinterpret_cast<void*>(at.at(name)) : nullptr;
      };
      Params arguments{};
      const auto gemm = of_gemm(at);
      std::memcpy(&arguments.gemm, gemm.data(), sizeof arguments.gemm);
      arguments.gemm.beta = static_cast<float>(beta);
      arguments.bias = pointer("bias");
      arguments.aux = pointer("aux");
      arguments.amax = static_cast<float*>(pointer("amax"));
      std::vector<std::byte> bytes(sizeof arguments);
      std::memcpy(bytes.data(), &arguments, sizeof arguments);
      return bytes;
    };
    return k;
  }

 private:
  static std::string staged_rejection(const Wanted& wanted, const kernel::Config& config) {
    return config.value("staged") != 0 && !wanted.aux && !wanted.residual
               ? "neither C nor a stored product goes through the ring"
               : "";
  }

  /// As measured (docs/kernels/epilogue_gemm.md): lower comes first.
  static int preference(const Wanted& wanted, const kernel::Config& config) {
    if (config.value("staged") != 0) return 0;
    const bool cheap = wanted.activation == "none" || wanted.activation == "relu";
    const auto by_halves = config.value("halves");
    return by_halves == 0 ? 3 : (by_halves == 1) == cheap ? 1 : 2;
  }

  /// The product alone, as dense_gemm's plans read it.
  static kernel::Params plain(const kernel::Params& params) {
    kernel::Params gemm = params;
    gemm.set("beta", std::int64_t{0});
    gemm.set("sums", std::string("fp32"));
    return gemm;
  }
  static std::int64_t columns(const kernel::Params& params) {  // of D
    return params.number("n") / (params.word("gated") == "yes" ? 2 : 1);
  }
  static kernel::Outputs outputs(const kernel::Params& params, kernel::DType type) {
    const auto p = problem_of(plain(params));
    const Wanted wanted(params);
    kernel::Outputs out;
    out.tensors.emplace_back("d", type, std::vector{p.batch, p.m, columns(params)});
    if (wanted.aux) out.tensors.emplace_back("aux", type, std::vector{p.batch, p.m, p.n});
    if (wanted.amax) out.tensors.emplace_back("amax", kernel::DType::fp32, std::vector<std::int64_t>{1});
    return out;
  }

  std::vector<kernel::Config> candidates(const dense_gemm::Problem& p) const override {
    std::vector<Tile> all;
    for (const int tile_n : {256, 128})
      for (const auto& [cluster_m, cluster_n] : {std::pair{2, 1}, {1, 2}, {1, 1}}) {
        Tile c{tile_n, 1, 0, cluster_m, cluster_n, 0, 0, 0, 0, 0};
        while (c.smem_bytes() + c.stage_bytes() <= dense_gemm_v8::smem_limit) ++c.stages;
        all.push_back(c);
      }
    // The busiest CTA's columns; ties keep the wider tile.
    const auto cost = [&](const Tile& c) {
      return dense_gemm::tiles(clusters_of(p, c), dense_gemm::ranked_for_sms / c.cluster()) * c.tile_n;
    };
    std::stable_sort(all.begin(), all.end(), [&](const Tile& a, const Tile& b) { return cost(a) < cost(b); });
    std::vector<kernel::Config> configs;
    for (Tile c : all)
      for (const auto& [by_halves, staged] : {std::pair{1, 1}, {2, 0}, {1, 0}, {0, 0}}) {
        if (by_halves > 0 && c.tile_n != 256) continue;  // not measured
        c.halves = by_halves;
        configs.push_back(named(c, staged));
      }
    return configs;
  }
  static std::int64_t clusters_of(const dense_gemm::Problem& p, const Tile& c) {
    return dense_gemm::tiles(p.m, Tile::tile_m * c.cluster_m) *
           dense_gemm::tiles(p.n, c.tile_n * c.cluster_n) * p.batch;
  }

  std::string rejection(const dense_gemm::Problem& p, const kernel::Config& config) const override {
    const Tile c = tile_of(config);
    if (c.tile_n != 128 && c.tile_n != 256)
      return fmt::format("tile_n = {}: a gated tile is halved, and leaves in slices of 64 columns", c.tile_n);
    if (c.stages < 2) return "a ring has at least two stages";
    if (c.halves < 0 || c.halves > 2) return fmt::format("halves = {}: 0, 1 or 2 stages", c.halves);
    const auto staged = config.value("staged");
    if (staged < 0 || staged > 1) return fmt::format("staged = {}: 0 or 1", staged);
    if (staged == 1 && (c.halves != 1 || c.tile_n != 256 || c.stages < 3))
      return "through the ring C comes where halves = 1, tiles have 256 columns and the ring three stages";
    if (c.halves > 0 && !p.b_k_major && c.tile_n % 128 != 0)
      return "where columns of B are contiguous, half of a tile has 64 or 128";
    if (c.cluster_m < 1 || c.cluster_n < 1 || c.cluster_m * c.cluster_n > 2)
      return fmt::format("a cluster of {}×{}: one operand is shared by two CTAs at most", c.cluster_m,
                         c.cluster_n);
    if (c.smem_bytes() > dense_gemm_v8::smem_limit)
      return fmt::format("{} bytes of shared memory, a CTA has at most {}", c.smem_bytes(),
                         dense_gemm_v8::smem_limit);
    return clusters_of(p, c) >= INT64_C(1) << 24 ? "more than 2^24 tiles" : "";
  }

  dense_gemm::Candidate describe(const dense_gemm::Problem& p, const kernel::Config& config) const override {
    const Tile c = tile_of(config);
    dense_gemm::Candidate chosen;
    chosen.config = config;
    chosen.defines = dense_gemm::defines_of(config, {"tile_n", "stages", "cluster_m", "cluster_n", "halves"});
    for (const char* fixed :
         {"GEMM_LINES=1", "GEMM_DYNAMIC=0", "GEMM_GAIN=0", "GEMM_ROW_CONTIGUOUS=0", "GEMM_PROMOTE=0"})
      chosen.defines.emplace_back(fixed);
    chosen.block = static_cast<unsigned>(c.block());
    chosen.smem_bytes = static_cast<unsigned>(c.smem_bytes());
    chosen.cluster = static_cast<unsigned>(c.cluster());
    chosen.clusters_of_work = clusters_of(p, c);
    chosen.persistent = true;
    chosen.tile_group = 16 / c.cluster_m;
    return chosen;
  }
};

}  // namespace
}  // namespace epilogue_gemm

cutelab::kernel::Package cutelab_package_epilogue_gemm();
cutelab::kernel::Package cutelab_package_epilogue_gemm() {
  auto package = dense_gemm::package_of(
      "v0", "GEMM with an epilogue of steps: bias, activation or gate, residual, stored product, amax",
      std::make_shared<epilogue_gemm::Plan>());
  package.design = "epilogue_gemm";
  return package;
}
