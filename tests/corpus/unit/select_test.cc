// What to learn from, what runs where and what runs instead: goals, categories, patterns, learning paths,
// documentation, helpers (P05), docstring commands (P03), GPUs without tensor memory (P77, P80).
#include "corpus/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "corpus/commands.h"
#include "corpus/tree.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {
using namespace test;

const std::string tree = "/checkout/examples/python/CuTeDSL/";

class In47 : public ::testing::Test {
 protected:
  std::unique_ptr<Workspace> open(const std::string& release = "4.7.0") {
    return open_release(files_, scratch_, release);
  }
  MemoryFiles files_;
  ScratchFolder scratch_;
};

std::vector<std::string> names(const std::vector<Hit>& hits, const Workspace& w, std::size_t n) {
  std::vector<std::string> out;
  for (const Hit& h : hits)
    if (out.size() < n) out.emplace_back(stem_of(example(w, h.example).path()));
  return out;
}

/// By value: a range over a temporary Result would dangle.
std::vector<Hit> hits_of(const Query& q, const Workspace& w) {
  auto hits = select(q, w);
  EXPECT_TRUE(hits) << (hits ? "" : hits.error().message());
  return hits ? std::move(*hits) : std::vector<Hit>{};
}

int index_of(const Workspace& w, const std::string& path) {
  const Example* e = w.catalog->find(0, "examples/python/CuTeDSL/" + path);
  EXPECT_TRUE(e) << path;
  return e ? static_cast<int>(e - w.catalog->examples().data()) : -1;
}

TEST_F(In47, EveryCategoryOfTheExampleTableHasItsExamples) {
  const auto w = open();
  for (const auto& [category, name] : std::vector<std::pair<const char*, const char*>>{
           {"mla", "mla_decode_fp16"},
           {"fmha", "fmha"},
           {"mixed-input-fmha", "mixed_input_fmha_decode"},
           {"dense-gemm", "dense_gemm"},
           {"tutorial-gemm", "fp16_gemm_0"},
           {"tutorial-gemm", "nvfp4_gemm_0"},
           {"blockscaled-gemm", "dense_blockscaled_gemm_persistent"},
           {"grouped-gemm", "grouped_gemm"},
           {"grouped-gemm", "grouped_blockscaled_gemm"},
           {"mixed-input-gemm", "mixed_input_gemm"},
           {"epilogue", "custom_epilogue_dense_gemm"},
           {"reduction", "reduce"},
           {"norm", "rmsnorm"},
           {"norm", "cta_norm"},
           {"pdl", "programmatic_dependent_launch"},
           {"mamba2", "mamba2_ssd"},
           {"blockwise-gemm", "blockwise_gemm"},
           {"blockwise-gemm", "masked_grouped_gemm"},
           {"ampere-basics", "elementwise_add"},
           {"ampere-basics", "tensorop_gemm"},
           {"ampere-basics", "flash_attention_v2"},
           {"ampere-basics", "hstu_attention"},
           {"ampere-basics", "sgemm"},
           {"export", "export_to_c"},
           {"distributed", "all_reduce_simple"},
           {"moe", "torch_grouped_mm"}}) {
    Query q;
    q.category = category;
    const auto hits = select(q, *w);
    ASSERT_TRUE(hits) << category << ": " << hits.error().message();
    const auto all = names(*hits, *w, hits->size());
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << category << " lacks " << name;
  }
}

TEST_F(In47, EveryGoalFindsSomethingAndSaysWhy) {
  const auto w = open();
  EXPECT_GE(w->taxonomy.goals.size(), 10u);
  for (const Goal& goal : w->taxonomy.goals) {
    Query q;
    q.goal = goal.id;
    const auto hits = select(q, *w);
    ASSERT_TRUE(hits) << goal.id;
    if (goal.categories.empty()) {
      EXPECT_FALSE(goal.constructs.empty() && goal.name_words.empty()) << goal.id;
      continue;
    }
    ASSERT_FALSE(hits->empty()) << goal.id;
    EXPECT_FALSE(hits->front().reasons.empty()) << goal.id;
    for (const std::string& id : goal.categories)
      EXPECT_TRUE(w->taxonomy.category(id)) << goal.id << " names " << id;
  }
  Query q;
  q.goal = "mla";
  EXPECT_TRUE(names(hits_of(q, *w), *w, 1).front().starts_with("mla_decode")) << "an alias works too";
  q.goal = "persistant-scheduling";
  const auto typo = select(q, *w);
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().remedy.find("did you mean 'persistent-scheduling'?"), std::string::npos);
  q.goal = "dequantise";
  const auto alias = select(q, *w);
  ASSERT_FALSE(alias);
  EXPECT_NE(alias.error().remedy.find("did you mean 'dequantize' (goal mixed-input)?"), std::string::npos)
      << alias.error().remedy << ": an alias stands in no list";
}

