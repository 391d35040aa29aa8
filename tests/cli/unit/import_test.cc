// What an import infers: which options are parameters, what a call computes, what a package is called.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "cli/import_operator.h"
#include "cli/import_probe.h"
#include "cli/import_write.h"
#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {

using kernel::ExportedCall;

ExportedCall::Tensor tensor(const std::string& name, std::vector<std::int64_t> shape) {
  ExportedCall::Tensor made;
  made.name = name;
  made.dtype = "Float16";
  made.stride.assign(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) made.stride[i - 1] = made.stride[i] * shape[i];
  made.shape = std::move(shape);
  return made;
}

ExportedCall::Flag flag(const std::string& option, const std::string& kind, const std::string& value,
                        std::vector<std::string> choices = {}) {
  ExportedCall::Flag made;
  made.option = option;
  made.kind = kind;
  made.value = value;
  made.has_value = true;
  made.choices = std::move(choices);
  return made;
}

/// A program with --mnk, --tile (a power of two from 64 on), --dtype, --iterations.
class Program final : public kernel::Exporter {
 public:
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
    long long m = 128, n = 128, k = 128, tile = 128;
    bool half = true;
    std::string left = "f", right = "f";
    for (const std::string& word : wanted.flags) {
      std::sscanf(word.c_str(), "--mnk=%lld,%lld,%lld", &m, &n, &k);
      std::sscanf(word.c_str(), "--tile=%lld", &tile);
      if (word == "--dtype=bf16") half = false;
      if (word.starts_with("--left=")) left = word.substr(7);
      if (word.starts_with("--right=")) right = word.substr(8);
    }
    if (left != right) return Error{ErrorKind::usage, "export", "both sides alike", "", ""};
    if (tile < 128) return Error{ErrorKind::usage, "export", "the tile is too small", "", ""};
    kernel::Exported made;
    made.call.tensors = {tensor("x", {m, k}), tensor("y", {n, k}), tensor("z", {m, n})};
    if (!half)
      for (auto& t : made.call.tensors) t.dtype = "BFloat16";
    made.call.device_code_sha256 = std::to_string(tile) + left;
    made.call.flags = {flag("--mnk", "integers", "128,128,128"),
                       flag("--tile", "integer", "128"),
                       flag("--dtype", "word", "fp16", {"fp16", "bf16"}),
                       flag("--iterations", "integer", "10"),
                       flag("--tolerance", "real", "0.1"),
                       flag("--check", "switch", "False"),
                       flag("--left", "word", "f", {"e", "f"}),
                       flag("--right", "word", "f", {"e", "f"})};
    return made;
  }
};

class Probe : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProbeRequest request{program, {"p.py", "", {}, "sm_90a"}, 2, {}};
    base = program.get(request.base)->call;
    flags = probe_flags(request, base, {"check"}, description.passed_over);
    describe_parameters(flags, description);
  }
  Program program;
  ExportedCall base;
  kernel::PackageDescription description;
  std::vector<ProbedFlag> flags;
};

TEST_F(Probe, AnOptionIsWhatItChanges) {
  std::vector<std::string> problem, configuration;
  for (const auto& p : description.parameters) problem.push_back(p.name);
  for (const auto& p : description.configuration) configuration.push_back(p.name);
  EXPECT_EQ(problem, (std::vector<std::string>{"m", "n", "k", "dtype", "left", "right"}));
  EXPECT_EQ(configuration, (std::vector<std::string>{"tile"}));
  EXPECT_EQ(description.passed_over, (std::vector<std::string>{"--tolerance: a real number; it stays 0.1",
                                                               "--iterations: changes nothing of the call",
                                                               "--check: changes nothing of the call"}));
}

TEST_F(Probe, WordsThatOnlyGoTogetherAreFoundTogether) {
  const auto& right = description.parameters.back();
  EXPECT_EQ(right.name, "right");
  EXPECT_EQ(right.choices, (std::vector<std::string>{"f", "e"}));
}

