// Plans of the whole ladder without a GPU: what they say must hold for every problem in their legal range.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>

#include "../tile_order.h"
#include "../work_split.h"
#include "kernel/registry.h"
#include "support/truncated_sums.h"

namespace {

using namespace cutelab;
using namespace cutelab::kernel;

std::vector<Package> ladder() {
  std::vector<Package> found;
  for (auto& package : all_packages())
    if (package.design == "dense_gemm") found.push_back(package);
  return found;
}

using Given = std::vector<std::pair<std::string, std::string>>;
kernel::Params problem(const KernelPlan& plan, const Given& given) {
  auto p = parse_parameters("dense_gemm", plan.parameters(), given);
  EXPECT_TRUE(p) << p.error().message();
  return *p;
}

TEST(DenseGemm, TheLadderHasEveryRung) {
  std::set<std::string> versions;
  for (const auto& package : ladder()) versions.insert(package.version);
  for (const char* version : {"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "best"})
    EXPECT_TRUE(versions.count(version)) << version;
}

TEST(DenseGemm, ReferenceByHand) {
  const auto package = ladder().front();
  for (const auto& [a, b] : {std::pair{"k", "k"}, {"m", "n"}, {"k", "n"}, {"m", "k"}}) {
    const auto p = problem(*package.plan, {{"m", "8"},
                                           {"n", "8"},
                                           {"k", "8"},
                                           {"batch", "2"},
                                           {"alpha", "2"},
                                           {"beta", "-1"},
                                           {"a", a},
                                           {"b", b}});
    auto inputs = package.plan->prepare_inputs(p, Fill::uniform, 1);
    for (auto& tensor : inputs.tensors)
      for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, 0);
    // Batch 1: A[3][5] = 4, B[6][5] = 0.5, C[3][6] = 7; everything else 0.
    inputs.tensors[0].set(64 + (a[0] == 'k' ? 3 * 8 + 5 : 5 * 8 + 3), 4);
    inputs.tensors[1].set(64 + (b[0] == 'k' ? 6 * 8 + 5 : 5 * 8 + 6), 0.5);
    inputs.tensors[2].set(64 + 3 * 8 + 6, 7);
    const auto d = package.plan->reference_fn(p, inputs).tensors[0];
    for (std::int64_t i = 0; i < d.size(); ++i)
      EXPECT_EQ(d.at(i), i == 64 + 3 * 8 + 6 ? 2 * 2.0 - 7 : 0) << a << b << d.coordinates(i);
  }
}

TEST(DenseGemm, ReferenceAgainstPlainDoubleSums) {
  const auto package = ladder().front();
  const auto p = problem(*package.plan, {{"m", "5"}, {"n", "72"}, {"k", "200"}});
  const auto inputs = package.plan->prepare_inputs(p, Fill::adversarial, 3);
  const auto d = package.plan->reference_fn(p, inputs).tensors[0];
  for (std::int64_t m = 0; m < 5; ++m)
    for (std::int64_t n = 0; n < 72; ++n) {
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < 200; ++k) {
        const double product = inputs.tensors[0].at(m * 200 + k) * inputs.tensors[1].at(n * 200 + k);
        sum += product;
        size += std::abs(product);
      }
      EXPECT_NEAR(d.at(m * 72 + n), sum, size * 0x1p-22);
    }
}

TEST(DenseGemm, TheReferenceRoundedOnceIsWithinTheTolerance) {
  const auto package = ladder().front();
  for (const char* dtype : {"bf16", "fp16"})
    for (const auto fill : {Fill::uniform, Fill::normal, Fill::adversarial}) {
      const auto p = problem(*package.plan, {{"m", "40"}, {"n", "64"}, {"k", "264"}, {"dtype", dtype}});
      const auto reference =
          package.plan->reference_fn(p, package.plan->prepare_inputs(p, fill, 5)).tensors[0];
      auto rounded = package.plan->prepare_outputs(p).tensors[0];
      for (std::int64_t i = 0; i < rounded.size(); ++i) rounded.set(i, reference.at(i));
      const auto tolerance = package.plan->tolerance(p);
      EXPECT_TRUE(compare(rounded, reference, tolerance).passed) << dtype;
      // One product left out of one sum must show.
      if (fill == Fill::adversarial) continue;
      rounded.set(100, reference.at(100) + 1);
      EXPECT_FALSE(compare(rounded, reference, tolerance).passed) << dtype;
    }
}

TEST(DenseGemm, SumsThatDropBitsAreWithinTheTolerance) {
  const auto package = ladder().front();
  for (const std::int64_t k : {512, 4096}) {
    const auto p = problem(*package.plan, {{"m", "48"}, {"n", "48"}, {"k", std::to_string(k)}});
    const auto inputs = package.plan->prepare_inputs(p, Fill::adversarial, 7);
    auto out = package.plan->prepare_outputs(p).tensors[0];
    const double dropped =
        kernel::testing::multiply_dropping_bits(inputs.tensors[0], inputs.tensors[1], k, out);
    const auto tolerance = package.plan->tolerance(p);
    const auto report = compare(out, package.plan->reference_fn(p, inputs).tensors[0], tolerance);
    EXPECT_TRUE(report.passed) << report.text;
    const double allowed = tolerance.floor * tolerance.relative_norm / 4;
    EXPECT_LT(dropped, allowed);
    EXPECT_GT(dropped, allowed / 10) << "what is allowed for sums is not slack";
    EXPECT_NE(tolerance.reason.find("root mean square 10.9"), std::string::npos) << tolerance.reason;
  }
}

// Every problem has a configuration, in every version; rejected ones say why; legal ones come first and can
// be planned.
TEST(DenseGemm, EveryProblemHasALegalConfiguration) {
  const std::vector<std::tuple<int, int, int>> shapes = {
      {4096, 4096, 4096}, {8192, 1024, 8192}, {16, 8192, 8192},      {1, 8, 8},      {2112, 7168, 4096},
      {128, 7168, 16384}, {1048576, 256, 64}, {8, 1048576, 1048576}, {200, 488, 264}};
  for (const auto& package : ladder())
    for (const auto& [m, n, k] : shapes)
      for (const char* b : {"k", "n"}) {
        const auto p =
            problem(*package.plan,
                    {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}, {"b", b}});
        EXPECT_TRUE(package.plan->check(p));
        const auto configs = package.plan->autotune_configs(p);
        ASSERT_FALSE(configs.empty());
        EXPECT_TRUE(configs[0].legal())
            << package.title() << " " << p.text() << ": " << configs[0].rejected_because;
        bool rejected = false;
        for (const auto& config : configs) {
          rejected |= !config.legal();
          EXPECT_EQ(rejected, !config.legal()) << "legal ones come first";
          auto kernel = package.plan->plan(p, config);
          EXPECT_EQ(static_cast<bool>(kernel), config.legal());
          if (!config.legal()) continue;
          const auto shape = kernel->launch(132);
          EXPECT_GE(shape.grid[0], 1U);
          EXPECT_EQ(shape.grid[0] % shape.cluster[0], 0U);
          EXPECT_LE(shape.dynamic_smem_bytes, 232448U);
          for (const auto& ragged : package.plan->ragged_params(p, config)) {
            EXPECT_TRUE(package.plan->check(ragged)) << ragged.text();
            EXPECT_TRUE(package.plan->plan(ragged, config)) << package.title() << " " << ragged.text();
          }
        }
      }
}

