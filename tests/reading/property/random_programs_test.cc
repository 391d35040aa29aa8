#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "support/ran_program.h"

// Random programs run by Python and by the machine: what the machine tells is what Python gives. Where it
// does not know, it says so; where Python ends with an error, it tells nothing of what would come after it.
namespace cutelab {
namespace {
namespace fs = std::filesystem;
using reading::machine::Value;

/// Whether anything in a value is not known.
bool holds_unknown(const Value& v, int depth = 0) {
  if (v.is_unknown() || !v.bound() || depth > 8) return true;
  const auto any = [&](const std::vector<Value>& items) {
    for (const Value& item : items)
      if (holds_unknown(item, depth + 1)) return true;
    return false;
  };
  if (const auto* list = v.as<reading::machine::List>())
    return list->open || list->view_of || any(list->items);
  if (const auto* tuple = v.as<reading::machine::Tuple>()) return any(tuple->items);
  if (const auto* set = v.as<reading::machine::Set>())
    return set->open || set->items.size() > 1 || any(set->items);
  if (const auto* dict = v.as<reading::machine::Dict>()) {
    if (dict->open) return true;
    for (const auto& [key, value] : dict->items)
      if (holds_unknown(key, depth + 1) || holds_unknown(value, depth + 1)) return true;
  }
  return false;
}

std::vector<std::string> split_at(const std::string& line, char separator) {
  std::vector<std::string> out;
  std::istringstream parts(line);
  for (std::string part; std::getline(parts, part, separator);) out.push_back(part);
  return out;
}

struct Counts {
  int programs = 0, told = 0, unknown = 0, wrong = 0;
};

void hold(const std::string& text, const std::string& expected, const std::string& name, Counts& counts) {
  RanProgram p(text);
  const Value r = p.value("r");
  const auto* items = r.as<reading::machine::Tuple>();
  if (!items) {
    ++counts.unknown;
    return;
  }
  if (expected == "error" && holds_unknown(r)) {  // it may have come before
    ++counts.unknown;
    return;
  }
  if (expected == "error") {
    ++counts.wrong;
    ADD_FAILURE() << name << " ends with an error in Python; the machine goes on\n" << text;
    return;
  }
  const auto parts = split_at(expected, '\x1f');
  if (parts.size() != items->items.size()) ++counts.wrong;
  ASSERT_EQ(parts.size(), items->items.size()) << name << "\n" << text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto told =
        holds_unknown(items->items[i]) ? std::nullopt : std::optional(p.machine().repr(items->items[i]));
    ++(told ? counts.told : counts.unknown);
    if (!told || *told == parts[i]) continue;
    ++counts.wrong;
    ADD_FAILURE() << name << ", item " << i << ": Python " << parts[i] << ", machine " << *told << "\n"
                  << text;
  }
}

/// Programs of a kind, held against Python.
Counts counted(const std::string& kind, const char* usual) {
  const char* seed = std::getenv("CUTELAB_PROGRAM_SEED");
  const char* count = std::getenv("CUTELAB_PROGRAM_COUNT");
  const fs::path folder =
      fs::temp_directory_path() / ("random-programs-" + kind + std::to_string(::getpid()));
  const fs::path generator = fs::path(CUTELAB_SOURCE_DIR) / "tests/reading/property/random_programs.py";
  const std::string command = "python3 " + generator.string() + " " + (seed ? seed : "20261130") + " " +
                              (count ? count : usual) + " " + folder.string() + " " + kind;
  Counts counts;
  if (std::system(command.c_str()) != 0) return counts;
  std::ifstream expected(folder / "expected.txt");
  for (std::string line; std::getline(expected, line); ++counts.programs) {
    std::ostringstream text;
    const std::string name = std::to_string(counts.programs) + ".py";
    text << std::ifstream(folder / name).rdbuf();
    hold(text.str(), line, name, counts);
  }
  fs::remove_all(folder);
  EXPECT_EQ(counts.wrong, 0);
  if (seed) std::printf("told %d, unknown %d, wrong %d\n", counts.told, counts.unknown, counts.wrong);
  return counts;
}

TEST(RandomPrograms, TheMachineTellsWhatPythonGives) {
  const Counts counts = counted("", "600");
  if (counts.programs == 0) GTEST_SKIP() << "python3 does not write programs";
  EXPECT_GT(counts.told, 2 * counts.unknown) << "of " << counts.programs << " programs";
}

TEST(RandomPrograms, TheMachineTellsWhatObjectsDo) {
  const Counts counts = counted("objects", "600");
  if (counts.programs == 0) GTEST_SKIP() << "python3 does not write programs";
  EXPECT_GT(counts.told, counts.unknown) << "of " << counts.programs << " programs";
}

// Code that the machine does not see may do anything that Python lets it do.
TEST(RandomPrograms, TheMachineTellsNothingThatUnknownCodeMayChange) {
  const Counts counts = counted("unknown", "600");
  if (counts.programs == 0) GTEST_SKIP() << "python3 does not write programs";
  EXPECT_GT(counts.told, counts.programs) << "of " << counts.programs << " programs";
  EXPECT_GT(counts.unknown, counts.programs) << "of " << counts.programs << " programs";
}

}  // namespace
}  // namespace cutelab