/// Takes its two letters only as "NT" or "TN".
class Letters final : public kernel::Exporter {
 public:
  Result<kernel::Exported> get(const kernel::ExportWanted& wanted) const override {
    std::string a = "N", b = "T";
    for (const std::string& word : wanted.flags) {
      if (word.starts_with("argv[1]=")) a = word.substr(8);
      if (word.starts_with("argv[2]=")) b = word.substr(8);
    }
    if (a == b) return Error{ErrorKind::usage, "export", "it launches nothing", "", ""};
    kernel::Exported made;
    made.call.tensors = {
        tensor("x", a == "N" ? std::vector<std::int64_t>{4, 8} : std::vector<std::int64_t>{8, 4})};
    made.call.flags = {flag("argv[1]", "word", "N", {"N", "T"}), flag("argv[2]", "word", "T", {"N", "T"})};
    made.call.flags[0].destination = "transA";
    made.call.flags[1].destination = "transB";
    return made;
  }
};

TEST(Probing, DifferentWordsThatOnlyGoTogetherAreFoundTogether) {
  const Letters program;
  const ProbeRequest request{program, {"p.cu", "", {}, "sm_90a"}, 2, {}};
  kernel::PackageDescription description;
  describe_parameters(probe_flags(request, program.get(request.base)->call, {}, description.passed_over),
                      description);
  ASSERT_EQ(description.parameters.size(), 2u);
  EXPECT_EQ(description.parameters[0].name, "transA");
  EXPECT_EQ(description.parameters[0].choices, (std::vector<std::string>{"N", "T"}));
  EXPECT_EQ(description.parameters[1].choices, (std::vector<std::string>{"T", "N"}));
}

TEST_F(Probe, ConfigurationsKeepTheProgramsWords) {
  ASSERT_EQ(description.configurations.size(), 3u);
  EXPECT_EQ(description.configurations[0].values.at("tile"), 128);
  for (const auto& c : description.configurations)
    EXPECT_EQ(c.rejected_because, c.values.at("tile") == 64 ? "the tile is too small" : "");
}

TEST_F(Probe, EqualExtentsAreToldApartByWhatMovesThem) {
  const auto guess = guess_operator(base, flags, "thing", "");
  ASSERT_EQ(guess.op.name, "gemm");
  EXPECT_EQ(guess.op.roles.at("a").modes, (std::vector<std::string>{"m", "k"}));
  EXPECT_EQ(guess.op.roles.at("b").modes, (std::vector<std::string>{"n", "k"}));
  EXPECT_EQ(guess.op.roles.at("d").modes, (std::vector<std::string>{"m", "n"}));
}

TEST(Names, OfComponents) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(component_names("--mnkl", 4), (Words{"m", "n", "k", "l"}));
  EXPECT_EQ(component_names("--tile_shape_mn", 2), (Words{"tile_shape_m", "tile_shape_n"}));
  EXPECT_EQ(component_names("--cluster", 2), (Words{"cluster_0", "cluster_1"}));
  EXPECT_EQ(component_names("--aa", 2), (Words{"aa_0", "aa_1"})) << "a letter twice is no name";
}

ExportedCall call_of(std::vector<ExportedCall::Tensor> tensors) {
  ExportedCall call;
  call.tensors = std::move(tensors);
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    call.tensors[i].buffer = static_cast<int>(i);
    call.buffers.push_back(1);
  }
  return call;
}

TEST(Guess, OperatorsOfRowsNeedAWord) {
  const auto call = call_of({tensor("a", {64, 64}), tensor("b", {64, 64}), tensor("c", {64, 64})});
  std::vector<ProbedFlag> flags(1);
  flags[0].parameter.name = "m";
  for (const auto& t : call.tensors) flags[0].scaled[t.name] = {0};
  EXPECT_EQ(guess_operator(call, flags, "elementwise_add", "").op.name, "add");
  const auto unknown = guess_operator(call, flags, "mystery", "");
  EXPECT_FALSE(unknown.op.known());
  ASSERT_EQ(unknown.undetermined.size(), 1u);
  EXPECT_NE(unknown.undetermined[0].find("(a, b, c)"), std::string::npos);
  EXPECT_EQ(guess_operator(call, {}, "mystery", "").op.name, "gemm")
      << "nothing moves: the usual order, said so";
}

TEST(Guess, ANumberThatTheProgramDoesNotNameIsAskedFor) {
  auto call = call_of({tensor("x", {4, 8}), tensor("w", {8}), tensor("y", {4, 8})});
  auto guess = guess_operator(call, {}, "rmsnorm", "");
  EXPECT_FALSE(guess.op.known());
  EXPECT_NE(guess.undetermined.at(0).find("operator.numbers.eps"), std::string::npos);
  call.attributes["eps"] = "1e-06";
  guess = guess_operator(call, {}, "rmsnorm", "");
  EXPECT_EQ(guess.op.name, "rms_norm");
  EXPECT_EQ(guess.op.numbers.at("eps"), 1e-6);
}