TEST_F(In47, PatternsAndWords) {
  const auto w = open();
  Query q;
  q.pattern = "P1";
  const auto hits = select(q, *w);
  ASSERT_TRUE(hits && !hits->empty());
  EXPECT_EQ(hits->front().reasons.front().find("P1: PipelineTma"), 0u) << hits->front().reasons.front();
  q.pattern = "P11";
  EXPECT_EQ(select(q, *w).error().kind, ErrorKind::usage);
  Query words;
  words.words = {"grouped", "gemm"};
  words.arch = *w->archs.device("sm_90");
  EXPECT_EQ(names(hits_of(words, *w), *w, 1).front(), "grouped_gemm");
  for (const Hit& hit : hits_of(words, *w))
    EXPECT_EQ(w->catalog->runs_on(example(*w, hit.example), words.arch->arch).runs, Runs::yes);
}

TEST_F(In47, GroupedGemmOnHopperBefore45) {  // P16
  const auto w = open("4.4.3");
  Query q;
  q.category = "grouped-gemm";
  q.arch = *w->archs.device("H100");
  for (const Hit& hit : hits_of(q, *w)) EXPECT_NE(stem_of(example(*w, hit.example).path()), "grouped_gemm");
}

TEST_F(In47, WhatRunsAndWhatRunsInstead) {  // P77
  const auto w = open();
  const int tutorial = index_of(*w, "cute/blackwell/tutorial/tutorial_gemm/fp16_gemm_1.py");
  for (const char* gpu : {"DGX Spark", "RTX 5090"}) {
    const Device device = *w->archs.device(gpu);
    const RunsVerdict verdict = w->catalog->runs_on(example(*w, tutorial), device.arch);
    EXPECT_EQ(verdict.runs, Runs::no);
    EXPECT_EQ(verdict.why,
              "needs tcgen05 MMA with tensor memory (TMEM) (fp16_gemm_1.py:8); sm_12x and sm_90 have neither "
              "tcgen05 nor tensor memory");
    const int other = nearest_runnable(example(*w, tutorial), device.arch, *w->catalog);
    ASSERT_GE(other, 0);
    EXPECT_EQ(w->catalog->runs_on(example(*w, other), device.arch).runs, Runs::yes);
    EXPECT_TRUE(example(*w, other).generation == "blackwell_geforce" ||
                stem_of(example(*w, other).path()) == "tensorop_gemm")
        << example(*w, other).path();
  }
  const int fmha = index_of(*w, "cute/blackwell/kernel/attention/fmha/fmha.py");
  const int instead = nearest_runnable(example(*w, fmha), w->archs.device("H200")->arch, *w->catalog);
  EXPECT_EQ(example(*w, instead).path(), "examples/python/CuTeDSL/cute/hopper/kernel/attention/fmha.py");
}

TEST_F(In47, BlockScaledOnB300DependsOnTheRelease) {  // P80
  for (const auto& [release, runs] : {std::pair("4.3.6", Runs::no), std::pair("4.4.0", Runs::yes)}) {
    MemoryFiles files;
    const ScratchFolder scratch;
    put_checkout(files, "/checkout", release);
    files.put(tree + "blackwell/dense_blockscaled_gemm_persistent.py",
              "@cute.kernel\ndef k():\n    tcgen05.MmaMXF8Op()\n");
    const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                   environment_in(scratch.path()), files);
    ASSERT_TRUE(w);
    const Example& e = example(**w, index_of(**w, "blackwell/dense_blockscaled_gemm_persistent.py"));
    const RunsVerdict verdict = (*w)->catalog->runs_on(e, (*w)->archs.device("B300")->arch);
    EXPECT_EQ(verdict.runs, runs) << release << ": " << verdict.why;
    if (runs == Runs::no) {
      EXPECT_NE(verdict.why.find("later CuTe DSL than 4.3.6"), std::string::npos) << verdict.why;
    }
  }
}