// A tail that is dropped, and steps beyond the end, show where k is just below or above what fills the ring
// once, and in the second batch.
TEST(DenseGemm, ChecksLookAroundTheRingAndBeyondOneBatch) {
  for (const auto& package : ladder()) {
    const auto p = problem(*package.plan, {});
    const auto config = package.plan->autotune_configs(p)[0];
    const auto stages = config.values.find("stages"), depth = config.values.find("stage_k");
    const std::int64_t ring = (stages == config.values.end() ? 1 : stages->second) *
                              (depth == config.values.end() ? 64 : depth->second);
    std::set<std::int64_t> seen;
    for (const auto& ragged : package.plan->ragged_params(p, config))
      if (ragged.number("batch") > 1) seen.insert(ragged.number("k"));
    for (const std::int64_t k : {ring - 8, ring, ring + 8})
      EXPECT_TRUE(seen.count(k)) << package.title() << " k=" << k;
  }
}

TEST(DenseGemm, StridesThatTmaCannotTakeAreRefusedWithTheRemedy) {
  const auto package = ladder().front();
  const KernelPlan& plan = *package.plan;
  for (const auto& given :
       {Given{{"n", "100"}, {"k", "64"}}, Given{{"k", "100"}}, Given{{"m", "100"}, {"a", "m"}}}) {
    const auto status = plan.check(problem(plan, given));
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message().find("pad"), std::string::npos) << status.error().message();
    EXPECT_NE(status.error().message().find("104"), std::string::npos) << status.error().message();
  }
  EXPECT_TRUE(plan.check(problem(plan, {{"m", "1"}, {"n", "8"}, {"k", "8"}})));
  EXPECT_TRUE(plan.check(problem(plan, {{"m", "8"}, {"n", "8"}, {"k", "1"}, {"a", "m"}, {"b", "n"}})));
}

