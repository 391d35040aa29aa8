// What a plain loop of events tells of rmsnorm's compiled kernel: the yardstick for what `cutelab kernel`
// adds.
//   bare_event_loop kernel.so ROWS HIDDEN GRID BLOCK
// prints one line of JSON: medians in microseconds of a launch between two events, L2 warm, and of a launch
// in a row of many, which is the kernel's time without any event.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cute_cpp/norm/rmsnorm/rmsnorm/params.h"
#include "launch_abi.h"

namespace {

void must(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

double median(std::vector<float> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds[milliseconds.size() / 2] * 1000.0;
}

/// bf16 patterns of values in [-1, 1), never zero: zeros run faster than data.
std::vector<unsigned short> values(std::size_t count) {
  std::vector<unsigned short> made(count);
  unsigned state = 1;
  for (auto& v : made) {
    state = state * 1664525u + 1013904223u;
    const float f = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
    unsigned bits = 0;
    std::memcpy(&bits, &f, 4);
    v = static_cast<unsigned short>(bits >> 16);
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fprintf(stderr, "usage: bare_event_loop kernel.so ROWS HIDDEN GRID BLOCK\n"), 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  using Launch = int (*)(const void*, unsigned long long, const cutelab_launch_shape*, void*);
  const auto launch_kernel = reinterpret_cast<Launch>(dlsym(library, "cutelab_launch"));
  const long long rows = std::atoll(argv[2]);
  const int hidden = std::atoi(argv[3]);
  const auto x = values(static_cast<std::size_t>(rows) * hidden);
  rmsnorm::Params p{};
  void* device[3] = {};
  must(cudaMalloc(&device[0], x.size() * 2), "allocate x");
  must(cudaMalloc(&device[1], hidden * 2), "allocate weight");
  must(cudaMalloc(&device[2], x.size() * 2), "allocate y");
  must(cudaMemcpy(device[0], x.data(), x.size() * 2, cudaMemcpyHostToDevice), "copy x");
  must(cudaMemcpy(device[1], x.data(), hidden * 2, cudaMemcpyHostToDevice), "copy weight");
  p = {device[0], device[1], device[2], rows, hidden, 1e-6f};
  cutelab_launch_shape shape{{static_cast<unsigned>(std::atoi(argv[4])), 1, 1},
                             {static_cast<unsigned>(std::atoi(argv[5])), 1, 1},
                             {1, 1, 1},
                             0};
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  const auto launch = [&] {
    must(static_cast<cudaError_t>(launch_kernel(&p, sizeof p, &shape, stream)), "launch");
  };
  constexpr int loops = 2000;
  std::vector<cudaEvent_t> events(2 * loops);
  for (auto& event : events) must(cudaEventCreate(&event), "make an event");
  for (int i = 0; i < 100; ++i) launch();
  for (int i = 0; i < loops; ++i) {
    must(cudaEventRecord(events[2 * i], stream), "record");
    launch();
    must(cudaEventRecord(events[2 * i + 1], stream), "record");
  }
  must(cudaStreamSynchronize(stream), "wait");
  std::vector<float> each(loops);
  for (int i = 0; i < loops; ++i)
    must(cudaEventElapsedTime(&each[i], events[2 * i], events[2 * i + 1]), "read the time");
  std::vector<float> in_a_row;
  for (int turn = 0; turn < 20; ++turn) {
    must(cudaEventRecord(events[0], stream), "record");
    for (int i = 0; i < 100; ++i) launch();
    must(cudaEventRecord(events[1], stream), "record");
    must(cudaEventSynchronize(events[1]), "wait");
    float ms = 0;
    must(cudaEventElapsedTime(&ms, events[0], events[1]), "read the time");
    in_a_row.push_back(ms / 100);
  }
  std::printf("{\"rows\": %lld, \"hidden\": %d, \"between_events_us\": %.3f, \"in_a_row_us\": %.3f}\n", rows,
              hidden, median(each), median(in_a_row));
  return 0;
}
