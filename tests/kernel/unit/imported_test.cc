// Imported packages: the description, the call that a program made, the plan over both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernel/fill_in.h"
#include "kernel/imported_package.h"
#include "kernel/imported_plan.h"
#include "support/exported_tensor.h"

namespace cutelab::kernel {
namespace {

using testing::exported_tensor;

/// What a program exports for `--mn=M,N`: d (M, N) column-major = a (M, 2) row-major · b (N, 2)ᵀ
/// column-major.
class FakeExporter final : public Exporter {
 public:
  Result<Exported> get(const ExportWanted& wanted) const override {
    flags_seen.push_back(wanted.flags);
    if (nothing_kept) return Error{ErrorKind::unavailable, "export", "nothing is kept", "", ""};
    long long m = 0, n = 0;
    for (const std::string& flag : wanted.flags)
      if (std::sscanf(flag.c_str(), "--mn=%lld,%lld", &m, &n) == 2 && m > 100)
        return Error{ErrorKind::usage, "export", "the program refuses: m is at most 100", "", ""};
    Exported made;
    made.folder = "somewhere";
    made.other_program = other_program;
    made.call.entry = "f";
    made.call.device_code = "kernel.cubin";
    made.call.object_sha256 = fixed_extents ? std::to_string(m) + " " + std::to_string(n) : "any";
    made.call.symbols = {"kernel_f"};
    made.call.tensors = {exported_tensor("a", {m, 2}, {2, 1}, 0), exported_tensor("b", {n, 2}, {1, n}, 1),
                         exported_tensor("c", {m, n}, {1, m}, 2)};
    made.call.tensors.insert(made.call.tensors.end(), extra.begin(), extra.end());
    made.call.buffers = {m * 8, n * 8, m * n * 4, 16};
    ExportedCall::Argument argument;
    argument.name = "c";
    argument.content.resize(16);
    argument.relocations = {{8, 2, 4}};
    ExportedCall::Argument stream;
    stream.stream = true;
    stream.content.resize(8);
    made.call.arguments = {argument, stream};
    return made;
  }
  mutable std::vector<std::vector<std::string>> flags_seen;
  bool only_kept() const override { return runs_nothing; }
  bool fixed_extents = false;  ///< of the compiled kernel
  bool nothing_kept = false;
  bool runs_nothing = false;
  bool other_program = false;
  std::vector<ExportedCall::Tensor> extra;
};

PackageDescription product() {
  PackageDescription d;
  d.layer = "gemm";
  d.design = "tiny";
  d.version = "v0";
  d.arch = "sm_90a";
  d.program = "tiny.py";
  d.fixed_flags = {"--quiet"};
  d.parameters = {{"m", "--mn", 0, "integer", "3", false, {}, "rows"},
                  {"n", "--mn", 1, "integer", "2", false, {}, "columns"},
                  {"kind", "--kind", -1, "word", "plain", false, {"plain", "fancy"}, ""},
                  {"check", "--no_check", -1, "switch", "1", true, {}, ""}};
  d.configuration = {{"tile", "--tile", -1, "integer", "64", false, {}, ""},
                     {"pdl", "--pdl", -1, "switch", "0", false, {}, ""}};
  d.configurations = {{{{"tile", 64}, {"pdl", 0}}, ""},
                      {{{"tile", 96}, {"pdl", 0}}, "the program refuses: no such tile"},
                      {{{"tile", 128}, {"pdl", 1}}, ""}};
  d.ragged = {{{"m", "5"}, {"n", "7"}}, {{"m", "101"}}};
  d.op.name = "gemm";
  d.op.roles = {{"a", {"a", {"m", "k"}}}, {"b", {"b", {"n", "k"}}}, {"d", {"c", {"m", "n"}}}};
  return d;
}

class Imported : public ::testing::Test {
 protected:
  std::shared_ptr<FakeExporter> exporter = std::make_shared<FakeExporter>();
  ImportedPlan plan{product(), exporter};
  Params problem(const std::vector<std::pair<std::string, std::string>>& given = {}) const {
    return *parse_parameters("tiny", plan.parameters(), given);
  }
};

TEST_F(Imported, TheDescriptionComesBackFromItsJson) {
  PackageDescription d = product();
  d.summary = "a \"quoted\" · thing\n";
  d.undetermined = {"x"};
  d.assumed = {"y"};
  d.passed_over = {"--z: why"};
  d.op.numbers = {{"eps", 1e-6}};
  const auto back = package_from_json(to_json(d));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(to_json(*back), to_json(d));
  EXPECT_EQ(back->op.roles.at("d").modes, d.op.roles.at("d").modes);
  EXPECT_EQ(back->configurations[1].rejected_because, d.configurations[1].rejected_because);
}

TEST_F(Imported, WhatIsOpenIsNamedWithTheFileThatItIsFilledInIn) {
  PackageDescription d = product();
  d.op = {};
  d.undetermined = {"`operator`: what its tensors are (a, b, c) in it"};
  d.folder = "kernels/cute_python/gemm/tiny/tiny";
  const ImportedPlan open(d, exporter);
  const std::string because = open.cannot_run_because();
  EXPECT_NE(because.find("kernels/cute_python/gemm/tiny/tiny/package.json"), std::string::npos) << because;
  EXPECT_EQ(because.find("`operator`"), because.rfind("`operator`")) << "said once: " << because;
  const auto refused = open.check(*parse_parameters("tiny", open.parameters(), {{"m", "200"}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().remedy.find("package.json"), std::string::npos) << refused.error().message();
}

TEST_F(Imported, AMultipleThatIsWantedStandsWithTheParameter) {
  PackageDescription d = product();
  d.parameters[0].multiple_of = 64;
  EXPECT_EQ(ImportedPlan(d, exporter).parameters()[0].meaning, "rows; multiples of 64");
}

TEST(FillIn, NamesOperatorsThatTheTensorsSufficeForAndTheirMembers) {
  PackageDescription d = product();
  d.op = {};
  ExportedCall call;
  call.tensors = {exported_tensor("x", {4, 8}, {8, 1}, 0), exported_tensor("y", {4, 8}, {8, 1}, 1)};
  const auto text_of = [&] {
    std::string text;
    for (const std::string& line : fill_in_lines(d, call)) text += line + "\n";
    return text;
  };
  const std::string two = text_of();
  for (const char* wanted :
       {"`operator.name`", "`operator.roles`", "`softmax`", "`x` (2 modes)", "`undetermined`"})
    EXPECT_NE(two.find(wanted), std::string::npos) << wanted << " in " << two;
  EXPECT_EQ(two.find("`gemm`"), std::string::npos) << "it has three tensors";
  call.tensors.push_back(exported_tensor("z", {4, 8}, {8, 1}, 2));
  EXPECT_NE(text_of().find("`gemm`"), std::string::npos);
  call.tensors.resize(1);
  EXPECT_NE(text_of().find("does not run"), std::string::npos) << text_of();
}

TEST_F(Imported, ADamagedDescriptionIsRefused) {
  EXPECT_FALSE(package_from_json("{"));
  EXPECT_FALSE(package_from_json("{\"schema\": \"cutelab.package\", \"schema_version\": 2}"));
  const auto refuses = [](const auto& change) {
    PackageDescription d = product();
    change(d);
    return !package_from_json(to_json(d)).ok();
  };
  EXPECT_FALSE(refuses([](PackageDescription&) {}));
  EXPECT_TRUE(refuses([](PackageDescription& d) { d.parameters[1].name = "m"; }));
  EXPECT_TRUE(refuses([](PackageDescription& d) { d.parameters[0].value = "many"; }));
  EXPECT_TRUE(refuses([](PackageDescription& d) { d.parameters[2].choices.clear(); }));
  EXPECT_TRUE(refuses([](PackageDescription& d) { d.configuration[0].kind = "word"; }));
  EXPECT_TRUE(refuses([](PackageDescription& d) { d.arch = ""; }));
}

TEST_F(Imported, WhatIsWrongInADescriptionIsNamedWithItsMember) {
  const std::string whole = to_json(product());
  const auto said = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = package_from_json(text);
    return read ? std::string() : read.error().wrong;
  };
  EXPECT_EQ(said("\"component\": 0", "\"component\": 1000000000"),
            "`parameters[0].component`: 1000000000 is no whole number from -1 to 63");
  EXPECT_EQ(said("\"component\": 1", "\"component\": 2"),
            "option '--mn' has the components 0, 2; they are 0, 1, 2 … each once, or -1 alone");
  EXPECT_EQ(said("\"kind\": \"integer\"", "\"kind\": \"number\""),
            "`parameters[0].kind`: 'number' is none of integer, real, switch, tuples, word");
  EXPECT_EQ(said("\"value\": \"3\"", "\"value\": 3"), "`parameters[0].value`: it wants a text");
  EXPECT_EQ(said("\"option\": \"--mn\"", "\"option\": 5"), "`parameters[0].option`: it wants a text");
  EXPECT_EQ(said("\"operator\":", "\"operatr\":"), "`operator`: it is missing");
  EXPECT_EQ(said("\"undetermined\":", "\"undetermind\":"), "`undetermind`: there is no such member");
  EXPECT_EQ(said("\"tensor\": \"a\"", "\"tensor\": 1"), "`operator.roles.a.tensor`: it wants a text");
  EXPECT_EQ(said("\"tile\": 96", "\"tle\": 96"),
            "`configurations[1].values`: it has {pdl, tle}, and `configuration` {pdl, tile}");
  EXPECT_EQ(said("\"tile\": 96", "\"tile\": \"96\""),
            "`configurations[1].values.tile`: it wants a whole number");
  EXPECT_EQ(said("\"program\": \"tiny.py\"", "\"program\": \"../../etc/passwd\""),
            "`program`: it leads out of the folder that it is below");
  EXPECT_EQ(said("\"schema_version\": 1", "\"schema_version\": 2"),
            "its schema_version is not 1, which this program reads");
  EXPECT_EQ(package_from_json("{\n \"schema\": }").error().wrong.substr(0, 36),
            "it is no JSON: line 2, column 12: sy");
  EXPECT_EQ(package_from_json(whole.substr(0, 40)).error().wrong.substr(0, 15), "it is no JSON: ");
  EXPECT_EQ(package_from_json("").error().wrong, "it is empty");
  PackageDescription none = product();
  none.configurations.clear();
  EXPECT_EQ(package_from_json(to_json(none)).error().wrong,
            "`configurations`: it is empty; the default setting stands first");
}

TEST_F(Imported, AProblemIsTheProgramsCommandLine) {
  EXPECT_EQ(flags_of(product(), {}),
            (std::vector<std::string>{"--quiet", "--mn=3,2", "--kind=plain", "--tile=64"}));
  EXPECT_EQ(
      flags_of(product(), {{"n", "9"}, {"check", "0"}, {"pdl", "1"}, {"kind", "fancy"}}),
      (std::vector<std::string>{"--quiet", "--no_check", "--pdl", "--mn=3,9", "--kind=fancy", "--tile=64"}));
}

TEST_F(Imported, ThePlanAsksForTheProblemAndTheConfiguration) {
  ASSERT_TRUE(plan.plan(problem({{"m", "4"}}), {{{"tile", 128}, {"pdl", 1}}, ""}));
  EXPECT_EQ(exporter->flags_seen.back(),
            (std::vector<std::string>{"--quiet", "--pdl", "--mn=4,2", "--kind=plain", "--tile=128"}));
  EXPECT_FALSE(plan.plan(problem(), plan.autotune_configs(problem())[2])) << "a rejected one";
  const auto refused = plan.check(problem({{"m", "101"}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().wrong, "the program refuses: m is at most 100");
}

TEST_F(Imported, TheReferenceFollowsTheStrides) {
  const auto p = problem();
  ASSERT_TRUE(plan.check(p));
  Inputs inputs = plan.prepare_inputs(p, Fill::uniform, 1);
  ASSERT_EQ(inputs.tensors.size(), 2u);
  EXPECT_EQ(inputs.tensors[1].shape, (std::vector<std::int64_t>{2, 2})) << "b in the order of memory: (k, n)";
  for (int i = 0; i < 6; ++i) inputs.tensors[0].set(i, i + 1);  // a = [[1 2] [3 4] [5 6]]
  for (int i = 0; i < 4; ++i) inputs.tensors[1].set(i, i + 1);  // b: k = 0: 1 2, k = 1: 3 4
  const Outputs d = plan.reference_fn(p, inputs);
  ASSERT_EQ(d.tensors.size(), 1u);
  EXPECT_EQ(d.tensors[0].name, "c");
  const double expected[] = {1 + 6, 3 + 12, 5 + 18, 2 + 8, 6 + 16, 10 + 24};  // column by column
  for (int i = 0; i < 6; ++i) EXPECT_EQ(d.tensors[0].at(i), expected[i]) << i;
  EXPECT_EQ(plan.prepare_outputs(p).tensors[0].shape, d.tensors[0].shape);
  EXPECT_EQ(plan.algorithmic_flops_bytes(p).flops.at("fp32"), 2.0 * 3 * 2 * 2);
  EXPECT_EQ(plan.algorithmic_flops_bytes(p).compulsory.count(), 4 * (6 + 4 + 6));
}

TEST_F(Imported, ArgumentsGetTheAddressesOfTheirTensors) {
  const auto kernel = plan.plan(problem(), plan.autotune_configs(problem())[0]);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->device_function, "kernel_f");
  const auto block = kernel->arguments({{"a", 0x100}, {"b", 0x200}, {"c", 0x300}});
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, block.data() + at, sizeof value);
    return value;
  };
  EXPECT_EQ(word(0), 2u);
  EXPECT_EQ(word(12), 0u) << "bytes";
  EXPECT_EQ(word(20), 1u) << "the stream";
  EXPECT_EQ(word(8) % 16, 0u);
  EXPECT_EQ(word(word(8) + 8), 0x304u) << "address of c plus 4, at byte 8 of the argument";
}

TEST_F(Imported, RaggedProblemsThatTheProgramRefusesAreLeftOut) {
  const auto ragged = plan.ragged_params(problem(), plan.autotune_configs(problem())[0]);
  ASSERT_EQ(ragged.size(), 1u);
  EXPECT_EQ(ragged[0].number("m"), 5);
  exporter->fixed_extents = true;
  EXPECT_TRUE(plan.ragged_params(problem(), plan.autotune_configs(problem())[0]).empty())
      << "another problem is another kernel";
}

TEST_F(Imported, ExtentsThatTheProgramDoesNotGuardAreRefused) {
  PackageDescription d = product();
  d.parameters[0].multiple_of = 4;
  const auto back = package_from_json(to_json(d));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->parameters[0].multiple_of, 4);
  const ImportedPlan held(*back, std::make_shared<FakeExporter>());
  auto params = parse_parameters("tiny", held.parameters(), {{"m", "6"}});
  ASSERT_TRUE(params);
  const auto refused = held.check(*params);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().wrong, "m is no multiple of 4");
  params->set("m", std::int64_t{8});
  EXPECT_TRUE(held.check(*params));
}