TEST(Guess, ANumberThatTakesPartIsNotPassedOver) {
  auto call = call_of({tensor("x", {4, 8}), tensor("y", {4, 8})});
  EXPECT_EQ(guess_operator(call, {}, "tma_copy", "").op.name, "copy");
  call.attributes["alpha"] = "2.0";
  call.attributes["tile"] = "64";
  const auto scaled = guess_operator(call, {}, "tma_copy", "");
  EXPECT_EQ(scaled.op.name, "scale");
  EXPECT_EQ(scaled.op.numbers.at("alpha"), 2.0);
  EXPECT_FALSE(guess_operator(call, {}, "softmax", "").op.known());
  EXPECT_EQ(guess_operator(call, {}, "softmax", "softmax").op.name, "softmax")
      << "who names it answers for it";
  call.attributes.clear();
  call.arguments.resize(1);
  call.arguments[0].name = "beta";
  call.arguments[0].type = "float";
  const auto unknown = guess_operator(call, {}, "tma_copy", "");
  EXPECT_FALSE(unknown.op.known());
  EXPECT_NE(unknown.undetermined.at(0).find("beta"), std::string::npos);
}

TEST(Guess, ANamedOperatorHasToFit) {
  const auto call = call_of({tensor("x", {4, 8}), tensor("y", {4, 8})});
  EXPECT_EQ(guess_operator(call, {}, "", "softmax").op.name, "softmax");
  const auto guess = guess_operator(call, {}, "", "rms_norm");
  EXPECT_FALSE(guess.op.known());
  EXPECT_FALSE(guess.undetermined.empty());
}

TEST(Guess, TheOutputIsWhatTheKernelWrites) {
  auto call = call_of(
      {tensor("d", {64, 32}), tensor("a", {64, 16}), tensor("b", {32, 16}), tensor("spare", {64, 16})});
  call.uses_known = true;
  call.tensors[0].written = true;
  call.tensors[1].read = call.tensors[2].read = true;
  const auto guess = guess_operator(call, {}, "thing", "");
  EXPECT_EQ(guess.op.name, "gemm");
  EXPECT_EQ(guess.op.roles.at("d").tensor, "d");
  EXPECT_EQ(guess.op.roles.at("a").tensor, "a");
  const auto says_read = [](const OperatorGuess& one) {
    return std::any_of(one.assumed.begin(), one.assumed.end(), [](const std::string& line) {
      return line.find("tensor d is read as well as written") != std::string::npos;
    });
  };
  EXPECT_FALSE(says_read(guess));
  call.tensors[0].read = true;
  EXPECT_TRUE(says_read(guess_operator(call, {}, "thing", ""))) << "what is in it before may take part";
  call.writes_elsewhere = 1;
  const auto more = guess_operator(call, {}, "thing", "");
  EXPECT_FALSE(more.op.known());
  EXPECT_NE(more.undetermined.at(0).find("memory of none of its tensors in 1 place"), std::string::npos);
}

TEST(Guess, ASummandOfAProductHasTheResultsExtents) {
  auto call =
      call_of({tensor("a", {64, 16}), tensor("b", {32, 16}), tensor("c", {64, 32}), tensor("d", {64, 32})});
  call.attributes = {{"alpha", "2.0"}, {"beta", "0.5"}};
  const auto guess = guess_operator(call, {}, "thing", "");
  EXPECT_EQ(guess.op.name, "gemm");
  EXPECT_EQ(guess.op.roles.at("c").tensor, "c");
  EXPECT_EQ(guess.op.numbers.at("beta"), 0.5);
  EXPECT_FALSE(guess_operator(call, {}, "gemm_gelu", "").op.known())
      << "what follows the product is not known";
}

