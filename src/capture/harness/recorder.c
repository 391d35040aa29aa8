// A stand-in for the CUDA runtime library that the CuTe DSL's compiled host code calls: no call reaches a device, every launch
// is written as one line of JSON. The DSL resolves the `_cuda*` symbols from the first library that CUTE_DSL_LIBS names.
// Struct layouts and enumerators: CUDA runtime API reference (cudaLaunchConfig_t, cudaLaunchAttribute, cudaDeviceAttr).
//
// Environment (set by run_program.py): CUTELAB_CAPTURE_EVENTS  file that the lines are appended to
//                                      CUTELAB_CAPTURE_MODULES folder that loaded device code is written to (may be absent)
//                                      CUTELAB_CAPTURE_DEVICE  "attribute=value,…" what the device answers
//                                      CUTELAB_CAPTURE_LIMIT   launches written; further ones are counted only
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Error;  // cudaError_t, CUresult: 0 is success

typedef struct {
  uint32_t x, y, z;
} Dim3;

typedef struct {
  uint32_t id;
  uint32_t padding;
  union {
    uint32_t words[16];  // cudaLaunchAttributeValue is 64 bytes
  } value;
} Attribute;

typedef struct {
  Dim3 grid;
  Dim3 block;
  size_t dynamic_shared_bytes;
  void* stream;
  Attribute* attributes;
  uint32_t attribute_count;
} LaunchConfig;

typedef struct {
  int module;
} Library;

typedef struct {
  int module;
  char name[];
} Kernel;

static int modules_loaded;
static long launches_seen;

static FILE* events(void) {
  static FILE* file;
  if (!file) {
    const char* path = getenv("CUTELAB_CAPTURE_EVENTS");
    file = path ? fopen(path, "a") : NULL;
  }
  return file;
}

static long number_from_environment(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void write_string(FILE* file, const char* text) {
  fputc('"', file);
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(file, "\\%c", c);
    } else if (c < 0x20) {
      fprintf(file, "\\u%04x", c);
    } else {
      fputc(c, file);
    }
  }
  fputc('"', file);
}

static Error record_launch(const LaunchConfig* config, const Kernel* kernel) {
  FILE* file = events();
  ++launches_seen;
  if (!file || launches_seen > number_from_environment("CUTELAB_CAPTURE_LIMIT", 2000)) {
    return 0;
  }
  fprintf(file, "{\"event\":\"launch\",\"symbol\":");
  write_string(file, kernel ? kernel->name : "");
  fprintf(file, ",\"module\":%d,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dynamic_shared_bytes\":%zu,\"attributes\":[",
          kernel ? kernel->module : -1, config->grid.x, config->grid.y, config->grid.z, config->block.x,
          config->block.y, config->block.z, config->dynamic_shared_bytes);
  for (uint32_t i = 0; i < config->attribute_count; ++i) {
    const Attribute* a = &config->attributes[i];
    fprintf(file, "%s{\"id\":%u,\"value\":[%u", i ? "," : "", a->id, a->value.words[0]);
    if (a->id == 4 || a->id == 11) {  // cluster dimension and preferred cluster dimension have three words; the others' rest is not set
      fprintf(file, ",%u,%u", a->value.words[1], a->value.words[2]);
    }
    fprintf(file, "]}");
  }
  fprintf(file, "]}\n");
  fflush(file);
  return 0;
}

Error _cudaLaunchKernelEx(const LaunchConfig* config, const void* kernel, void** arguments) {
  (void)arguments;
  return record_launch(config, kernel);
}

Error _cudaLaunchKernel(const void* kernel, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                        void** arguments, size_t dynamic_shared_bytes, void* stream) {
  (void)arguments;
  LaunchConfig config = {{gx, gy, gz}, {bx, by, bz}, dynamic_shared_bytes, stream, NULL, 0};
  return record_launch(&config, kernel);
}

// ---- device code -----------------------------------------------------------------------------------------------------------

// Bytes of a cubin (ELF: the section headers come last) or a fatbin (magic, version, header bytes, payload bytes).
static size_t device_code_bytes(const unsigned char* data) {
  uint32_t magic;
  memcpy(&magic, data, sizeof magic);
  if (magic == 0xba55ed50u) {
    uint16_t header_bytes;
    uint64_t payload_bytes;
    memcpy(&header_bytes, data + 6, sizeof header_bytes);
    memcpy(&payload_bytes, data + 8, sizeof payload_bytes);
    return header_bytes + payload_bytes;
  }
  if (memcmp(data, "\177ELF\2", 5) == 0) {
    uint64_t section_offset;
    uint16_t entry_bytes, entries;
    memcpy(&section_offset, data + 40, sizeof section_offset);
    memcpy(&entry_bytes, data + 58, sizeof entry_bytes);
    memcpy(&entries, data + 60, sizeof entries);
    return section_offset + (size_t)entry_bytes * entries;
  }
  return 0;
}

