#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "cli/unit/fake_context.h"

namespace cutelab::cli {
namespace {

class EchoVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "echo";
    spec.summary = "says its words";
    spec.positionals = {{"WORD", "a word", 1, -1}};
    spec.flags = {{"--fail", "KIND", "fail", "", false, {"input", "unavailable", "check", "internal"}}};
    return spec;
  }
  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const std::string kind = arguments.get("--fail");
    if (!kind.empty()) return Error{kind_of(kind), "echo", "asked to fail", "here", "do not"};
    for (const std::string& word : arguments.positionals()) context.out << word << "\n";
    return ExitCode::ok;
  }
  static ErrorKind kind_of(const std::string& word) {
    return word == "input"         ? ErrorKind::input
           : word == "unavailable" ? ErrorKind::unavailable
           : word == "check"       ? ErrorKind::check
                                   : ErrorKind::internal;
  }
};

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& words) {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<EchoVerb>());
  FakeContext fake;
  const int code = dispatch(verbs, words, fake.context);
  return {code, fake.out.str(), fake.err.str()};
}

TEST(Dispatch, RunsTheVerb) {
  const Outcome r = run({"echo", "a", "b"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "a\nb\n");
  EXPECT_EQ(r.err, "");
}

TEST(Dispatch, CommandsInHintsAreCalledAsTheUserCallsThem) {
  FakeContext fake;
  EXPECT_EQ(as_called("try: `cutelab list`", fake.context), "try: `cutelab list`");
  fake.context.program = "./cutelab";
  EXPECT_EQ(as_called("`cutelab list`, or `cutelab doctor`", fake.context),
            "`./cutelab list`, or `./cutelab doctor`");
  EXPECT_EQ(as_called("error: cutelab: it fell\n  try: cutelab extract FILE", fake.context),
            "error: cutelab: it fell\n  try: ./cutelab extract FILE");
  EXPECT_EQ(as_called("cutelab select --goal … && cutelab study select x FILE (cutelab read)", fake.context),
            "./cutelab select --goal … && ./cutelab study select x FILE (./cutelab read)");
  EXPECT_EQ(
      as_called("./cutelab list, /opt/cutelab list, my-cutelab list, cutelab is a program", fake.context),
      "./cutelab list, /opt/cutelab list, my-cutelab list, cutelab is a program");
}

/// Places where `text` names a verb of `cutelab` that is not called `program`.
std::string called_otherwise(const std::string& text, const std::string& program) {
  FakeContext as_installed;
  as_installed.context.program = program;
  return as_called(text, as_installed.context) == text ? "" : text;
}

TEST(Dispatch, HelpCallsTheProgramAsTheUserDoes) {
  FakeContext fake;
  fake.context.program = "./cutelab";
  const auto verbs = all_verbs();
  dispatch(verbs, {"--help"}, fake.context);
  for (const auto& verb : verbs) dispatch(verbs, {verb->spec().name, "--help"}, fake.context);
  EXPECT_NE(fake.out.str().find("usage: ./cutelab VERB"), std::string::npos);
  EXPECT_NE(fake.out.str().find("usage: ./cutelab read FILE"), std::string::npos);
  EXPECT_EQ(called_otherwise(fake.out.str(), "./cutelab"), "");
}

class HintingVerb final : public Verb {
 public:
  VerbSpec spec() const override { return {"list", "hints", "", {}, {}, {}, false}; }
  Result<ExitCode> run(const Arguments&, Context& context) const override {
    context.err << "note: nothing is here; " << std::string("`cutelab doctor` says why") << "\n";
    return ExitCode::ok;
  }
};

TEST(Dispatch, WhatVerbsSayOnStderrCallsTheProgramAsTheUserDoes) {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(std::make_unique<HintingVerb>());
  FakeContext fake;
  fake.context.program = "./cutelab";
  EXPECT_EQ(dispatch(verbs, {"list"}, fake.context), 0);
  EXPECT_NE(fake.err.str().find("`./cutelab doctor` says why\n"), std::string::npos) << fake.err.str();
}

TEST(Dispatch, HelpFitsTheTerminalButForExamples) {
  FakeContext fake;
  fake.context.width = 72;
  const auto verbs = all_verbs();
  dispatch(verbs, {"--help"}, fake.context);
  for (const auto& verb : verbs) {
    const std::string text = help_text(verb->spec(), 72);
    fake.out << text.substr(0, text.find("\nexamples:"));
  }
  const std::string printed = fake.out.str();
  for (const std::string_view line : split(printed, '\n')) EXPECT_LE(display_width(line), 72u) << line;
}

TEST(Dispatch, ErrorsGoToStderrWithTheExitCodeOfTheirKind) {
  const std::vector<std::pair<std::string, int>> kinds = {
      {"input", 2}, {"unavailable", 3}, {"check", 1}, {"internal", 4}};
  for (const auto& [kind, code] : kinds) {
    const Outcome r = run({"echo", "a", "--fail=" + kind});
    EXPECT_EQ(r.code, code) << kind;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "error: echo: asked to fail\n  at: here\n  try: do not\n");
  }
}

TEST(Dispatch, UnknownVerbGetsTheNearest) {
  EXPECT_EQ(run({"ecco"}).err, "error: cutelab ecco: no such verb\n  try: did you mean `cutelab echo`?\n");
  EXPECT_EQ(run({"ecco"}).code, 2);
  EXPECT_EQ(run({"zzzz"}).err, "error: cutelab zzzz: no such verb\n  try: verbs: echo\n");
}

TEST(Dispatch, HelpWinsOverWrongArguments) {
  const Outcome r = run({"echo", "--nonsense", "--help"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("usage: cutelab echo WORD…"), std::string::npos) << r.out;
}

TEST(Dispatch, OverviewListsEveryVerb) {
  EXPECT_NE(run({"--help"}).out.find("says its words"), std::string::npos);
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({}).code, 2);
}

TEST(Dispatch, EveryRealVerbDescribesItself) {
  std::set<std::string> names;
  for (const auto& verb : all_verbs()) {
    const VerbSpec spec = verb->spec();
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " twice";
    EXPECT_FALSE(spec.summary.empty()) << spec.name;
    EXPECT_FALSE(spec.examples.empty()) << spec.name;
    for (const Flag& flag : spec.flags) EXPECT_FALSE(flag.help.empty()) << spec.name << " " << flag.name;
  }
}

}  // namespace
}  // namespace cutelab::cli
