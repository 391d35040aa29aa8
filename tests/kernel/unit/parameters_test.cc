#include "kernel/parameters.h"

#include <gtest/gtest.h>

#include "kernel/registry.h"

namespace cutelab::kernel {
namespace {

const std::vector<ParameterSpec> specs = {{"b", "rows", "32", 1, 1024, {}},
                                          {"dtype", "type", "bf16", 0, 0, {"bf16", "fp16"}}};

TEST(Parameters, DefaultsAndGivenValues) {
  auto p = parse_parameters("k", specs, {{"b", "7"}});
  ASSERT_TRUE(p);
  EXPECT_EQ(p->number("b"), 7);
  EXPECT_EQ(p->word("dtype"), "bf16");
  EXPECT_EQ(p->text(), "b=7 dtype=bf16");
}

TEST(Parameters, TheLastOfTwoWins) {
  EXPECT_EQ(parse_parameters("k", specs, {{"b", "7"}, {"b", "8"}})->number("b"), 8);
}

TEST(Parameters, ErrorsNameTheRangeAndTheNearestSpelling) {
  const auto wrong = [](const std::string& name, const std::string& value) {
    auto p = parse_parameters("k", specs, {{name, value}});
    EXPECT_FALSE(p);
    EXPECT_EQ(p.error().kind, ErrorKind::usage);
    return p.error().wrong + " | " + p.error().remedy;
  };
  EXPECT_EQ(wrong("b", "0"), "--b=0 is out of range | --b is rows: 1 … 1024");
  EXPECT_EQ(wrong("b", "99999999999999999999"),
            "--b=99999999999999999999 is out of range | --b is rows: 1 … 1024");
  EXPECT_EQ(wrong("b", "ten"), "--b wants a whole number, not 'ten' | --b is rows: 1 … 1024");
  EXPECT_EQ(wrong("dtype", "fp8"), "--dtype does not take 'fp8' | --dtype is type: bf16 | fp16");
  EXPECT_EQ(wrong("dtyp", "bf16"), "no parameter --dtyp | did you mean --dtype?");
}

TEST(Registry, FindsTheBaseVersionAndSuggests) {
  Package base;
  base.design = "rmsnorm";
  base.version = "v0";
  Package next = base;
  next.version = "v1";
  const std::vector<Package> all = {base, next};
  EXPECT_EQ(find_package(all, "rmsnorm", "")->version, "v0");
  EXPECT_EQ(find_package(all, "rmsnorm", "v1")->version, "v1");
  EXPECT_EQ(find_package(all, "rmsnorm", "v9").error().remedy, "versions: v0, v1");
  EXPECT_EQ(find_package(all, "rmsnrm", "").error().remedy,
            "did you mean 'rmsnorm'? `cutelab list` shows all");
}

}  // namespace
}  // namespace cutelab::kernel