static void keep_module(int module, const void* data) {
  const char* folder = getenv("CUTELAB_CAPTURE_MODULES");
  size_t bytes = data ? device_code_bytes(data) : 0;
  if (!folder || !bytes) {
    return;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/module_%d.%s", folder, module, *(const char*)data == 0x7f ? "cubin" : "fatbin");
  FILE* file = fopen(path, "wb");
  if (file) {
    fwrite(data, 1, bytes, file);
    fclose(file);
  }
}

Error _cudaLibraryLoadData(void** library, const void* code, void* a, void* b, unsigned na, void* c, void* d, unsigned nb) {
  (void)a, (void)b, (void)na, (void)c, (void)d, (void)nb;
  Library* made = malloc(sizeof *made);
  made->module = modules_loaded++;
  keep_module(made->module, code);
  *library = made;
  return 0;
}

Error _cudaLibraryUnload(void* library) {
  (void)library;  // kernels may still name it: the few bytes stay
  return 0;
}

Error _cudaLibraryGetKernel(void** kernel, void* library, const char* name) {
  Kernel* made = malloc(sizeof *made + strlen(name) + 1);
  made->module = library ? ((Library*)library)->module : -1;
  strcpy(made->name, name);
  *kernel = made;
  return 0;
}

Error _cudaLibraryGetGlobal(void** pointer, size_t* bytes, void* library, const char* name) {
  (void)library, (void)name;
  if (pointer) *pointer = calloc(1, 1 << 16);
  if (bytes) *bytes = 1 << 16;
  return 0;
}

Error _cudaFuncSetAttribute(const void* kernel, int attribute, int value) {
  (void)kernel, (void)attribute, (void)value;
  return 0;
}

Error _cudaKernelSetAttributeForDevice(void* kernel, int attribute, int value, int device) {
  (void)kernel, (void)attribute, (void)value, (void)device;
  return 0;
}

Error _cuKernelGetAttribute(int* value, int attribute, void* kernel, int device) {
  (void)attribute, (void)kernel, (void)device;
  *value = 0;
  return 0;
}

// ---- device ----------------------------------------------------------------------------------------------------------------

static int device_attribute(int attribute) {
  const char* table = getenv("CUTELAB_CAPTURE_DEVICE");
  while (table && *table) {
    char* end;
    long key = strtol(table, &end, 10);
    if (*end != '=') break;
    long value = strtol(end + 1, &end, 10);
    if (key == attribute) return (int)value;
    table = *end == ',' ? end + 1 : NULL;
  }
  return 1;
}

Error _cudaDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = device_attribute(attribute);
  return 0;
}

Error _cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_threads, size_t shared_bytes) {
  (void)kernel;
  int by_threads = block_threads > 0 ? device_attribute(39) / block_threads : 1;                         // MaxThreadsPerMultiProcessor
  int by_shared = shared_bytes ? device_attribute(81) / (int)(shared_bytes + 1024) : by_threads;         // MaxSharedMemoryPerMultiprocessor
  int least = by_threads < by_shared ? by_threads : by_shared;
  *blocks = least > 0 ? least : 1;
  return 0;
}

Error _cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
Error _cudaGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}
Error _cudaSetDevice(int device) { return device ? 101 : 0; }  // cudaErrorInvalidDevice
Error _cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal ? 101 : 0;
}
Error _cudaDeviceSynchronize(void) { return 0; }
Error _cudaGetLastError(void) { return 0; }
Error _cudaProfilerStart(void) { return 0; }
Error _cudaProfilerStop(void) { return 0; }

// ---- TMA descriptors that the host code encodes through the driver -----------------------------------------------------------

static void write_numbers(FILE* file, const char* name, const uint64_t* wide, const uint32_t* narrow, uint32_t count) {
  fprintf(file, ",\"%s\":[", name);
  for (uint32_t i = 0; i < count; ++i) {
    fprintf(file, "%s%llu", i ? "," : "", wide ? (unsigned long long)wide[i] : (unsigned long long)narrow[i]);
  }
  fputc(']', file);
}

