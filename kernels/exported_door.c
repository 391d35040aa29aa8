// The C door (launch_abi.h) of a kernel that the CuTe DSL exported: compiled with a C compiler and linked with the exported object, the
// DSL's runtime archive and the CUDA runtime into a shared library of its own, so that nothing needs Python and no two exports meet.
//
// Given as macros: CUTELAB_EXPORT_ENTRY  the exported function; takes pointers to its arguments, then the address of its result
//                  CUTELAB_EXPORT_INIT, CUTELAB_EXPORT_LOAD  load the device code, for one device
//
// `params` is a block: { uint32 count, uint32 unused }, count times { uint32 offset, uint32 kind }, then the arguments at these offsets
// of the block. Kind 1: a stream, which the launch's own takes the place of.
#include <stdint.h>
#include <string.h>

#include "launch_abi.h"

#define DOOR __attribute__((visibility("default")))
enum { most_arguments = 64, invalid_value = 1, invalid_configuration = 9 };  // the latter two: cudaError_t

void CUTELAB_EXPORT_ENTRY(void** arguments, int32_t count);
void CUTELAB_EXPORT_INIT(void** arguments);
void CUTELAB_EXPORT_LOAD(void** arguments);
const char* cudaGetErrorName(int code);
const char* cudaGetErrorString(int code);
int cudaGetDevice(int* device);

struct argument {
  uint32_t offset;
  uint32_t kind;
};

static void* library;               // cudaLibrary_t
static unsigned long long devices;  // bit i: loaded to device i
static void* launch_stream;

// cudaLaunchConfig_t: grid and block, dynamic shared memory, stream, attributes.
struct launch_config {
  uint32_t grid_and_block[6];
  size_t dynamic_smem_bytes;
  void* stream;
  void* attributes;
  uint32_t attribute_count;
};

// The exported host code launches through this function (linked with --wrap). A program whose function takes no stream launches on the
// default one; here everything goes to the stream that the launch was asked for.
int __real__cudaLaunchKernelEx(const struct launch_config* config, const void* kernel, void** arguments);
int __wrap__cudaLaunchKernelEx(const struct launch_config* config, const void* kernel, void** arguments) {
  struct launch_config there = *config;
  if (!there.stream) there.stream = launch_stream;
  return __real__cudaLaunchKernelEx(&there, kernel, arguments);
}

static int load(void) {
  int device = 0;
  int code = cudaGetDevice(&device);
  if (code) return code;
  void** where = &library;
  if (!library) {
    void* init[] = {&where, &code};
    CUTELAB_EXPORT_INIT(init);
    if (code) return code;
  }
  if (device < 64 && devices >> device & 1) return 0;
  int32_t number = device;
  void* arguments[] = {&where, &number, &code};
  CUTELAB_EXPORT_LOAD(arguments);
  if (!code && device < 64) devices |= 1ull << device;
  return code;
}

DOOR int cutelab_abi_version(void) { return CUTELAB_ABI_VERSION; }

DOOR const char* cutelab_error_text(int code) { return cudaGetErrorString(code); }

DOOR int cutelab_launch(const void* params, unsigned long long params_bytes, const struct cutelab_launch_shape* shape, void* stream) {
  (void)shape;  // the exported host code computes its own
  uint32_t count;
  if (!params || params_bytes < 2 * sizeof count) return invalid_value;
  memcpy(&count, params, sizeof count);
  if (count > most_arguments || params_bytes < 2 * sizeof count + count * sizeof(struct argument)) return invalid_value;
  const struct argument* described = (const struct argument*)((const char*)params + 2 * sizeof count);
  int code = load();
  if (code) return code;
  void* arguments[most_arguments + 1];
  for (uint32_t i = 0; i < count; ++i) {
    if (described[i].offset >= params_bytes) return invalid_value;
    arguments[i] = described[i].kind == 1 ? (void*)&stream : (void*)((const char*)params + described[i].offset);
  }
  int32_t result = 0;
  arguments[count] = &result;
  launch_stream = stream;
  CUTELAB_EXPORT_ENTRY(arguments, (int32_t)count + 1);
  return result;
}