TEST_F(Imported, SumsThatKeepFewerBitsAreAllowedMore) {
  const OperatorSpec& gemm = *find_operator("gemm");
  EXPECT_EQ(gemm.defaults.at("accumulator_bits"), 0);
  ExportedCall call;
  call.tensors = {exported_tensor("a", {64, 64}, {64, 1}, 0), exported_tensor("b", {64, 64}, {64, 1}, 1),
                  exported_tensor("d", {64, 64}, {64, 1}, 2)};
  Operator op;
  op.name = "gemm";
  op.roles = {{"a", {"a", {"m", "k"}}}, {"b", {"b", {"n", "k"}}}, {"d", {"d", {"m", "n"}}}};
  const Tolerance wide = operator_tolerance(op, call);
  op.numbers["accumulator_bits"] = 10;
  EXPECT_GT(operator_tolerance(op, call).floor, wide.floor);
  EXPECT_GT(operator_tolerance(op, call).relative_norm, 4 * wide.relative_norm);
  EXPECT_NEAR(operator_tolerance(op, call).relative_norm - wide.relative_norm, 5 * 0x1p-10 / 3, 1e-9);
  for (auto& tensor : call.tensors) tensor.dtype = "Float8E4M3FN";
  const Tolerance rounded = operator_tolerance(op, call);
  EXPECT_NEAR(rounded.relative_norm, 0x1p-4 + 3 * 0x1p-10 / 3, 1e-9) << "a number that is given is taken";
  op.numbers.clear();
  EXPECT_NEAR(operator_tolerance(op, call).relative_norm, 0x1p-4 + 3 * 0x1p-13 / 3, 1e-9)
      << "fp8 has 13 bits";
}