TEST_F(In47, HelpersArePointedAtWhatRunsThem) {  // P05
  put_checkout(files_, "/checkout", "4.7.0");
  files_.put(tree + "cute/blackwell/kernel/attention/mla/mla_helpers.py",
             "import cutlass\nclass MLAStaticTileScheduler:\n    pass\n");
  files_.put(tree + "cute/blackwell/kernel/attention/mla/mla_decode_fp16.py",
             kernel_text("blackwell") +
                 "from cute.blackwell.kernel.attention.mla.mla_helpers import MLAStaticTileScheduler\n");
  files_.put(tree + "helpers/fmha_helpers.py", "import cutlass\nfrom . import deeper\n");
  files_.put(tree + "helpers/deeper.py", "import math\n");
  files_.put(tree + "cute/hopper/kernel/attention/fmha.py",
             kernel_text("hopper") + "from helpers import fmha_helpers as fmha_utils\n");
  const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                 environment_in(scratch_.path()), files_);
  ASSERT_TRUE(w);
  const Example& helper = example(**w, index_of(**w, "cute/blackwell/kernel/attention/mla/mla_helpers.py"));
  EXPECT_EQ(helper.layer, Layer::helper);
  ASSERT_EQ((*w)->catalog->run_by(helper).size(), 1u);
  EXPECT_EQ(stem_of(example(**w, (*w)->catalog->run_by(helper)[0]).path()), "mla_decode_fp16");
  const Example& fmha = example(**w, index_of(**w, "cute/hopper/kernel/attention/fmha.py"));
  std::set<std::string> imported;
  for (const int i : (*w)->catalog->transitive_imports(fmha))
    imported.insert(std::string(stem_of(example(**w, i).path())));
  EXPECT_EQ(imported, (std::set<std::string>{"fmha_helpers", "deeper"})) << "also what the helper imports";
  Query q;
  q.category = "mla";
  for (const Hit& hit : hits_of(q, **w))
    EXPECT_NE(hit.example, index_of(**w, "cute/blackwell/kernel/attention/mla/mla_helpers.py"));
}

TEST_F(In47, DocstringCommandsAreCorrected) {  // P03
  put_checkout(files_, "/checkout", "4.7.0");
  const std::string mla = "cute/blackwell/kernel/attention/mla/mla_decode_fp16.py";
  files_.put(tree + mla,
             kernel_text("blackwell",
                         "\nDecode.\n\n    python examples/blackwell/mla_fp16.py --batch 4\n"
                         "    python examples/blackwell/mla_decode_fp16.py \\\n        --batch 8\n"));
  const std::string amax = "cute/blackwell/kernel/blockscaled_gemm/dense_blockscaled_gemm_persistent_amax.py";
  files_.put(tree + amax,
             kernel_text("blackwell", "\nAmax.\n\n    python dense_blockscaled_gemm_persistent.py --m 1\n"));
  const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                 environment_in(scratch_.path()), files_);
  ASSERT_TRUE(w);
  const auto commands = run_commands(example(**w, index_of(**w, mla)), *(*w)->catalog);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].text, "python " + tree + mla + " --batch 4");
  EXPECT_EQ(commands[0].note, "the docstring names mla_fp16.py, which does not exist here");
  EXPECT_EQ(commands[1].text, "python " + tree + mla + " --batch 8");
  EXPECT_EQ(commands[1].note, "the docstring says examples/blackwell/mla_decode_fp16.py, where nothing lies");
  const auto sibling = run_commands(example(**w, index_of(**w, amax)), *(*w)->catalog);
  ASSERT_EQ(sibling.size(), 1u);
  EXPECT_EQ(sibling[0].note,
            "the docstring names dense_blockscaled_gemm_persistent.py, which is another example; its flags "
            "may differ");
}

TEST_F(In47, CudaSourcesWithoutCuteAreCalledSoAndComeAfterThoseThatUseIt) {
  put_checkout(files_, "/checkout", "4.7.0");
  const std::string kernel = "__global__ void run(int* x) { *x = 1; }\nint main() { return 0; }\n";
  files_.put("/checkout/examples/41_odd/odd_attention_old.cu", "#include \"cutlass/gemm/gemm.h\"\n" + kernel);
  files_.put("/checkout/examples/88_odd/odd_attention_new.cu", "#include \"cute/tensor.hpp\"\n" + kernel);
  files_.put("/checkout/examples/89_odd/odd_local.hpp", "#include \"cutlass/gemm/collective/builder.hpp\"\n");
  files_.put("/checkout/examples/89_odd/odd_attention_far.cu", "#include \"odd_local.hpp\"\n" + kernel);
  const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                 environment_in(scratch_.path()), files_);
  ASSERT_TRUE(w);
  const auto layer = [&](const std::string& path) {
    const Example* e = (*w)->catalog->find(0, path);
    return e ? std::string(name_of(e->layer)) : "not there";
  };
  EXPECT_EQ(layer("examples/41_odd/odd_attention_old.cu"), "CUDA C++");
  EXPECT_EQ(layer("examples/88_odd/odd_attention_new.cu"), "CuTe C++");
  EXPECT_EQ(layer("examples/89_odd/odd_attention_far.cu"), "CuTe C++");
  Query query;
  query.words = {"odd", "attention"};
  EXPECT_EQ(names(hits_of(query, **w), **w, 3).back(), "odd_attention_old");
}