// The estimate behind v6's order prefers what was measured fastest (docs/kernels/dense_gemm.md).
TEST(DenseGemm, SkinnyProblemsGetTheMeasuredConfigurations) {
  const auto package = *find_package(all_packages(), "dense_gemm", "v6");
  const auto first = [&](const char* m, const char* n, const char* k) {
    return package.plan->autotune_configs(problem(*package.plan, {{"m", m}, {"n", n}, {"k", k}}))[0];
  };
  const auto sixteen = first("16", "8192", "8192");
  EXPECT_EQ(sixteen.value("row_contiguous"), 1);
  EXPECT_EQ(sixteen.value("tile_n"), 16);
  EXPECT_EQ(sixteen.value("splits"), 1);
  const auto wide = first("128", "7168", "16384");
  EXPECT_EQ(wide.value("tile_m"), 128);
  EXPECT_EQ(wide.value("tile_n"), 112);
  EXPECT_EQ(wide.value("splits"), 2);
}

// Post-condition of TileOrder: at() is a bijection from [0, count()) onto the tiles; it stays within `group`
// rows as long as the group has tiles.
TEST(DenseGemm, TileOrderVisitsEveryTileOnce) {
  for (const int rows : {1, 2, 7, 16, 17, 64})
    for (const int columns : {1, 3, 28})
      for (const int group : {1, 4, 8, 16, 100}) {
        const dense_gemm::TileOrder order{rows, columns, 2, group};
        std::set<std::tuple<int, int, int>> seen;
        for (int i = 0; i < order.count(); ++i) {
          const auto tile = order.at(i);
          EXPECT_TRUE(tile.m >= 0 && tile.m < rows && tile.n >= 0 && tile.n < columns);
          EXPECT_EQ(tile.batch, i / (rows * columns));
          EXPECT_EQ(tile.m / group, i % (rows * columns) / (group * columns));
          seen.insert({tile.m, tile.n, tile.batch});
        }
        EXPECT_EQ(static_cast<int>(seen.size()), order.count());
      }
}

// Post-condition of WorkSplit: the items' pieces are every stage of every block once, in order; the segments
// of a cut block are found from first_segment() on; no more partial sums than two places a segment.
TEST(DenseGemm, WorkSplitHandsOutEveryStageOnce) {
  for (const int blocks : {1, 17, 64, 65, 66, 67, 131, 300})
    for (const int depth : {1, 3, 9, 16, 64, 257})
      for (const int clusters : {1, 3, 66, 132})
        for (const int gain : {0, 1, 4, 16}) {
          const auto work = dense_gemm::WorkSplit::of(blocks, depth, clusters, gain);
          if (gain == 0 || blocks % clusters == 0) {
            EXPECT_EQ(work.count(), blocks);
          }
          int at = 0;
          std::map<int, std::set<int>> cut_by;  // block -> segments
          std::set<std::pair<int, bool>> places;
          for (int item = 0; item < work.count(); ++item) {
            ASSERT_EQ(work.begin(item), at);
            while (at < work.end(item)) {
              const auto piece = work.piece(at, work.end(item));
              ASSERT_EQ(piece.block * depth + piece.k_begin, at);
              ASSERT_GT(piece.depth(), 0);
              ASSERT_LE(piece.k_end, depth);
              at += piece.depth();
              if (piece.depth() == depth) continue;
              const int segment = item - work.whole;
              ASSERT_GE(segment, 0) << "only segments cut a block";
              cut_by[piece.block].insert(segment);
              const bool later = work.boundary(segment) < piece.block * depth;
              EXPECT_TRUE(places.insert({segment, later}).second) << "two partial sums in one place";
            }
          }
          EXPECT_EQ(at, blocks * depth);
          for (const auto& [block, segments] : cut_by) {
            std::set<int> found;
            for (int s = work.first_segment(block); work.boundary(s) < (block + 1) * depth; ++s)
              if (work.boundary(s) != work.boundary(s + 1)) found.insert(s);
            EXPECT_EQ(found, segments)
                << "blocks " << blocks << " depth " << depth << " clusters " << clusters;
          }
        }
}