TEST_F(Imported, WhatIsUndeterminedIsNotRun) {
  EXPECT_EQ(plan.cannot_run_because(), "");
  PackageDescription d = product();
  d.op = {};
  const ImportedPlan unknown(d, exporter);
  EXPECT_NE(unknown.cannot_run_because().find("what it computes"), std::string::npos);
  ASSERT_TRUE(unknown.plan(problem(), {{{"tile", 64}, {"pdl", 0}}, ""})) << "it compiles all the same";
  exporter->extra = {exported_tensor("scales", {4}, {1}, 3, "Float4E2M1FN"),
                     exported_tensor("again", {1}, {1}, 0)};
  ASSERT_TRUE(plan.check(problem()));
  EXPECT_NE(plan.cannot_run_because().find("scales holds: elements of type Float4E2M1FN"), std::string::npos);
  EXPECT_NE(plan.cannot_run_because().find("tensors a, again share memory"), std::string::npos);
  EXPECT_EQ(plan.cannot_run_because().find("fill it in"), std::string::npos) << "nothing there settles it";
}

TEST_F(Imported, AnotherProgramThanTheImportedOneIsSaidWithEveryResult) {
  const Config config = plan.autotune_configs(problem())[0];
  EXPECT_TRUE(plan.plan(problem(), config)->remarks.empty());
  exporter->other_program = true;
  const auto kernel = plan.plan(problem(), config);
  ASSERT_EQ(kernel->remarks.size(), 1u);
  EXPECT_NE(kernel->remarks[0].find("tiny.py is not the file that was imported"), std::string::npos);
}

