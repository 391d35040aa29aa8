#include <gtest/gtest.h>

#include "cli/verb.h"

namespace cutelab::cli {
namespace {

VerbSpec read_like() {
  VerbSpec spec;
  spec.name = "read";
  spec.positionals = {{"FILE", "what to read", 1, 2}};
  spec.flags = {{"-a,--arch", "SM", "architecture", "", false, {"sm_90", "sm_100"}},
                {"--set", "NAME=VALUE", "a value", "", true, {}},
                {"--json", "", "as JSON", "", false, {}}};
  return spec;
}

std::string message(const Result<Arguments>& r) { return r.ok() ? "no error" : r.error().message(); }

TEST(Arguments, FlagsInEverySpelling) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"f.py", "--arch", "sm_90"},
                                                {"f.py", "--arch=sm_90"},
                                                {"-a", "sm_90", "f.py"}}) {
    const auto r = parse_arguments(read_like(), words);
    ASSERT_TRUE(r.ok()) << message(r);
    EXPECT_EQ(r->get("--arch"), "sm_90");
    EXPECT_EQ(r->positionals(), std::vector<std::string>{"f.py"});
    EXPECT_FALSE(r->has("--json"));
  }
}

TEST(Arguments, RepeatedFlagKeepsOrderAndOthersKeepTheLast) {
  const auto r =
      parse_arguments(read_like(), {"f.py", "--set", "a=1", "--set=b=2", "--arch=sm_90", "--arch=sm_100"});
  ASSERT_TRUE(r.ok()) << message(r);
  EXPECT_EQ(r->all("--set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(r->get("--arch"), "sm_100");
  EXPECT_EQ(r->get("--other", "otherwise"), "otherwise");
}

TEST(Arguments, PositionalsThatLookLikeNumbersOrFollowDashes) {
  const auto r = parse_arguments(read_like(), {"--json", "--", "--odd-name.py"});
  ASSERT_TRUE(r.ok()) << message(r);
  EXPECT_EQ(r->positionals(), std::vector<std::string>{"--odd-name.py"});
}

TEST(Arguments, MissingPositional) {
  EXPECT_EQ(message(parse_arguments(read_like(), {"--json"})),
            "error: read: FILE is missing\n  try: cutelab read --help");
}

TEST(Arguments, OnePositionalTooMany) {
  EXPECT_EQ(message(parse_arguments(read_like(), {"a", "b", "c"})),
            "error: read: 'c' is one argument too many\n  try: cutelab read --help");
}

TEST(Arguments, UnknownFlagGetsTheNearest) {
  EXPECT_EQ(message(parse_arguments(read_like(), {"a", "--jsn"})),
            "error: read: unknown flag '--jsn'\n  try: did you mean --json?");
  EXPECT_EQ(message(parse_arguments(read_like(), {"a", "--quite-another"})),
            "error: read: unknown flag '--quite-another'\n  try: cutelab read --help");
}

TEST(Arguments, ValueOutsideTheChoices) {
  EXPECT_EQ(
      message(parse_arguments(read_like(), {"a", "--arch=sm_09"})),
      "error: read: --arch does not take 'sm_09'\n  try: did you mean 'sm_90'? It takes: sm_90, sm_100");
  EXPECT_EQ(message(parse_arguments(read_like(), {"a", "--arch=volta"})),
            "error: read: --arch does not take 'volta'\n  try: it takes: sm_90, sm_100");
}

TEST(Arguments, FlagWithoutItsValue) {
  const auto r = parse_arguments(read_like(), {"a", "--arch"});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().kind, ErrorKind::usage);
  EXPECT_EQ(r.error().wrong, "--arch wants a value: sm_90, sm_100");
  EXPECT_EQ(parse_arguments(read_like(), {"a", "--set"}).error().wrong, "--set wants a value: NAME=VALUE");
}

TEST(Arguments, AnEmptyValueIsAnUnsetVariable) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"a", "--arch="}, {"a", "--arch", ""}, {"a", "--set=b=1", "--set="}})
    EXPECT_NE(message(parse_arguments(read_like(), words)).find("is given an empty value"), std::string::npos)
        << words[1];
  VerbSpec text = read_like();
  text.flags.push_back({"--note", "TEXT", "a remark", "", false, {}});
  EXPECT_TRUE(parse_arguments(text, {"a", "--note="}).ok()) << "a text may be empty";
}

TEST(Arguments, WhereAnOutputCannotBeWrittenIsSaidAtOnce) {
  VerbSpec spec = read_like();
  spec.flags.push_back({"--html", "FILE", "a page", "", false, {}, {}, true});
  EXPECT_TRUE(parse_arguments(spec, {"a", "--html=-"}).ok());
  const auto refused = parse_arguments(spec, {"a", "--html=/dev/null/page.html"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_TRUE(parse_arguments(spec, {"a", "--set=/dev/null/x"}).ok()) << "no output";
}

TEST(Arguments, OpenVerbsCollectParameters) {
  VerbSpec spec = read_like();
  spec.open_flags = true;
  const auto r = parse_arguments(spec, {"a", "--b=32", "--t=4096", "--json"});
  ASSERT_TRUE(r.ok()) << message(r);
  EXPECT_EQ(r->open(), (std::vector<std::pair<std::string, std::string>>{{"b", "32"}, {"t", "4096"}}));
  EXPECT_TRUE(r->has("--json"));
  EXPECT_FALSE(parse_arguments(spec, {"a", "--b"}).ok()) << "a parameter without a value";
}

TEST(Arguments, AValueThatMayBeLeftOutNeverTakesASource) {
  VerbSpec spec = read_like();
  Flag out;
  out.name = "--report";
  out.value = "FILE.json";
  out.optional_suffix = ".json";
  spec.flags.push_back(out);
  const auto bare = parse_arguments(spec, {"--report", "kernel.py"});
  ASSERT_TRUE(bare.ok()) << message(bare);
  EXPECT_EQ(bare->get("--report"), "-");
  EXPECT_EQ(bare->positionals(), std::vector<std::string>{"kernel.py"});
  const auto named = parse_arguments(spec, {"--report", "r.json", "kernel.py"});
  ASSERT_TRUE(named.ok()) << message(named);
  EXPECT_EQ(named->get("--report"), "r.json");
  const auto joined = parse_arguments(spec, {"kernel.py", "--report=anything"});
  ASSERT_TRUE(joined.ok()) << message(joined);
  EXPECT_EQ(joined->get("--report"), "anything");
  EXPECT_NE(help_text(spec).find("--report [FILE.json]"), std::string::npos);
}

TEST(Help, NamesEverything) {
  const std::string text = help_text(read_like());
  for (const char* part : {"usage: cutelab read FILE… [flags]", "-a, --arch SM", "(sm_90, sm_100)",
                           "--set NAME=VALUE", "may be repeated", "--json"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace cutelab::cli
