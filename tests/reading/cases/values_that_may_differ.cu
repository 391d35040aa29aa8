// What a variable is declared with is no value of it where something writes to it; nor is one branch of the
// preprocessor's a value where there are several.
#include <cute/tensor.hpp>
#include <cstdio>
#include <iostream>
#define P Q
#define Q P
#ifdef WIDE
constexpr int tiles = 512;
#else
constexpr int tiles = 128;
#endif
#ifdef NARROW
#define ROWS 4
#endif
#ifndef ROWS
#define ROWS 6
#endif
int count = 2;
void grow(int& x) { x = 8; }
void show(const int& x) { std::printf("%d", x); }
__global__ void kernel(float* p) { p[0] = 0; }

int main() {
  int by_reference = 4, by_address = 4, read = 4, kept = 4;
  grow(by_reference);
  show(kept);
  std::scanf("%d", &by_address);
  std::cin >> read;
  count = 9;
  kernel<<<P, 32>>>(nullptr);              // expect: H2 launch grid=?
  kernel<<<tiles, 32>>>(nullptr);          // expect: H2 launch grid=?
  kernel<<<ROWS, 32>>>(nullptr);           // expect: H2 launch grid=?
  kernel<<<count, 32>>>(nullptr);          // expect: H2 launch grid=?
  kernel<<<by_reference, 32>>>(nullptr);   // expect: H2 launch grid=?
  kernel<<<by_address, 32>>>(nullptr);     // expect: H2 launch grid=?
  kernel<<<read, 32>>>(nullptr);           // expect: H2 launch grid=?
  kernel<<<kept, 010>>>(nullptr);          // expect: H2 launch grid=4 block=8
}
