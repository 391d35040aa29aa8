// What a CUDA C++ source launches once its host code has run: casts, constructors, macros, branches. The
// expectations are what a C++ compiler makes of the same text; where the sources do not tell it, nothing is
// said.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reading/read.h"
#include "support/text_files.h"

namespace cutelab {
namespace {
using HostLaunches = std::vector<std::string>;

std::string part_of_launch(const evidence::Fact& launch, const std::string& part) {
  const auto found = launch.values.find(part);
  return found == launch.values.end() ? "-" : found->second.text();
}

/// "grid block smem" of each launch; "?" is undetermined, "-" not a part of it.
HostLaunches host_launches(const std::string& text, const std::string& also = "smem_bytes") {
  reading::Request request;
  request.path = "/k/kernel.cu";
  const std::string kernel = "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n";
  const auto result = reading::read(request, TextFiles({"/k/kernel.cu"}, {kernel + text}));
  EXPECT_TRUE(result.ok());
  HostLaunches out;
  if (result.ok())
    for (const evidence::Fact& f : result->facts)
      if (f.kind == "launch" && f.values.count("grid"))
        out.push_back(part_of_launch(f, "grid") + " " + part_of_launch(f, "block") + " " +
                      part_of_launch(f, also));
  return out;
}

TEST(CppHostValues, WrittenThroughConstructorsAndCasts) {
  const std::string keeper = "struct H { H(int& a) { a = 9; } };\n";
  EXPECT_EQ(
      host_launches(keeper + "int main() { int a = 1; new H(a); k<<<a, 1>>>(nullptr);\n"
                             "  int b = 1; auto u = std::make_unique<H>(b); k<<<b, 1>>>(nullptr);\n"
                             "  int c = 1; std::vector<H> v; v.emplace_back(c); k<<<c, 1>>>(nullptr); }\n"),
      HostLaunches({"? 1 -", "? 1 -", "? 1 -"}));
  EXPECT_EQ(host_launches("int main() { int i = 1; ((int&)i)++; k<<<i, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -"}));
}

TEST(CppHostValues, MacrosThatAssign) {
  EXPECT_EQ(host_launches("#define NOT(...)\n#define INTO(v, ...) v = __VA_ARGS__\n"
                          "#define BOTH(v, x) v = x\n#define PASS(...) BOTH(__VA_ARGS__)\n"
                          "#define RESET d = 5\n#define STEP() e++\n"
                          "int main() { int a = 1; NOT(a = 3); k<<<a, 1>>>(nullptr);\n"
                          "  int b = 1; INTO(b, 4); k<<<b, 1>>>(nullptr); int c = 1; PASS(c, 4);\n"
                          "  k<<<c, 1>>>(nullptr); int d = 1; RESET; k<<<d, 1>>>(nullptr);\n"
                          "  int e = 1; STEP(); k<<<e, 1>>>(nullptr); int f = 1; k<<<f, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "? 1 -", "? 1 -", "? 1 -", "? 1 -", "1 1 -"}));
}

TEST(CppHostValues, MacrosByTheirPlace) {
  const std::string text =
      "int main() {\n#define N 100\n  k<<<N, 1>>>(nullptr);\n#undef N\n#define N 50\n"
      "  k<<<N, 2>>>(nullptr);\n#if N > 60\n  k<<<3, 3>>>(nullptr);\n"
      "#elif N > 60 || defined(MINE)\n  k<<<4, 4>>>(nullptr);\n#endif\n}\n";
  EXPECT_EQ(host_launches(text, "active"), HostLaunches({"100 1 -", "50 2 -", "3 3 false", "4 4 ?"}));
}

TEST(CppHostValues, BranchesByTheTypeOfATemplate) {
  EXPECT_EQ(host_launches("template <class T> void run(int n) {\n"
                          "  if constexpr (std::is_same_v<T, float>) k<<<n, 64>>>(nullptr);\n"
                          "  else if constexpr (std::is_same<T, double>::value) k<<<n, 96>>>(nullptr);\n"
                          "  else k<<<1, 1>>>(nullptr); }\nint main() { run<double>(7); }\n",
                          "active"),
            HostLaunches({"7 64 false", "7 96 -", "1 1 false"}));
}

TEST(CppHostValues, ObjectsThatLookLikeFunctions) {
  EXPECT_EQ(
      host_launches("int main() { int m = 2, n = 3; dim3 g(m, n); dim3 b(n); k<<<g, b>>>(nullptr); }\n"),
      HostLaunches({"(2, 3, 1) (3, 1, 1) -"}));
  EXPECT_EQ(host_launches("struct m {};\nint main() { dim3 g(m); k<<<1, 1>>>(nullptr); }\n"),
            HostLaunches({"1 1 -"}));
}

}  // namespace
}  // namespace cutelab
