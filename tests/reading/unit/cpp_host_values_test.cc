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

/// The same where nothing is run, as there is no main.
HostLaunches text_launches(std::string text, const std::string& also = "smem_bytes") {
  for (auto at = text.find(" main("); at != std::string::npos; at = text.find(" main(", at))
    text[at + 1] = 'p';
  return host_launches(text, also);
}

TEST(CppTextValues, WrittenThroughConstructorsAndCasts) {
  const std::string keeper = "struct H { H(int& a) { a = 9; } };\n";
  EXPECT_EQ(
      text_launches(keeper + "int main() { int a = 1; new H(a); k<<<a, 1>>>(nullptr);\n"
                             "  int b = 1; auto u = std::make_unique<H>(b); k<<<b, 1>>>(nullptr);\n"
                             "  int c = 1; std::vector<H> v; v.emplace_back(c); k<<<c, 1>>>(nullptr); }\n"),
      HostLaunches({"? 1 -", "? 1 -", "? 1 -"}));
  EXPECT_EQ(text_launches("int main() { int i = 1; ((int&)i)++; k<<<i, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -"}));
}

TEST(CppTextValues, MacrosThatAssign) {
  EXPECT_EQ(text_launches("#define NOT(...)\n#define INTO(v, ...) v = __VA_ARGS__\n"
                          "#define BOTH(v, x) v = x\n#define PASS(...) BOTH(__VA_ARGS__)\n"
                          "#define RESET d = 5\n#define STEP() e++\n"
                          "int main() { int a = 1; NOT(a = 3); k<<<a, 1>>>(nullptr);\n"
                          "  int b = 1; INTO(b, 4); k<<<b, 1>>>(nullptr); int c = 1; PASS(c, 4);\n"
                          "  k<<<c, 1>>>(nullptr); int d = 1; RESET; k<<<d, 1>>>(nullptr);\n"
                          "  int e = 1; STEP(); k<<<e, 1>>>(nullptr); int f = 1; k<<<f, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "? 1 -", "? 1 -", "? 1 -", "? 1 -", "1 1 -"}));
}

TEST(CppTextValues, MacrosByTheirPlace) {
  const std::string text =
      "int main() {\n#define N 100\n  k<<<N, 1>>>(nullptr);\n#undef N\n#define N 50\n"
      "  k<<<N, 2>>>(nullptr);\n#if N > 60\n  k<<<3, 3>>>(nullptr);\n"
      "#elif N > 60 || defined(MINE)\n  k<<<4, 4>>>(nullptr);\n#endif\n}\n";
  EXPECT_EQ(text_launches(text, "active"), HostLaunches({"100 1 -", "50 2 -", "3 3 false", "4 4 ?"}));
}

TEST(CppTextValues, BranchesByTheTypeOfATemplate) {
  EXPECT_EQ(text_launches("template <class T> void run(int n) {\n"
                          "  if constexpr (std::is_same_v<T, float>) k<<<n, 64>>>(nullptr);\n"
                          "  else if constexpr (std::is_same<T, double>::value) k<<<n, 96>>>(nullptr);\n"
                          "  else k<<<1, 1>>>(nullptr); }\nint main() { run<double>(7); }\n",
                          "active"),
            HostLaunches({"7 64 false", "7 96 -", "1 1 false"}));
}

TEST(CppTextValues, ObjectsThatLookLikeFunctions) {
  EXPECT_EQ(
      text_launches("int main() { int m = 2, n = 3; dim3 g(m, n); dim3 b(n); k<<<g, b>>>(nullptr); }\n"),
      HostLaunches({"(2, 3, 1) (3, 1, 1) -"}));
  EXPECT_EQ(text_launches("struct m {};\nint main() { dim3 g(m); k<<<1, 1>>>(nullptr); }\n"),
            HostLaunches({"1 1 -"}));
}

TEST(CppTextValues, NamesOfTheFileThatAUsingBrings) {
  EXPECT_EQ(text_launches("namespace a { constexpr int T = 64; }\nusing a::T;\n"
                          "template <int T> struct W { int f() const { return ::T + 1; } };\n"
                          "template <int T> struct V { int f() const { return ::U + T; } };\n"
                          "int main() { k<<<W<8>{}.f(), 1>>>(nullptr); k<<<V<8>{}.f(), 1>>>(nullptr); }\n"),
            HostLaunches({"65 1 -", "? 1 -"}));
  EXPECT_EQ(text_launches("void open(int& x);\nvoid shut(int x);\n"
                          "int main() { int a = 1; open(a); int b = 2; shut(b); k<<<a, b>>>(nullptr); }\n"),
            HostLaunches({"? 2 -"}));
  EXPECT_EQ(
      text_launches("int main() { auto c = 'a'; c += 100; auto n = 3; n += 4; k<<<c, n>>>(nullptr); }\n"),
      HostLaunches({"? 7 -"}));
}

TEST(CppTextValues, WhatATestOfTheArgumentsItselfChanges) {
  EXPECT_EQ(
      text_launches("int parse(int& m, int argc) { m = 8; return argc > 3; }\n"
                    "int main(int argc, char** argv) { int m = 5; if (parse(m, argc)) return 1;\n"
                    "  k<<<m, 1>>>(nullptr); int n = 4; if (argc > 1) n = 9; k<<<n, 2>>>(nullptr); }\n"),
      HostLaunches({"? 1 -", "4 2 -"}));
}

TEST(CppHostRun, HelpersThatTakeReferencesAndPointers) {
  EXPECT_EQ(
      host_launches("void set(int& x) { x = 9; }\nvoid twice(int* p) { *p *= 2; }\n"
                    "int taken(int& x) { return x++; }\nvoid fill(int (&a)[3]) { for (int& v : a) v += 4; }\n"
                    "int main() { int a = 1, b = 6; set(a); twice(&b); int c = taken(a);\n"
                    "  int d[3] = {1, 2}; fill(d); std::swap(d[0], d[1]);\n"
                    "  k<<<a, b, c>>>(nullptr); k<<<d[0], d[1], d[2]>>>(nullptr); }\n"),
      HostLaunches({"10 12 9", "6 5 4"}));
  EXPECT_EQ(host_launches("void open(int& x);\nint main() { int a = 1; open(a); k<<<a, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -"}));
}

TEST(CppHostRun, LoopsSwitchesAndCommas) {
  EXPECT_EQ(host_launches(
                "enum Mode { small = 3, large };\n"
                "int main() { int s = 0; for (int i = 0; i < 3; i++) s += i; int t = 256;\n"
                "  while (t * t > 5000) t /= 2; int r = 0; Mode m = large;\n"
                "  switch (m) { case small: r = 1; break; case large: r = 2; default: r += 5; }\n"
                "  int j = 1; int q = (j += 2, j * 2); k<<<s, t, r>>>(nullptr); k<<<j, q>>>(nullptr); }\n"),
            HostLaunches({"3 64 7", "3 6 -"}));
  EXPECT_EQ(host_launches("int main() { for (int i = 1; i < 3; i++) k<<<i, 1>>>(nullptr);\n"
                          "  for (int i = 1; i < 3; i++) k<<<7, i - i + 4>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "7 4 -"}));
}

TEST(CppHostRun, ConstructorsMethodsAndDestructors) {
  EXPECT_EQ(host_launches(
                "struct C { int m; C(int a) : m(a), n(m + 1) { m++; } int n; void add(int x) { n += x; } };\n"
                "struct G { int& r; G(int& x) : r(x) { r = 5; } ~G() { r += 10; } };\n"
                "int main() { C c(3); c.add(6); k<<<c.m, c.n>>>(nullptr); int a = 1;\n"
                "  { G g(a); k<<<a, 1>>>(nullptr); } k<<<a, 2>>>(nullptr); }\n"),
            HostLaunches({"4 10 -", "5 1 -", "15 2 -"}));
}

TEST(CppHostRun, LambdasAndWhatTheyHold) {
  EXPECT_EQ(
      host_launches("int main() { int n = 5; auto by = [n](int x) { return x + n; };\n"
                    "  auto ref = [&n](int x) { n += x; }; n = 10; ref(3);\n"
                    "  auto own = [c = 0]() mutable { return ++c; }; own(); auto other = own; other();\n"
                    "  k<<<by(1), n, own()>>>(nullptr); }\n"),
      HostLaunches({"6 13 2"}));
  EXPECT_EQ(
      host_launches("template <int T> void go(int n) { k<<<n / T, T>>>(nullptr); }\n"
                    "int main() { int n = 256; auto with = [&](auto c) { go<decltype(c)::value>(n); };\n"
                    "  with(std::integral_constant<int, 64>{}); }\n"),
      HostLaunches({"4 64 -"}));
}

TEST(CppHostRun, WhatHasATypeOfItsOwnIsHeldInIt) {
  EXPECT_EQ(host_launches("template <class T> int bytes(T) { return sizeof(T); }\n"
                          "int main() { auto c = 'a'; c += 100; short s = 70000; auto b = 3 > 2; b = 7;\n"
                          "  k<<<c + 200, s, b>>>(nullptr); k<<<bytes('a'), bytes(3L)>>>(nullptr); }\n"),
            HostLaunches({"141 4464 1", "1 8 -"}));
}

TEST(CppHostRun, WhatIsKeptBySomebodyIsNotSaid) {
  EXPECT_EQ(host_launches(
                "int main() { bool u = std::getenv(\"U\"); int a = 1, b = 2; int* p = u ? &a : &b; a = 5;\n"
                "  *p = 7; k<<<a, 1>>>(nullptr); int c = 1; int* q[2] = {&c, &c}; c = 3; *q[1] = 4;\n"
                "  k<<<c, 2>>>(nullptr); int d[2] = {1, 2}; *(d + 1) = 9; k<<<d[1], d[0]>>>(nullptr);\n"
                "  int e = 1; if (u) e = 4; e = 6; k<<<e, 3>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "? 2 -", "9 1 -", "6 3 -"}));
}

TEST(CppHostRun, WhatCannotBeFollowedIsNotSaid) {
  EXPECT_EQ(host_launches("int late = 4;\nint before() { return late *= 3; }\nint first = before();\n"
                          "int main() { k<<<late, 1>>>(nullptr); }\n"),
            HostLaunches({"? 1 -"}));
  EXPECT_EQ(host_launches("int pick(bool b, int n) { if (b) return n; return 2 * n; }\n"
                          "int main() { bool b = std::getenv(\"B\"); k<<<pick(b, 3), 1>>>(nullptr);\n"
                          "  int n = 4; if (b) n = 5; k<<<n, 2>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "? 2 -"}));
  EXPECT_EQ(host_launches("int f(int& a) { return ++a; }\nint g(int a, int b) { return a * 10 + b; }\n"
                          "int main() { int a = 1; k<<<g(f(a), a), 1>>>(nullptr); k<<<a, 2>>>(nullptr); }\n"),
            HostLaunches({"? 1 -", "? 2 -"}));
}

TEST(CppHostRun, MacrosThatLaunchAndMacrosThatPaste) {
  EXPECT_EQ(
      host_launches("template <int N> __global__ void kn() {}\n"
                    "void go(int tile) {\n#define CASE(T) case T: kn<T><<<T, 128>>>(); break\n"
                    "  switch (tile) { CASE(32); CASE(64); }\n#undef CASE\n}\nint main() { go(64); }\n"),
      HostLaunches({"32 128 -", "64 128 -"}));
  EXPECT_EQ(host_launches("#define CAT(a, b) a##b\n#define PUT(v, ...) v = __VA_ARGS__\n"
                          "int main() { int CAT(n, 1) = 4; PUT(n1, n1 + 3); k<<<n1, 1>>>(nullptr);\n"
                          "#ifdef MINE\n  n1 = 9;\n#endif\n  k<<<n1, 2>>>(nullptr); }\n"),
            HostLaunches({"7 1 -", "? 2 -"}));
}

TEST(CppHostRun, WhatOnlyABuildDecides) {
  EXPECT_EQ(host_launches(
                "#ifdef WIDE\nconstexpr int n = 512;\n#else\nconstexpr int n = 128;\n#endif\n"
                "#ifdef NARROW\n#define ROWS 4\n#endif\n#ifndef ROWS\n#define ROWS 6\n#endif\n"
                "#ifndef COLUMNS\n#define COLUMNS 7\n#endif\n"
                "int main() { int m = 1; m += COLUMNS; k<<<m, n>>>(nullptr); k<<<ROWS, 1>>>(nullptr); }\n"),
            HostLaunches({"8 ? -", "? 1 -"}));
}

/// The limits that a reading says its run of the host code ended at.
std::vector<std::string> host_limits(const std::string& text) {
  reading::Request request;
  request.path = "/k/kernel.cu";
  const std::string kernel = "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n";
  const auto result = reading::read(request, TextFiles({"/k/kernel.cu"}, {kernel + text}));
  std::vector<std::string> out;
  if (result.ok())
    for (const auto& one : result->give_ups) out.push_back(one.reason);
  return out;
}

TEST(CppHostRun, HostilePrograms) {
  const std::string ended = "the run of the host code ended at a limit: ";
  EXPECT_EQ(host_limits("int main() { int n = 1; while (true) n ^= 3; k<<<n, 1>>>(nullptr); }\n"),
            HostLaunches({ended + "too many rounds of the host code's loops"}));
  EXPECT_EQ(host_limits("int f(int n) { return f(n + 1); }\nint main() { k<<<f(1), 1>>>(nullptr); }\n"),
            HostLaunches({ended + "calls of the host code that are too many or too deep"}));
  std::string doubling = "#define M0 1\n";
  for (int i = 1; i < 40; ++i)
    doubling += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " + M" +
                std::to_string(i - 1) + "\n";
  EXPECT_EQ(host_limits(doubling + "int main() { k<<<M39, 1>>>(nullptr); }\n").size(), 1u);
  std::string deep = "int main() { int n = ";
  for (int i = 0; i < 20'000; ++i) deep += "(";
  deep += "1";
  for (int i = 0; i < 20'000; ++i) deep += ")";
  EXPECT_EQ(host_limits(deep + "; k<<<n, 1>>>(nullptr); }\n"),
            HostLaunches({ended + "expressions that are nested too deep"}));
}
}  // namespace
}  // namespace cutelab
