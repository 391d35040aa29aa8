#include "capture/capture_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "capture/sweep.h"

namespace cutelab::capture {
namespace {

const char* const launch_line =
    R"({"event":"launch","symbol":"k_0","module":0,"grid":[4,2,1],"block":[128,1,1],"dynamic_shared_bytes":1024,"attributes":[{"id":6,"value":[1]},{"id":4,"value":[2,1,1]}]})"
    "\n";
const char* const library_line =
    R"({"event":"launch","symbol":"convert_0","grid":[9,1,1],"block":[64,1,1],"dynamic_shared_bytes":0,"attributes":[]})"
    "\n";

std::string kernel_line(const std::string& symbol, const std::string& file, bool library) {
  return nlohmann::json{{"event", "kernel"},
                        {"symbol", symbol},
                        {"function", "kernel"},
                        {"qualified", "Gemm.kernel"},
                        {"file", file},
                        {"library", library},
                        {"line", 12},
                        {"class", "Gemm"},
                        {"attributes", {{"stages", 4}, {"dtype", "Float16"}}},
                        {"constants", {{"tile", {64, 64}}}}}
             .dump() +
         "\n";
}

Capture program() {
  Capture capture;
  capture.program = "/p/gemm.py";
  return capture;
}

TEST(Events, JoinALaunchWithItsFunction) {
  Capture capture = program();
  // A kernel is traced once per compilation: the same line twice.
  const std::string kernels = kernel_line("k_0", "/p/gemm.py", false);
  add_events(launch_line, kernels + kernels, capture);
  ASSERT_EQ(capture.launches.size(), 1u);
  const Launch& launch = capture.launches[0];
  EXPECT_EQ(launch.qualified, "Gemm.kernel");
  EXPECT_EQ(launch.line, 12);
  EXPECT_TRUE(launch.own);
  EXPECT_EQ(launch.grid, (Extents{4, 2, 1}));
  EXPECT_EQ(launch.block, (Extents{128, 1, 1}));
  ASSERT_TRUE(launch.cluster);
  EXPECT_EQ(*launch.cluster, (Extents{2, 1, 1}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 1024u);
  ASSERT_EQ(launch.constructor.size(), 2u);
  EXPECT_EQ(launch.constructor[0], (std::pair<std::string, std::string>("dtype", "\"Float16\"")));
  EXPECT_TRUE(capture.recorded());
}

TEST(Events, CountEqualLaunchesOnce) {
  Capture capture = program();
  add_events(std::string(launch_line) + library_line + launch_line, kernel_line("k_0", "/p/gemm.py", false),
             capture);
  ASSERT_EQ(capture.launches.size(), 2u);
  EXPECT_EQ(capture.launches[0].times, 2);
  EXPECT_EQ(capture.launches[1].times, 1);
  EXPECT_FALSE(capture.launches[1].cluster) << "the attribute was not passed";
}

TEST(Events, OfALibraryOnlyAreNotTheProgramsOwn) {
  Capture capture = program();
  add_events(library_line, kernel_line("convert_0", "/usr/lib/dsl/testing.py", true), capture);
  ASSERT_EQ(capture.launches.size(), 1u);
  EXPECT_FALSE(capture.recorded());
}

TEST(Events, OfAHelperModuleAreItsOwnWhereThereIsNoOther) {
  Capture capture = program();
  add_events(
      std::string(launch_line) + library_line,
      kernel_line("k_0", "/p/common.py", false) + kernel_line("convert_0", "/usr/lib/dsl/testing.py", true),
      capture);
  EXPECT_TRUE(capture.launches[0].own);
  EXPECT_FALSE(capture.launches[1].own);
}

TEST(Events, CutOffInTheMiddleOfALineAreTakenAsFarAsTheyGo) {
  Capture capture = program();
  add_events(std::string(launch_line) + "{\"event\":\"laun", "not json\n[1]\n", capture);
  ASSERT_EQ(capture.launches.size(), 1u);
  EXPECT_EQ(capture.launches[0].symbol, "k_0");
  EXPECT_FALSE(capture.recorded()) << "no function is known for it";
}

TEST(Events, KeepTensorMaps) {
  Capture capture = program();
  add_events(
      R"({"event":"tensor_map","type":6,"swizzle":3,"extents":[64,128],"strides_bytes":[128],"box":[64,32]})",
      "", capture);
  ASSERT_EQ(capture.tensor_maps.size(), 1u);
  EXPECT_EQ(capture.tensor_maps[0].swizzle, 3);
  EXPECT_EQ(capture.tensor_maps[0].box, (std::vector<std::uint64_t>{64, 32}));
}

TEST(CaptureJson, ComesBackAsItWas) {
  Capture capture = program();
  capture.flags = {"--mnkl", "1,2,3,4"};
  capture.arch = "sm_90a";
  capture.dsl_version = "4.8.1";
  capture.torch = "stand-in";
  capture.ended = Ended::memory_limit;
  capture.reason = "more than 8.0 GiB resident";
  capture.output = "bytes \xff that are no text";
  capture.sources = {{"/p/gemm.py", "ab"}};
  add_events(launch_line, kernel_line("k_0", "/p/gemm.py", false), capture);
  const std::string text = to_json(capture);
  auto back = capture_from_json(text);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->ended, Ended::memory_limit);
  EXPECT_EQ(back->launches[0].constructor, capture.launches[0].constructor);
}

TEST(CaptureJson, OfAnotherSchemaIsRefused) {
  for (const char* text :
       {"", "[]", "{\"schema\":\"cutelab.run\",\"schema_version\":1}", "{\"schema\":\"cutelab.capture\"}"})
    EXPECT_FALSE(capture_from_json(text)) << text;
}

/// Member names per section of docs/capture.md.
std::map<std::string, std::set<std::string>> documented() {
  std::ifstream file(CUTELAB_SOURCE_DIR "/docs/capture.md");
  std::map<std::string, std::set<std::string>> sections;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) == 0) sections[section].insert(line.substr(3, line.find('`', 3) - 3));
  }
  return sections;
}

TEST(CaptureJson, PageNamesExactlyWhatIsWritten) {
  Capture capture = program();
  capture.sources = {{"/p/gemm.py", "ab"}};
  add_events(std::string(launch_line) + R"({"event":"tensor_map","type":6})", "", capture);
  const auto whole = nlohmann::json::parse(to_json(capture));
  Sweep sweep;
  sweep.programs.emplace_back();
  const auto swept = nlohmann::json::parse(to_json(sweep));
  const std::map<std::string, nlohmann::json> written = {
      {"Capture", whole},
      {"Sweep", swept},
      {"Program of a sweep", swept["programs"][0]},
      {"Launch", whole["launches"][0]},
      {"Launch attribute", whole["launches"][0]["attributes"][0]},
      {"Tensor map", whole["tensor_maps"][0]},
      {"Source file", whole["sources"][0]}};
  const auto pages = documented();
  EXPECT_EQ(pages.size(), written.size());
  for (const auto& [section, json] : written) {
    std::set<std::string> members;
    for (const auto& [name, value] : json.items()) members.insert(name);
    ASSERT_TRUE(pages.count(section)) << section;
    EXPECT_EQ(pages.at(section), members) << section;
  }
}

}  // namespace
}  // namespace cutelab::capture
