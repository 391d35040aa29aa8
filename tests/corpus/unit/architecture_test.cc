// GPUs and what runs on them: P77 (tcgen05 on 12x), P79 (the a and f suffixes), P80 (sm_103 is not sm_100),
// tables T1 and T2.
#include "corpus/architecture.h"

#include <gtest/gtest.h>

#include "corpus/tree.h"

namespace cutelab::corpus {
namespace {

class Archs : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = ArchFacts::load(files_, test::data_folder());
    ASSERT_TRUE(loaded) << loaded.error().message();
    facts_ = std::move(*loaded);
  }
  bool accepts(const char* feature, const char* device, const char* release) {
    return facts_.accepts(*facts_.feature(feature), facts_.device(device)->arch, parse_release(release));
  }
  DiskFileSource files_;
  ArchFacts facts_;
};

TEST_F(Archs, SpellingsOfAnArchitecture) {
  for (const char* text : {"sm_90a", "SM_90A", "sm90a", "90a", "compute_90a", "9.0a"}) {
    const auto arch = parse_arch(text);
    ASSERT_TRUE(arch) << text;
    EXPECT_EQ(arch->text(), "sm_90a") << text;
  }
  for (const char* text : {"", "sm_", "sm_9", "hopper", "sm_90b", "9.", "12345", "sm_90aa"})
    EXPECT_FALSE(parse_arch(text)) << text;
}

TEST_F(Archs, ProductNames) {
  for (const auto& [name, arch] :
       std::vector<std::pair<const char*, const char*>>{{"H100", "sm_90a"},
                                                        {"NVIDIA H100 80GB HBM3", "sm_90a"},
                                                        {"h200", "sm_90a"},
                                                        {"H20", "sm_90a"},
                                                        {"GH200", "sm_90a"},
                                                        {"B200", "sm_100a"},
                                                        {"GB200", "sm_100a"},
                                                        {"B300", "sm_103a"},
                                                        {"GB300", "sm_103a"},
                                                        {"RTX 5090", "sm_120a"},
                                                        {"NVIDIA GeForce RTX 5070 Ti", "sm_120a"},
                                                        {"RTX 50-series", "sm_120a"},
                                                        {"DGX Spark", "sm_121a"},
                                                        {"GB10", "sm_121a"},
                                                        {"Jetson Thor", "sm_110a"},
                                                        {"A100", "sm_80"},
                                                        {"NVIDIA A100-SXM4-80GB", "sm_80"},
                                                        {"RTX 3090", "sm_86"},
                                                        {"L40S", "sm_89"},
                                                        {"RTX 4090", "sm_89"},
                                                        {"RTX 6000 Ada", "sm_89"},
                                                        {"RTX PRO 6000", "sm_120a"},
                                                        {"Rubin", "sm_107a"},
                                                        {"T4", "sm_75"}}) {
    const auto device = facts_.device(name);
    ASSERT_TRUE(device) << name << ": " << device.error().message();
    EXPECT_EQ(device->arch.text(), arch) << name;
  }
  const auto typo = facts_.device("H10O");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind, ErrorKind::usage);
  EXPECT_NE(typo.error().remedy.find("did you mean H100"), std::string::npos) << typo.error().remedy;
}

TEST_F(Archs, TheMissingSuffixIsNamed) {  // P79
  const auto device = facts_.device("sm_120");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->arch.text(), "sm_120a");
  EXPECT_EQ(device->note, "sm_120 taken as sm_120a: block-scaled MMA needs it");
  EXPECT_NE(facts_.suffix_rule("a").find("runs on no other, not even on later ones"), std::string::npos);
  EXPECT_NE(facts_.suffix_rule("override").find("fails to load"), std::string::npos);
  EXPECT_EQ(facts_.device("sm_101")->arch.text(), "sm_110a");
  EXPECT_TRUE(facts_.device("sm_90a")->note.empty());
}

TEST_F(Archs, TensorMemoryIsAbsentOn12x) {  // P77
  for (const char* gpu : {"RTX 5090", "DGX Spark", "H100", "A100"})
    EXPECT_FALSE(accepts("tcgen05", gpu, "4.7.0")) << gpu;
  for (const char* gpu : {"B200", "B300", "Thor"}) EXPECT_TRUE(accepts("tcgen05", gpu, "4.7.0")) << gpu;
}

TEST_F(Archs, GatesByRelease) {  // P80, T2
  EXPECT_TRUE(accepts("tcgen05", "sm_100a", "4.2.0"));
  EXPECT_TRUE(accepts("tcgen05", "sm_100f", "4.2.0"));
  EXPECT_FALSE(accepts("tcgen05", "sm_103a", "4.2.0"));
  EXPECT_TRUE(accepts("tcgen05", "sm_103a", "4.3.0"));
  EXPECT_FALSE(accepts("tcgen05-block-scaled", "sm_103a", "4.3.6"));
  EXPECT_TRUE(accepts("tcgen05-block-scaled", "sm_103a", "4.4.0"));
  EXPECT_FALSE(accepts("tcgen05-block-scaled", "sm_110a", "4.5.3"));
  EXPECT_TRUE(accepts("tcgen05-block-scaled", "sm_110a", "4.7.0"));
  EXPECT_TRUE(accepts("tcgen05-block-scaled", "sm_100f", "4.7.0"));
  EXPECT_FALSE(accepts("wgmma", "B200", "4.7.0")) << "sm_90a code runs on no later chip";
  EXPECT_TRUE(accepts("wgmma", "H200", "4.0.0"));
  EXPECT_TRUE(accepts("tma", "RTX 5090", "4.7.0"));
}

TEST_F(Archs, SharedMemoryPerBlock) {  // T1
  for (const auto& [sm, bytes] : std::map<int, int>{{80, 166912},
                                                    {86, 101376},
                                                    {87, 166912},
                                                    {89, 101376},
                                                    {90, 232448},
                                                    {100, 232448},
                                                    {103, 232448},
                                                    {110, 232448},
                                                    {101, 232448},
                                                    {120, 101376},
                                                    {121, 101376}})
    EXPECT_EQ(facts_.target(sm)->smem_bytes, bytes) << sm;
  EXPECT_GT(*facts_.target(103)->smem_since, *parse_release("4.3.0"));
  EXPECT_LE(*facts_.target(103)->smem_since, *parse_release("4.3.5"));
}

}  // namespace
}  // namespace cutelab::corpus
