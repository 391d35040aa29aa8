#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "support/python_lines.h"
#include "support/ran_program.h"

namespace cutelab {

/// What Python prints for repr(r) of each text; "error" where it raises; empty: there is no Python.
inline std::vector<std::string> python_says(const std::vector<std::string>& texts) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("machine-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ofstream(folder / (std::to_string(i) + ".py")) << texts[i];
  std::ofstream(folder / "run.py") << "import sys\nfor i in range(" << texts.size()
                                   << "):\n    g = {'__name__': '__main__'}\n    try:\n        exec(open('"
                                   << folder.string()
                                   << "/%d.py' % i).read(), g)\n        print(repr(g['r']))\n    except "
                                      "Exception as e:\n        print('error')\n";
  std::vector<std::string> out = cutelab::testing::python_lines(folder / "run.py");
  std::filesystem::remove_all(folder);
  return out;
}

/// What each text leaves in `r` is the same by the machine and by Python.
inline void expect_same(const std::vector<std::string>& texts) {
  const auto expected = python_says(texts);
  if (expected.empty()) GTEST_SKIP() << "python3 is not on this machine";
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RanProgram p(texts[i]);
    if (expected[i] == "error") continue;
    EXPECT_EQ(p.text("r"), expected[i]) << texts[i];
  }
}

}  // namespace cutelab
