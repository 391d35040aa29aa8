// What a CUDA C++ source launches. Each expectation is what nvcc 13.0 makes of the same text when it is
// compiled and the launches are recorded; where these sources do not tell it, nothing is said.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reading/read.h"
#include "support/text_files.h"

namespace cutelab {
namespace {
using evidence::Fact;
using evidence::Reading;

Reading read_launching(const std::string& text) {
  reading::Request request;
  request.path = "/k/kernel.cu";
  auto result = reading::read(request, TextFiles({"/k/kernel.cu"}, {text}));
  EXPECT_TRUE(result.ok());
  return result.ok() ? std::move(*result) : Reading();
}

std::string shown(const Fact& launch, const std::string& part) {
  const auto found = launch.values.find(part);
  return found == launch.values.end() ? "-" : found->second.text();
}

const std::string touching_kernel = "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n";

/// "grid block smem" of each launch; "?" is undetermined, "-" not a part of it.
std::vector<std::string> launches(const std::string& text, const std::string& also = "smem_bytes") {
  std::vector<std::string> out;
  // No main: nothing is run, the text alone tells.
  std::string kept = touching_kernel + text;
  for (auto at = kept.find(" main("); at != std::string::npos; at = kept.find(" main(", at))
    kept[at + 1] = 'p';
  for (const Fact& f : read_launching(kept).facts)
    if (f.kind == "launch" && f.values.count("grid"))
      out.push_back(shown(f, "grid") + " " + shown(f, "block") + " " + shown(f, also));
  return out;
}

using Launches = std::vector<std::string>;

TEST(CppLaunchValues, ExtentsThatAreSetAfterTheDeclaration) {
  EXPECT_EQ(launches("int main() { dim3 g(4); g.y = 5; dim3 b = {64u}; b.x /= 2; b.x = b.x + 1;\n"
                     "  k<<<g, b>>>(nullptr); g.y = 9; }\n"),
            Launches({"(4, 5, 1) (33, 1, 1) -"}));
  EXPECT_EQ(launches("int main() { dim3 g; g = dim3(5); if (g.x > 3) g = dim3(7, 1); k<<<g, 1>>>(nullptr);\n"
                     "  dim3 h; h.x = 3; h.y = h.x * 2; k<<<h, dim3()>>>(nullptr); }\n"),
            Launches({"(7, 1, 1) 1 -", "(3, 6, 1) (1, 1, 1) -"}));
  EXPECT_EQ(
      launches("int main() { dim3 q{9}; for (int i = 0; i < 2; ++i) { q.x -= 1; } k<<<q, 1>>>(nullptr); }\n"),
      Launches({"? 1 -"}));
}

TEST(CppLaunchValues, MembersOfStructsThatAreWrittenTo) {
  const std::string args = "struct Args { int m, n = 2; dim3 g = dim3(3); };\n";
  EXPECT_EQ(launches(args + "int main() { Args a{5}; a.m *= 2; a.g.x = 6; k<<<a.g, a.m, a.n>>>(nullptr);\n"
                            "  Args b = a; b.n = 9; k<<<b.n, a.n>>>(nullptr);\n"
                            "  Args c; c.m = 3; auto& d = c; d.m = 11; k<<<c.m, d.m>>>(nullptr); }\n"),
            Launches({"(6, 1, 1) 10 2", "9 2 -", "11 11 -"}));
  EXPECT_EQ(launches("struct G { int x = 1; int y = 2; };\n"
                     "int main() { G g; g.y = 5; G h{7}; h.x++; G* p = &h; p->y = 9; k<<<g.y, h.x, "
                     "h.y>>>(nullptr); }\n"),
            Launches({"5 8 9"}));
  EXPECT_EQ(launches("struct P { int m = 4; void set(int v) { m = v; } };\n"
                     "int main() { P p; p.set(7); k<<<p.m, 1>>>(nullptr); }\n"),
            Launches({"? 1 -"}));
  EXPECT_EQ(
      launches(
          "struct C { int m; C(int a) : m(a * 2) {} };\nint main() { C c(3); k<<<c.m, 1>>>(nullptr); }\n"),
      Launches({"? 1 -"}));
}

TEST(CppLaunchValues, ReferencesAndWhoTakesThem) {
  EXPECT_EQ(launches("void set(int& x) { x = 9; }\nvoid set_to(int* x) { *x = 8; }\n"
                     "int main() { int a = 1, b = 2, c = 3; set(a); set_to(&b); int& r = c; r = 6;\n"
                     "  k<<<a, b, c>>>(nullptr); }\n"),
            Launches({"? ? 6"}));
  EXPECT_EQ(launches("int main() { int a = 1; const int& r = a; a = 5; k<<<r, 1>>>(nullptr); }\n"),
            Launches({"5 1 -"}));
  EXPECT_EQ(launches("int main() { dim3 i{1, 2, 3}; dim3 j = i; j.z = 5; std::swap(i.x, i.y); k<<<i, "
                     "j>>>(nullptr); }\n"),
            Launches({"? (1, 2, 5) -"}));
}

TEST(CppLaunchValues, WhatLambdasBranchesAndLoopsWrite) {
  EXPECT_EQ(launches("int main(int argc, char** argv) { int m = 64; if (argc > 1) m = atoi(argv[1]);\n"
                     "  int s = 2; if (m > 32) s = 3; else s = 4; k<<<m, s>>>(nullptr); }\n"),
            Launches({"64 3 -"}));
  EXPECT_EQ(
      launches(
          "int main() { int s = 10; auto f = [&](int g) { k<<<g, s>>>(nullptr); }; f(3); s = 1; f(4); }\n"),
      Launches({"? ? -"}));
  EXPECT_EQ(
      launches("int main() { int n = 3; auto h = [n]() mutable { n = 8; }; h(); k<<<n, 3>>>(nullptr); }\n"),
      Launches({"3 3 -"}));
  EXPECT_EQ(launches("int main() { for (int b : {32, 64}) k<<<1, b>>>(nullptr);\n"
                     "  for (int i = 0; i < 3; ++i) k<<<i, 1>>>(nullptr); }\n"),
            Launches({"1 ? -", "? 1 -"}));
  EXPECT_EQ(launches("int main() { int w = 5; { int w = 6; w++; } k<<<w, 1>>>(nullptr); }\n"),
            Launches({"5 1 -"}));
}

TEST(CppLaunchValues, WhatIsKeptAndWhatRunsAgain) {
  EXPECT_EQ(
      launches("int main() { int h = 2; { int* q = &h; int** qq = &q; **qq = 4; } k<<<h, 1>>>(nullptr); }\n"),
      Launches({"? 1 -"}));
  EXPECT_EQ(launches("int main() { int g = 1; for (int i = 0; i < 2; ++i) { k<<<g, 1>>>(nullptr); auto f = "
                     "[&] { g = 5; };\n"
                     "  f(); } }\n"),
            Launches({"? 1 -"}));
  EXPECT_EQ(
      launches("int main() { int g = 1; again: k<<<g, 1>>>(nullptr); g = 2; if (g < 2) goto again; }\n"),
      Launches({"? 1 -"}));
  EXPECT_EQ(
      launches("int main() { int g = 1; g = 2; again: k<<<g, 1>>>(nullptr); if (g < 2) goto again; }\n"),
      Launches({"? 1 -"}));
  EXPECT_EQ(launches("int main() { dim3 g(1); if (probe()) g = dim3(9); g.x = 4; k<<<g.x, g.y>>>(nullptr);\n"
                     "  g = dim3(3, 3); k<<<g.x, g.y>>>(nullptr); }\n"),
            Launches({"? ? -", "3 3 -"}));
}

TEST(CppLaunchValues, AParameterIsWhatTheFunctionMakesOfIt) {
  EXPECT_EQ(
      launches("void twice(int m) { m *= 2; k<<<m, 7>>>(nullptr); { int m = 3; k<<<m, 1>>>(nullptr); } }\n"
               "int main() { twice(4); }\n"),
      Launches({"8 7 -", "3 1 -"}));
}

TEST(CppLaunchValues, FunctionsOfTheFileAreRun) {
  EXPECT_EQ(
      launches(
          "constexpr int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }\n"
          "constexpr int loop(int n) { int s = 0; for (int i = 0; i < n; ++i) { if (i == 3) continue;\n"
          "  if (i > 5) break; s += i; } return s; }\n"
          "int pick(int x) { switch (x) { case 1: return 256; case 2: x = 64; break; default: x = 32; }\n"
          "  return x; }\n"
          "int main() { k<<<fact(4), loop(100), pick(2)>>>(nullptr); k<<<pick(1), pick(5)>>>(nullptr); }\n"),
      Launches({"24 12 64", "256 32 -"}));
  EXPECT_EQ(launches("struct Params { dim3 grid() const { return dim3(n, 2); } int n = 3; };\n"
                     "template <class P> struct Kern { static constexpr int threads = 64;\n"
                     "  static dim3 get_grid(P const& p) { dim3 g = p.grid(); g.z = 4; return g; }\n"
                     "  static int smem() { return sizeof(P) * 4; } };\n"
                     "int main() { Params p; using K = Kern<Params>;\n"
                     "  k<<<K::get_grid(p), K::threads, K::smem()>>>(nullptr); p.n = 9; k<<<p.grid(), "
                     "1>>>(nullptr); }\n"),
            Launches({"(3, 2, 4) 64 16", "(9, 2, 1) 1 -"}));
  EXPECT_EQ(launches("int n = 5;\nint local(int n) { int t = n + 1; return t; }\nint member() { return n; }\n"
                     "int main() { k<<<local(1), member()>>>(nullptr); }\n"),
            Launches({"2 5 -"}));
  EXPECT_EQ(
      launches(
          "int g = 1;\nint next() { g = g + 1; return g; }\nint main() { k<<<next(), g>>>(nullptr); }\n"),
      Launches({"? ? -"}));
}

TEST(CppLaunchValues, MacrosWithArguments) {
  EXPECT_EQ(launches("#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n#define SQUARE(x) x * x\n"
                     "int main() { int m = 100; k<<<CEIL_DIV(m + 1, 32), SQUARE(4)>>>(nullptr);\n"
                     "  k<<<SQUARE(3 + 1), -SQUARE(4) + 30>>>(nullptr); }\n"),
            Launches({"4 16 -", "? ? -"}));
  EXPECT_EQ(launches("#define LAUNCH(kern, g, b, s) kern<<<g, b, s>>>(nullptr)\n"
                     "int main() { int n = 8; LAUNCH(k, 11, n, n * 4); }\n"),
            Launches({"11 8 32"}));
}

TEST(CppLaunchValues, LaunchesThroughStructsOfTheRuntime) {
  EXPECT_EQ(launches("int main() { cudaLaunchConfig_t c{}; c.gridDim = dim3(4, 2); c.blockDim = 128; "
                     "c.dynamicSmemBytes = 1024;\n"
                     "  cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeClusterDimension;\n"
                     "  at[0].val.clusterDim.x = 2; at[0].val.clusterDim.y = 1; at[0].val.clusterDim.z = 1;\n"
                     "  c.attrs = at; c.numAttrs = 1; cudaLaunchKernelEx(&c, k, (int*)nullptr);\n"
                     "  c.gridDim.x = 8; c.blockDim.y = 2; cudaLaunchKernelEx(&c, k, (int*)nullptr); }\n",
                     "cluster"),
            Launches({"(4, 2, 1) (128, 1, 1) (2, 1, 1)", "(8, 2, 1) (128, 2, 1) (2, 1, 1)"}));
  EXPECT_EQ(
      launches(
          "int main() { cutlass::ClusterLaunchParams p{dim3(6), dim3(64), dim3(2, 1, 1), 2048};\n"
          "  p.smem_size_in_bytes = 4096; cutlass::launch_kernel_on_cluster(p, (void const*)k, nullptr);\n"
          "  void* a[] = {nullptr}; cudaLaunchKernel((void*)k, dim3(3), dim3(32, 2), a, 512, 0); }\n"),
      Launches({"(6, 1, 1) (64, 1, 1) 4096", "(3, 1, 1) (32, 2, 1) 512"}));
}

/// The bytes of structs, each as the grid of a launch.
Launches sizes(const std::string& structs, const std::string& a, const std::string& b, const std::string& c) {
  return launches(structs + "int main() { k<<<sizeof(" + a + "), sizeof(" + b + "), sizeof(" + c +
                  ")>>>(nullptr); }\n");
}

TEST(CppLaunchValues, SizesOfAlignedAndPackedStructs) {
  EXPECT_EQ(sizes("struct __align__(128) S { char c; };\nstruct alignas(64) T { char c; };\n"
                  "template <int N> struct __align__(128) V { char c[N]; };\n",
                  "S", "T", "V<3>"),
            Launches({"128 64 128"}));
  EXPECT_EQ(sizes("struct S { __align__(32) char c; };\nstruct T { char c; } __attribute__((aligned(16)));\n"
                  "struct __attribute__((packed)) P { char a; int b; };\n",
                  "S", "T", "P"),
            Launches({"32 16 5"}));
  EXPECT_EQ(
      sizes("#pragma pack(push, 1)\nstruct P { char a; double b; };\n#pragma pack(pop)\n"
            "struct Q { char a; double b; };\nstruct B { int a : 3; int b : 5; unsigned char c : 2; };\n",
            "P", "Q", "B"),
      Launches({"9 16 4"}));
}

TEST(CppLaunchValues, SizesOfBasesVirtualsAndDeclarators) {
  EXPECT_EQ(sizes("struct V { virtual void f(); int x; };\nstruct A { int a[2], b[3]; };\n"
                  "struct F { void (*f)(int); int (*g)[4]; int* h[2]; };\n",
                  "V", "A", "F"),
            Launches({"16 20 32"}));
  EXPECT_EQ(sizes("struct N1 { N1() {} int a; char b; };\nstruct N2 : N1 { char c; };\n"
                  "struct B1 { int a; char b; };\nstruct B2 : B1 { char c; };\n"
                  "struct C1 { int x; private: char b; };\nstruct C2 : C1 { char c; };\n",
                  "N2", "B2", "C2"),
            Launches({"8 12 8"}));
  EXPECT_EQ(sizes("struct E {};\nstruct C { char c; };\nstruct D : E { int x; };\nstruct F : C { int x; };\n"
                  "struct S { static int s; int x; static constexpr int y = 3; enum K { A } e; };\n",
                  "D", "F", "S"),
            Launches({"4 8 8"}));
  EXPECT_EQ(sizes("float a[3];\nint b = 1;\n", "int*", "a", "float[5]"), Launches({"8 12 20"}));
}

TEST(CppLaunchValues, WhatTheLayoutOfEmptyBasesLeavesOpen) {
  EXPECT_EQ(
      sizes("struct E {};\nstruct F : E {};\nstruct H { E e; int x; };\nstruct G : E { F e; char x; };\n",
            "F", "H", "G"),
      Launches({"1 8 ?"}));
}

TEST(CppLaunchValues, MembersThatHideOnesOfABase) {
  EXPECT_EQ(launches("struct A { int n = 1; int t = 2; };\nstruct B : A { int t = 7; };\n"
                     "int main() { B b; b.t = 6; b.A::t = 8; k<<<b.t, 1>>>(nullptr); A a; a.t = 5; k<<<a.t, "
                     "a.n>>>(nullptr); }\n"),
            Launches({"? 1 -", "5 1 -"}));
}

TEST(CppLaunchValues, SpecializationsForPointersAndPacks) {
  EXPECT_EQ(launches("template <class T> struct Q { static constexpr int n = 1; };\n"
                     "template <class T> struct Q<T*> { static constexpr int n = 2; };\n"
                     "template <class T> struct Q<const T> { static constexpr int n = 3; };\n"
                     "template <class T> struct Q<T&> { static constexpr int n = 4; };\n"
                     "template <> struct Q<double> { static constexpr int n = 5; };\n"
                     "int main() { k<<<Q<float*>::n, Q<const float>::n, Q<float&>::n>>>(nullptr);\n"
                     "  k<<<Q<float>::n, Q<double>::n>>>(nullptr); }\n"),
            Launches({"2 3 4", "1 5 -"}));
  EXPECT_EQ(launches("template <class... T> constexpr int cnt = sizeof...(T);\n"
                     "template <class... T> struct Cn { static constexpr int v = sizeof...(T); };\n"
                     "int main() { k<<<cnt<int, float>, Cn<int, char, int>::v, Cn<>::v>>>(nullptr); }\n"),
            Launches({"2 3 0"}));
}

TEST(CppLaunchValues, MembersOfBasesAndTypedefs) {
  EXPECT_EQ(launches("struct Base { static constexpr int t = 128; static constexpr int u = 1; };\n"
                     "struct Derived : Base { static constexpr int u = 2, v = 7; enum { w = 9 }; };\n"
                     "typedef Derived D;\nint main() { k<<<D::t, D::u, D::v>>>(nullptr); k<<<D::w, "
                     "Traits::n>>>(nullptr); }\n"),
            Launches({"128 2 7", "9 ? -"}));
}

TEST(CppLaunchValues, SharedMemoryOfCalledFunctionsAndAllDeclarators) {
  EXPECT_EQ(
      launches(
          "__device__ void helper() { __shared__ int h[16]; h[0] = 1; }\n"
          "__global__ void y() { helper(); __shared__ char c[4]; c[0] = 1; }\n"
          "__global__ void z() { __shared__ int a[2][3], b[5]; __shared__ int (*fp)[4]; a[0][0] = b[0]; }\n"
          "int main() { y<<<1, 2>>>(); z<<<1, 2>>>(); }\n",
          "static_smem_bytes"),
      Launches({"1 2 68", "1 2 52"}));
}

TEST(CppStaleValues, NamesOfHeadersStayInThem) {
  EXPECT_EQ(launches("int main() { int t = 8; if (int t = 33; t > 1) { k<<<t, 1>>>(nullptr); }\n"
                     "  k<<<t, 2>>>(nullptr); switch (int t = 5; t) { default: break; }\n"
                     "  k<<<t, 3>>>(nullptr); while (int t = 0) {}\n  for (int t : {1, 2}) {}\n"
                     "  k<<<t, 4>>>(nullptr); }\n"),
            Launches({"33 1 -", "8 2 -", "8 3 -", "8 4 -"}));
}

TEST(CppStaleValues, MacrosThatAssign) {
  EXPECT_EQ(launches("#define PUT(v, x) v = x\n#define STEP(v) ++(v)\n#define TWICE(v) STEP(v)\n"
                     "#define SAME(v) ((v) == 3)\n"
                     "int main() { int a = 1, b = 2, c = 3, d = 4; PUT(a, d); STEP(b); TWICE(c); SAME(d);\n"
                     "  k<<<a, b, c>>>(nullptr); k<<<d, 1>>>(nullptr); }\n"),
            Launches({"? ? ?", "4 1 -"}));
}

TEST(CppStaleValues, CalleesThatAreNotSeen) {
  const std::string functions =
      "void up(int& a) { a += 3; }\nint twice(int a) { return 2 * a; }\n"
      "struct F { void put(int& a) { a = 9; } void operator()(int& a) { a = 7; } };\n"
      "void hard(const int& a) { const_cast<int&>(a) = 6; }\n";
  EXPECT_EQ(launches(functions +
                     "int main() { int a = 1, b = 2, c = 3; void (*p)(int&) = up; p(a); auto q = up; q(b);\n"
                     "  (*q)(c); k<<<a, b, c>>>(nullptr);\n"
                     "  int d = 4, e = 5, f = 6; F{}.put(d); F o; o(e); [](auto& x) { x = 1; }(f);\n"
                     "  k<<<d, e, f>>>(nullptr); int g = 7, h = 8, i = 9; std::invoke(up, g);\n"
                     "  std::function<void(int&)> s = up; s(h); hard(i); k<<<g, h, i>>>(nullptr); }\n"),
            Launches({"? ? ?", "? ? ?", "? ? ?"}));
  EXPECT_EQ(
      launches(functions +
               "int main() { int a = 1, b = 2, c = 3; twice(a); dim3 g(a, b * 1); std::min(b, c);\n"
               "  auto l = make_layout(a, b); l(c); k<<<g, a>>>(nullptr); k<<<a, b, c>>>(nullptr); }\n"),
      Launches({"(1, 2, 1) 1 -", "1 2 3"}));
}

TEST(CppStaleValues, CapturesOfLambdas) {
  EXPECT_EQ(launches("int up(int& a) { return ++a; }\n"
                     "int main() { int n = 5; auto f = [&n](int x) { n += x; return n; }; n = 10; f(3);\n"
                     "  k<<<n, 1>>>(nullptr); int o = 4; auto g = [&r = o] { r = 15; }; g();\n"
                     "  k<<<o, 2>>>(nullptr); int m = 1; auto h = [v = up(m)] { return v; };\n"
                     "  k<<<m, 3>>>(nullptr); int q = 1; auto i = [&q] { q = 2; }; q = 7;\n"
                     "  k<<<q, 4>>>(nullptr); int s = 3; auto j = [s = s + 1] { return s; };\n"
                     "  k<<<s, 5>>>(nullptr); }\n"),
            Launches({"? 1 -", "? 2 -", "? 3 -", "7 4 -", "3 5 -"}));
}

TEST(CppStaleValues, ObjectsThatKeepAReference) {
  EXPECT_EQ(launches("struct H { int& r; H(int& a) : r(a) {} ~H() { r = 70; } };\nstruct Q { int& r; };\n"
                     "struct V { int n; };\n"
                     "int main() { int a = 1, b = 2, c = 3; { H h(a); a = 4; } H g{b}; Q q{c}; q.r = 6;\n"
                     "  k<<<a, b, c>>>(nullptr); int d = 1, e = 2, f = 3; auto t = std::tuple<int&>(d);\n"
                     "  std::reference_wrapper<int> w = e; w.get() = 8; V v{f}; v.n = 7;\n"
                     "  k<<<d, e, f>>>(nullptr); int u = 1; struct R { int& x; } r{u}; r.x = 20;\n"
                     "  k<<<u, 5>>>(nullptr); }\n"),
            Launches({"? ? ?", "? ? 3", "? 5 -"}));
}

TEST(CppStaleValues, BindingsByReferenceAndChosenTargets) {
  EXPECT_EQ(launches("int main() { auto t = make_tuple(5, 6); auto& [x, y] = t; y = 60;\n"
                     "  k<<<get<1>(t), 1>>>(nullptr); auto u = make_tuple(5, 6); const auto& [z, w] = u;\n"
                     "  k<<<get<1>(u), 2>>>(nullptr); int a = 1, b = 2; (x > 3 ? a : b) = 50;\n"
                     "  k<<<a, b>>>(nullptr); }\n"),
            Launches({"? 1 -", "6 2 -", "? ? -"}));
}

TEST(CppStaleValues, QualifiedNamesAreNotLocals) {
  EXPECT_EQ(
      launches("namespace a { constexpr int T = 3; namespace b { constexpr int T = 4; }\n"
               "inline namespace c { constexpr int V = 6; } enum class F { U = 8 }; }\n"
               "namespace al = a::b;\n"
               "int main() { int T = 99, V = 98, U = 97; k<<<al::T, a::V>>>(nullptr);\n"
               "  { using a::T; k<<<T, 1>>>(nullptr); } { using enum a::F; k<<<int(U), 2>>>(nullptr); }\n"
               "  k<<<T, U>>>(nullptr); }\n"),
      Launches({"? ? -", "3 1 -", "? 2 -", "99 97 -"}));
}

/// "role: warps" of each role.
std::vector<std::string> role_warps(const std::string& body) {
  std::vector<std::string> out;
  const std::string text =
      "__device__ void load() { for (;;) {} }\n__device__ void multiply() { for (;;) {} }\n"
      "__global__ void k(int* p, bool b) {\n" +
      body + "}\nint main() { k<<<1, 384>>>(nullptr, true); }\n";
  for (const Fact& f : read_launching(text).facts)
    if (f.kind == "role") out.push_back(f.subject + ": " + shown(f, "warps"));
  return out;
}

TEST(CppRoleWarps, OfThreadsWarpsAndWarpgroups) {
  EXPECT_EQ(role_warps("  if (threadIdx.x < 128) load(); else multiply();\n"),
            Launches({"load: (0, 1, 2, 3)", "multiply: (4, 5, 6, 7, 8, 9, 10, 11)"}));
  EXPECT_EQ(role_warps("  int warp_idx = threadIdx.x / 32;\n  if (warp_idx == 2 && b) load();\n"),
            Launches({"warp 2: (2)"}));
  EXPECT_EQ(role_warps("  const int warpgroup = threadIdx.x / 128;\n  if (warpgroup == 1) multiply();\n"),
            Launches({"warpgroup 1: (4, 5, 6, 7)"}));
  EXPECT_EQ(role_warps("  const bool loader = threadIdx.x >= 256;\n  if (loader) load(); else multiply();\n"),
            Launches({"loader: (8, 9, 10, 11)", "multiply: (0, 1, 2, 3, 4, 5, 6, 7)"}));
  EXPECT_EQ(role_warps("  int warp_idx = threadIdx.x / 32;\n  if (warp_idx == 2 || b) load();\n"),
            Launches({"warp 2: -"}));
}
}  // namespace
}  // namespace cutelab