TEST_F(In47, AHelperNeedsNoArchitectureOfAModuleThatItImports) {
  put_checkout(files_, "/checkout", "4.7.0");
  const std::string folder = "/checkout/examples/python/CuTeDSL/cute/zoo/";
  files_.put(folder + "every_utils.py",
             "import cutlass\nfrom cutlass.cute.nvgpu import tcgen05\n\n"
             "def f():\n    return tcgen05.MmaF16BF16Op\n");
  files_.put(folder + "small_helper.py", "import cutlass\nimport every_utils\n\ndef g():\n    return 1\n");
  const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                 environment_in(scratch_.path()), files_);
  ASSERT_TRUE(w);
  const Example* utils = (*w)->catalog->find(0, "examples/python/CuTeDSL/cute/zoo/every_utils.py");
  const Example* helper = (*w)->catalog->find(0, "examples/python/CuTeDSL/cute/zoo/small_helper.py");
  ASSERT_TRUE(utils && helper);
  EXPECT_EQ(utils->arch.minimum, "sm_100a");
  EXPECT_EQ(helper->arch.minimum, "") << helper->arch.reason;
}

TEST_F(In47, PathsResolveForEveryGenerationAndSayWhatIsMissing) {
  const auto w = open();
  for (const char* id : {"A", "B", "C"}) {
    const auto steps = learning_path(id, w->archs.device("B200").value(), *w);
    ASSERT_TRUE(steps);
    for (const ResolvedStep& s : *steps) EXPECT_GE(s.example, 0) << id << ": " << s.teaches;
  }
  const auto blackwell = learning_path("A", w->archs.device("B200").value(), *w);
  EXPECT_EQ(stem_of(example(*w, (*blackwell)[1].example).path()), "fp16_gemm_0");
  EXPECT_EQ(stem_of(example(*w, (*blackwell)[7].example).path()), "fp16_gemm_6");
  const auto hopper = learning_path("a", w->archs.device("H200").value(), *w);
  ASSERT_TRUE(hopper);
  EXPECT_EQ(example(*w, (*hopper)[4].example).path(),
            "examples/python/CuTeDSL/cute/hopper/kernel/dense_gemm/dense_gemm_persistent.py");
  EXPECT_TRUE((*hopper)[6].other_generation) << "there is no 2-CTA MMA on Hopper";
  EXPECT_EQ(learning_path("D", std::nullopt, *w).error().kind, ErrorKind::usage);
  MemoryFiles old_files;
  const ScratchFolder other;
  const auto old_tree = open_release(old_files, other, "4.4.3");
  const auto steps = learning_path("A", old_tree->archs.device("B200").value(), *old_tree);
  ASSERT_TRUE(steps);
  EXPECT_LT((*steps)[3].example, 0);
  EXPECT_NE((*steps)[3].missing.find("fp16_gemm_2 is not here; CUTLASS has it in main-2026-03-17"),
            std::string::npos)
      << (*steps)[3].missing;
}

TEST_F(In47, DocumentationLeadsToPageAndSection) {
  put_checkout(files_, "/checkout", "4.7.0");
  files_.put("/checkout/media/docs/pythonDSL/pipelines.rst",
             "Overview\n========\n\nwords words words\n\nAsynchronous "
             "pipelines\n----------------------\n\nPipelineTmaAsync and its states.\n");
  files_.put("/checkout/media/docs/cpp/cute/0t_mma_atom.md",
             "# MMA atoms\nwgmma\n## TMA\nmake_tiled_tma_atom_A is used here.\n");
  const auto w = Workspace::open({"/checkout", {"cutlass"}, CUTELAB_SOURCE_DIR},
                                 environment_in(scratch_.path()), files_);
  ASSERT_TRUE(w);
  const auto found = find_docs({"PipelineTmaAsync"}, *(*w)->catalog, 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].page, "media/docs/pythonDSL/pipelines.rst");
  EXPECT_EQ(found[0].section, "Asynchronous pipelines");
  EXPECT_EQ(found[0].line, 6);
  EXPECT_EQ(find_docs({"cute.nvgpu.make_tiled_tma_atom"}, *(*w)->catalog, 5).front().section, "TMA");
  EXPECT_TRUE(find_docs({"nothing_of_the_kind"}, *(*w)->catalog, 5).empty());
  const auto see = see_also(example(**w, index_of(**w, "cute/hopper/kernel/dense_gemm/dense_gemm.py")),
                            {"TMA pipeline"}, *(*w)->catalog);
  ASSERT_TRUE(see);
  EXPECT_EQ(see->section, "Asynchronous pipelines");
}

}  // namespace
}  // namespace cutelab::corpus