TEST(DenseGemm, TheNameAloneChoosesByShape) {
  const auto best = *find_package(all_packages(), "dense_gemm", "");
  EXPECT_EQ(best.version, "best");
  const auto version = [&](const Given& given) {
    const auto configs = best.plan->autotune_configs(problem(*best.plan, given));
    EXPECT_TRUE(configs[0].legal());
    return configs[0].value("version");
  };
  EXPECT_EQ(version({{"m", "16"}, {"n", "8192"}, {"k", "8192"}}), 6);
  EXPECT_EQ(version({}), 8);
  const Given six = {{"m", "6144"}, {"n", "6144"}, {"k", "6144"}};
  EXPECT_EQ(version(six), 8);
  const auto of = [&](Given given, const char* sums) {
    if (*sums) given.insert(given.end(), {{"dtype", "e4m3"}, {"sums", sums}});
    return best.plan->autotune_configs(problem(*best.plan, given))[0];
  };
  for (const char* sums : {"", "fast", "fp32"}) {
    EXPECT_EQ(of(six, sums).value("tile_n"), 256) << sums;
    EXPECT_EQ(of(six, sums).value("halves"), 2) << sums;
    EXPECT_EQ(of({}, sums).value("halves"), 2) << sums;
    EXPECT_EQ(of({}, sums).value("dynamic"), 0) << sums;
  }
  EXPECT_EQ(of({}, "fp32").value("promote"), 2);
  const Given two_turns = {{"m", "8192"}, {"n", "1024"}, {"k", "8192"}};
  EXPECT_EQ(of(two_turns, "").value("halves"), 0) << "two tiles do not pay for reading A twice";
  EXPECT_EQ(of({{"m", "2112"}, {"n", "7168"}}, "fast").value("tile_n"), 240);
  EXPECT_EQ(of({{"m", "16"}, {"n", "8192"}, {"k", "8192"}}, "fast").value("version"), 6);
  EXPECT_FALSE(best.plan->plan(problem(*best.plan, {}), Config{{{"version", 3}}, ""}));
}

// The kernels that learning paths name are there.
TEST(DenseGemm, LearningPathsNamePackagesThatExist) {
  std::ifstream file(CUTELAB_SOURCE_DIR "/data/learning_paths.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::regex named("\"package\": \\{\"hopper\": \"(\\w+) (\\w+)\"\\}");
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it, ++found)
    EXPECT_TRUE(find_package(all_packages(), (*it)[1], (*it)[2])) << it->str();
  EXPECT_GE(found, 8);
}

TEST(DenseGemm, NarrowOperandsAreRefusedWithTheReason) {
  const auto v5 = *find_package(all_packages(), "dense_gemm", "v5");
  const auto narrow = problem(*v5.plan, {{"dtype", "e4m3"}});
  EXPECT_NE(v5.plan->autotune_configs(narrow)[0].rejected_because.find("e4m3"), std::string::npos);
  const auto v8 = *find_package(all_packages(), "dense_gemm", "v8");
  EXPECT_FALSE(v8.plan->check(problem(*v8.plan, {{"dtype", "e4m3"}, {"k", "24"}})));
  EXPECT_FALSE(v8.plan->check(problem(*v8.plan, {{"dtype", "e4m3"}, {"b", "n"}})));
  const auto promotes = [&](const char* sums) {
    return v8.plan->autotune_configs(problem(*v8.plan, {{"dtype", "e4m3"}, {"sums", sums}}))[0].value(
        "promote");
  };
  EXPECT_EQ(promotes("fast"), 0);
  EXPECT_GT(promotes("fp32"), 0);
  for (const Config& by_halves : v8.plan->autotune_configs(narrow))
    if (by_halves.value("halves") > 0 && by_halves.legal()) {
      EXPECT_EQ(by_halves.value("promote"), by_halves.value("halves"));
      EXPECT_EQ(by_halves.value("dynamic") + by_halves.value("gain"), 0);
    }
}