TEST_F(Imported, WhereNoProgramIsRunAProblemWithoutAKeptExportIsNotRefused) {
  exporter->nothing_kept = true;
  EXPECT_FALSE(plan.check(problem())) << "it could have been run";
  exporter->runs_nothing = true;
  EXPECT_TRUE(plan.check(problem()));
  EXPECT_FALSE(plan.plan(problem(), plan.autotune_configs(problem())[0])) << "the call is not known";
  exporter->nothing_kept = false;
  EXPECT_FALSE(plan.check(problem({{"m", "101"}}))) << "a kept refusal stays one";
}

TEST_F(Imported, IndexTensorsKeepWhatTheProgramHadInThem) {
  auto lengths = exported_tensor("lengths", {2}, {1}, 3, "Int32");
  lengths.content = std::vector<std::byte>(8, std::byte{1});
  exporter->extra = {lengths};
  ASSERT_TRUE(plan.check(problem()));
  const Inputs inputs = plan.prepare_inputs(problem(), Fill::adversarial, 3);
  EXPECT_EQ(inputs.find("lengths")->at(0), 0x01010101);
}

TEST(Operators, ARoleThatDoesNotFitIsSaid) {
  const auto exporter = std::make_shared<FakeExporter>();
  const auto call = exporter->get({"", "", {"--mn=3,5"}, ""})->call;
  Operator op = product().op;
  EXPECT_TRUE(check_operator(op, call));
  op.roles["b"].modes = {"k", "n"};
  EXPECT_FALSE(check_operator(op, call)) << "extents contradict";
  op = product().op;
  op.roles["a"].modes = {"m", "x"};
  ASSERT_FALSE(check_operator(op, call)) << "a has no mode x";
  EXPECT_EQ(check_operator(op, call).error().wrong, "role a: it has no mode x (tensor a)");
  op = product().op;
  op.roles["b"].tensor = "z";
  ASSERT_FALSE(check_operator(op, call));
  EXPECT_EQ(check_operator(op, call).error().wrong, "role b: the call has no tensor z");
  op.roles["b"] = {"b", {"n"}};
  EXPECT_EQ(check_operator(op, call).error().wrong, "role b: tensor b has 2 modes, 1 are named");
  op = product().op;
  op.roles.erase("d");
  ASSERT_FALSE(check_operator(op, call));
  EXPECT_EQ(check_operator(op, call).error().wrong, "no tensor is named for role d");
  op.name = "rms_norm";
  EXPECT_FALSE(check_operator(op, call)) << "without eps";
}