Error _cuTensorMapEncodeTiled(void* map, int type, uint32_t rank, void* address, const uint64_t* extents,
                              const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides, int interleave,
                              int swizzle, int l2_promotion, int fill) {
  (void)address, (void)element_strides, (void)interleave, (void)l2_promotion, (void)fill;
  memset(map, 0, 128);
  FILE* file = events();
  if (file && rank >= 1 && rank <= 5) {
    fprintf(file, "{\"event\":\"tensor_map\",\"type\":%d,\"swizzle\":%d", type, swizzle);
    write_numbers(file, "extents", extents, NULL, rank);
    write_numbers(file, "strides_bytes", strides, NULL, rank - 1);
    write_numbers(file, "box", NULL, box, rank);
    fprintf(file, "}\n");
    fflush(file);
  }
  return 0;
}

// Preloaded, this takes the place of the C library's: host memory that passes for a device's is aligned as cudaMalloc's is.
int posix_memalign(void** pointer, size_t alignment, size_t bytes) {
  void* made = memalign(alignment < 256 ? 256 : alignment, bytes);
  if (!made) return 12;  // ENOMEM
  *pointer = made;
  return 0;
}

// ---- memory: the host's --------------------------------------------------------------------------------------------------------

static Error allocate(void** pointer, size_t bytes) { return posix_memalign(pointer, 256, bytes ? bytes : 256) ? 2 : 0; }

Error _cudaMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes); }
Error _cudaMallocAsync(void** pointer, size_t bytes, void* stream) {
  (void)stream;
  return allocate(pointer, bytes);
}
Error _cudaMallocHost(void** pointer, size_t bytes) { return allocate(pointer, bytes); }
Error _cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  (void)flags;
  return allocate(pointer, bytes);
}
Error _cudaFree(void* pointer) {
  free(pointer);
  return 0;
}
Error _cudaFreeAsync(void* pointer, void* stream) {
  (void)stream;
  free(pointer);
  return 0;
}
Error _cudaFreeHost(void* pointer) {
  free(pointer);
  return 0;
}
// Contents do not matter to a launch; addresses may be a device's in the program's eyes, so nothing is touched.
Error _cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  (void)to, (void)from, (void)bytes, (void)kind;
  return 0;
}
Error _cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  (void)to, (void)from, (void)bytes, (void)kind, (void)stream;
  return 0;
}
Error _cudaMemset(void* to, int value, size_t bytes) {
  (void)to, (void)value, (void)bytes;
  return 0;
}
Error _cudaMemsetAsync(void* to, int value, size_t bytes, void* stream) {
  (void)to, (void)value, (void)bytes, (void)stream;
  return 0;
}

// ---- streams, events, graphs: handles without meaning ---------------------------------------------------------------------------

static Error handle(void** made) {
  *made = calloc(1, 16);
  return 0;
}

Error _cudaStreamCreate(void** stream) { return handle(stream); }
Error _cudaStreamDestroy(void* stream) { return (void)stream, 0; }
Error _cudaStreamSynchronize(void* stream) { return (void)stream, 0; }
Error _cudaStreamWaitEvent(void* stream, void* event, unsigned flags) { return (void)stream, (void)event, (void)flags, 0; }
Error _cudaStreamAddCallback(void* s, void* callback, void* data, unsigned f) {
  return (void)s, (void)callback, (void)data, (void)f, 0;
}
Error _cudaStreamBeginCapture(void* stream, int mode) { return (void)stream, (void)mode, 0; }
Error _cudaStreamEndCapture(void* stream, void** graph) { return (void)stream, handle(graph); }
Error _cudaEventCreate(void** event) { return handle(event); }
Error _cudaEventDestroy(void* event) { return (void)event, 0; }
Error _cudaEventRecord(void* event, void* stream) { return (void)event, (void)stream, 0; }
Error _cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  (void)start, (void)end;
  *milliseconds = 1.0f;
  return 0;
}
Error _cudaGraphInstantiate(void** executable, void* graph, unsigned long long flags) {
  (void)graph, (void)flags;
  return handle(executable);
}
Error _cudaGraphLaunch(void* executable, void* stream) { return (void)executable, (void)stream, 0; }
Error _cudaGraphDestroy(void* graph) { return (void)graph, 0; }
Error _cudaGraphExecDestroy(void* executable) { return (void)executable, 0; }

// ---- the compiled host code loads its library once; the DSL's own helper would ask the real runtime for devices ------------------

Error cuda_dialect_init_library_once(void** library, Error (*initialise)(void**), Error (*load_to_device)(void**, int),
                                     void* on_error) {
  (void)on_error;
  if (*library) return 0;
  void* made = NULL;
  Error error = initialise(&made);
  if (!error && load_to_device) error = load_to_device(&made, 0);
  if (error) return -1;
  *library = made;
  return 0;
}

void cuda_dialect_unload_library_once(void** library, Error (*unload)(void**)) {
  (void)unload;
  *library = NULL;
}