TEST(Guess, AttentionsModesComeFromStridesAndOptions) {
  // (tokens, elements, group, heads, batch), batches farthest apart.
  const auto tokens = [](const std::string& name, std::int64_t count, std::int64_t group) {
    auto made = tensor(name, {count, 64, group, 2, 3});
    made.stride = {64 * 2 * group, 1, 64, 64 * group, 64 * 2 * group * count};
    return made;
  };
  auto call = call_of({tokens("q", 40, 4), tokens("k", 56, 1), tokens("v", 56, 1), tokens("o", 40, 4),
                       tensor("lse", {40, 8})});
  call.uses_known = true;
  for (std::size_t i = 0; i < 5; ++i) (i < 3 ? call.tensors[i].read : call.tensors[i].written) = true;
  call.attributes = {{"softmax_scale", "0.125"}};
  const auto guess = guess_operator(call, {}, "fmha", "");
  ASSERT_EQ(guess.op.name, "attention") << (guess.undetermined.empty() ? "" : guess.undetermined[0]);
  EXPECT_EQ(guess.op.roles.at("q").modes, (std::vector<std::string>{"query", "d", "group", "head", "batch"}));
  EXPECT_EQ(guess.op.roles.at("v").modes, (std::vector<std::string>{"key", "dv", "head", "head", "batch"}));
  EXPECT_EQ(guess.op.roles.at("o").tensor, "o");
  EXPECT_EQ(guess.op.numbers.at("scale"), 0.125);
  OperatorGuess masked = guess;
  take_mask("ref = attention(q, k, v)", masked);
  EXPECT_EQ(masked.op.numbers.count("causal_from_start"), 0u) << "the mask ends at the last key";
  take_mask("ref = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)", masked);
  EXPECT_EQ(masked.op.numbers.at("causal_from_start"), 1);
  EXPECT_EQ(masked.assumed.size(), guess.assumed.size() + 1);
  call.attributes["window"] = "1.5";
  EXPECT_FALSE(guess_operator(call, {}, "fmha", "").op.known()) << "a number that nobody knows";
}

TEST(Settled, WhatChangesTheResultIsTheProblems) {
  auto call = call_of({tensor("x", {4, 8}), tensor("w", {8}), tensor("y", {4, 8})});
  call.attributes = {{"eps", "1e-06"}, {"norm_type", "\"rms\""}};
  call.flags = {flag("--norm_type", "word", "rms", {"rms", "layer"}), flag("--eps", "switch", "True")};
  call.flags[0].destination = "norm_type";
  call.flags[1].destination = "eps";
  kernel::PackageDescription d;
  d.op = guess_operator(call, {}, words_of_call("cta_norm.py", call), "").op;
  ASSERT_EQ(d.op.name, "rms_norm");
  d.parameters = {{"norm_type", "--norm_type", -1, "word", "rms", false, {"rms", "layer"}, ""}};
  d.configuration = {{"eps", "--eps", -1, "switch", "1", false, {}, ""},
                     {"tile", "--tile", -1, "integer", "64", false, {}, ""}};
  d.configurations = {
      {{{"eps", 1}, {"tile", 64}}, ""}, {{{"eps", 0}, {"tile", 64}}, ""}, {{{"eps", 1}, {"tile", 128}}, ""}};
  settle_parameters("cta_norm.py", call, {}, d);
  ASSERT_EQ(d.parameters.size(), 1u);
  EXPECT_EQ(d.parameters[0].name, "eps");
  EXPECT_EQ(d.fixed_flags, (std::vector<std::string>{"--norm_type=rms"}));
  ASSERT_EQ(d.configurations.size(), 2u);
  EXPECT_EQ(d.configurations[1].values, (std::map<std::string, std::int64_t>{{"tile", 128}}));
}

TEST(PackageWords, AreThoseOfNoMachineAndOfNoSource) {
  FakeContext world;
  world.environment = Environment(std::map<std::string, std::string>{{"CUTLASS_DIR", "/somewhere/cutlass"}});
  EXPECT_EQ(without_machines_paths(
                "error: no\n   --> /somewhere/cutlass/a.py:3\n    |\n2 | their = code\n    |   ^^^\n"
                "  suggestion: a | b\n",
                world.context),
            "error: no\n   --> $CUTLASS_DIR/a.py:3\n  suggestion: a | b");
  EXPECT_EQ(without_machines_paths("cmake -B '/var/tmp/cutelab-capture-a7X/cwd/b' /somewhere/cutlass/c",
                                   world.context),
            "cmake -B '(a folder of the run)/cwd/b' $CUTLASS_DIR/c");
}

TEST(PackageFolder, HasTheVersionInItsName) {
  kernel::PackageDescription d;
  d.layer = "norm";
  d.design = "rows";
  d.version = "v0";
  EXPECT_EQ(package_folder(d), "kernels/cute_python/norm/rows/rows");
  d.version = "v2";
  EXPECT_EQ(package_folder(d), "kernels/cute_python/norm/rows/rows_v2");
}

}  // namespace
}  // namespace cutelab::cli