TEST(ExportedCallJson, ReadsTheHarnessesForm) {
  const std::string text = R"({"schema": "cutelab.export", "schema_version": 1, "entry": "e", "compiled": 1,
    "tensors": [{"name": "i", "dtype": "Int32", "shape": [1], "stride": [1], "buffer": 0, "offset": 0, "bytes": 4,
                 "content": "0a0B0c0d"}],
    "buffers": [{"bytes": 4}], "device_code": "kernel.fatbin", "symbols": ["k"],
    "launches": [{"symbol": "k", "grid": [1,2,3], "block": [4,5,6], "dynamic_shared_bytes": 7,
                  "attributes": [{"id": 4, "value": [2,1,1]}]}],
    "arguments": [{"name": "i", "content": "0000000000000000", "stream": false,
                   "relocations": [{"at": 0, "buffer": 0, "offset": 0}]}],
    "flags": [{"option": "--n", "kind": "integer", "value": "3", "choices": ["3", "4"]}],
    "compile_call": {"callee": "K", "attributes": {"eps": 1e-06}, "constants": {}}})";
  const auto call = exported_call_from_json(text);
  ASSERT_TRUE(call) << call.error().message();
  EXPECT_TRUE(call->exported());
  EXPECT_EQ((*call->tensors[0].content)[1], std::byte{0x0b});
  EXPECT_EQ(call->launches[0].cluster[0], 2u);
  EXPECT_EQ(call->flags[0].choices.size(), 2u);
  EXPECT_EQ(call->attributes.at("eps"), "1e-06");
  std::string broken = text;
  broken.replace(broken.find("\"buffer\": 0, \"offset\": 0}]"), 11, "\"buffer\": 7");
  EXPECT_FALSE(exported_call_from_json(broken)) << "an address of memory that is not there";
  EXPECT_FALSE(exported_call_from_json("[]"));
}

}  // namespace
}  // namespace cutelab::kernel
