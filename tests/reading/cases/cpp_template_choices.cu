// Specializations, default arguments of several uses, names of namespaces, macros that hide constants.
template <int n = 4>
struct Twice {
  static constexpr int value_of = n * 2;
};
template <>
struct Twice<3> {
  static constexpr int value_of = 100;
};
template <class T, int n>
struct Pair {
  static constexpr int size_of = n;
};
template <class T>
struct Pair<T, 4> {
  static constexpr int size_of = sizeof(T);
};
template <int n>
constexpr int doubled = n * 2;
constexpr int product(int a, int b = 5) { return a * b; }
constexpr int tile = 5;
namespace other {
constexpr int tile = 7;
}
constexpr int hidden = 1;
#define hidden 4
#define MODE 3
#if MODE == 3
#define WIDTH 64
#else
#define WIDTH 128
#endif
#ifdef FROM_THE_BUILD
#define DEPTH 2
#endif
#ifndef DEPTH
#define DEPTH 6
#endif
template <class T>
struct Which {
  static constexpr int of = 1;
};
template <class T>
struct Which<T*> {
  static constexpr int of = 2;
};
namespace inner {
constexpr int tile = 6;
__global__ void kernel() {}
void launch() {
  kernel<<<Twice<3>::value_of, Twice<>::value_of, Twice<5>::value_of>>>();  // expect: H2 launch grid=100 block=8 smem_bytes=10
  kernel<<<Pair<double, 4>::size_of, Pair<char, 3>::size_of, doubled<3>>>>();  // expect: H2 launch grid=8 block=3
  kernel<<<tile, ::tile, other::tile>>>();      // expect: H2 launch grid=6 block=5 smem_bytes=7
  kernel<<<hidden, product(2), product(2, 3)>>>();  // expect: H2 launch grid=4 block=10 smem_bytes=6
  kernel<<<WIDTH, DEPTH, Which<int>::of>>>();   // expect: H2 launch grid=64 block=? smem_bytes=1
}
}  // namespace inner