// What by_halves.cuh was not built for is refused with the reason.
TEST(DenseGemm, HalvesOfWhatCannotBeHalvedAreRefused) {
  const auto v8 = *find_package(all_packages(), "dense_gemm", "v8");
  const auto plan = [&](const Given& given, const Given& changed) {
    const auto p = problem(*v8.plan, given);
    Config config = v8.plan->autotune_configs(p)[0];
    EXPECT_EQ(config.value("halves"), 2);
    for (const auto& [name, value] : changed) config.values[name] = std::stoi(value);
    const auto planned = v8.plan->plan(p, config);
    return planned ? std::string() : planned.error().wrong;
  };
  EXPECT_EQ(plan({}, {}), "");
  EXPECT_NE(plan({}, {{"halves", "3"}}).find("0, 1 or 2"), std::string::npos);
  EXPECT_NE(plan({}, {{"dynamic", "1"}}).find("fixed order"), std::string::npos);
  EXPECT_NE(plan({{"b", "n"}}, {{"tile_n", "192"}}).find("half of a tile"), std::string::npos);
  EXPECT_NE(plan({{"dtype", "e4m3"}}, {{"promote", "1"}}).find("after as many"), std::string::npos);
}

// Skinny e4m3: a line of 256 bytes a stage as for two-byte elements; with fp32 sums every stage is promoted.
TEST(DenseGemm, SkinnyNarrowOperandsHaveTheirOwnStages) {
  const auto v6 = *find_package(all_packages(), "dense_gemm", "v6");
  for (const char* sums : {"fast", "fp32"}) {
    const auto p =
        problem(*v6.plan, {{"m", "16"}, {"n", "8192"}, {"k", "8192"}, {"dtype", "e4m3"}, {"sums", sums}});
    Config first = v6.plan->autotune_configs(p)[0];
    ASSERT_TRUE(first.legal());
    EXPECT_EQ(first.value("stage_k"), 256);
    EXPECT_EQ(first.value("promote"), std::string(sums) == "fp32");
    for (const auto& ragged : v6.plan->ragged_params(p, first)) {
      EXPECT_TRUE(v6.plan->check(ragged)) << ragged.text();
      EXPECT_TRUE(v6.plan->plan(ragged, first)) << ragged.text();
    }
    first.values["promote"] = !first.value("promote");
    EXPECT_FALSE(v6.plan->plan(p, first));
  }
}

TEST(DenseGemm, ReferenceOfNarrowOperandsHasTheirScales) {
  const auto v8 = *find_package(all_packages(), "dense_gemm", "v8");
  const auto p = problem(*v8.plan, {{"m", "8"}, {"n", "8"}, {"k", "16"}, {"dtype", "e4m3"}});
  const auto inputs = v8.plan->prepare_inputs(p, Fill::uniform, 3);
  const auto d = v8.plan->reference_fn(p, inputs).tensors[0];
  double sum = 0;
  for (std::int64_t k = 0; k < 16; ++k)
    sum += inputs.find("a")->at(2 * 16 + k) * inputs.find("b")->at(5 * 16 + k);
  EXPECT_NEAR(d.at(2 * 8 + 5), sum * inputs.find("scale_a")->at(0) * inputs.find("scale_b")->at(0), 1e-5);
  EXPECT_EQ(v8.plan->prepare_outputs(p).tensors[0].dtype, DType::bf16);
}

TEST(DenseGemm, WorkIsEachOperandOnce) {
  const auto package = ladder().front();
  const KernelPlan& plan = *package.plan;
  const auto work =
      plan.algorithmic_flops_bytes(problem(plan, {{"m", "16"}, {"n", "32"}, {"k", "64"}, {"batch", "3"}}));
  EXPECT_EQ(work.compulsory.count(), 3 * 2 * (16 * 64 + 32 * 64 + 16 * 32));
  EXPECT_DOUBLE_EQ(work.flops.at("bf16-tensor"), 3 * 2.0 * 16 * 32 * 64);
}

}  // namespace
