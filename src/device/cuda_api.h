#pragma once
#include <cstddef>

#include "base/result.h"
#include "device/shared_library.h"

namespace cutelab::device {

/// The driver functions that we use, by their stable C interface (CUDA driver API reference). Types are the
/// interface's own widths: CUdevice int, CUdeviceptr 64 bits, handles opaque pointers, CUresult int with 0 =
/// success.
struct CudaApi {
  int (*init)(unsigned) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*device_pci)(char*, int, int) = nullptr;
  int (*primary_retain)(void**, int) = nullptr;
  int (*primary_release)(int) = nullptr;
  int (*context_set)(void*) = nullptr;
  int (*context_synchronize)() = nullptr;
  int (*allocate)(unsigned long long*, std::size_t) = nullptr;
  int (*release)(unsigned long long) = nullptr;
  int (*upload)(unsigned long long, const void*, std::size_t, void*) = nullptr;
  int (*download)(void*, unsigned long long, std::size_t) = nullptr;
  int (*fill)(unsigned long long, unsigned char, std::size_t, void*) = nullptr;
  int (*stream_create)(void**, unsigned) = nullptr;
  int (*stream_destroy)(void*) = nullptr;
  int (*event_create)(void**, unsigned) = nullptr;
  int (*event_destroy)(void*) = nullptr;
  int (*event_record_flags)(void*, void*, unsigned) = nullptr;
  int (*event_synchronize)(void*) = nullptr;
  int (*event_elapsed)(float*, void*, void*) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_unload)(void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = nullptr;
  int (*capture_begin)(void*, int) = nullptr;
  int (*capture_end)(void*, void**) = nullptr;
  int (*graph_instantiate)(void**, void*, unsigned long long) = nullptr;
  int (*graph_launch)(void*, void*) = nullptr;
  int (*graph_destroy)(void*) = nullptr;
  int (*graph_executable_destroy)(void*) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
  int (*error_text)(int, const char**) = nullptr;

  /// Success, or an Error (kind unavailable) with the driver's name and text of `code`.
  Status checked(int code, const char* asked) const;

 private:
  friend Result<CudaApi> load_cuda(const SharedLibrary& library);
};

/// Errors (kind unavailable): the driver's library is missing or lacks a function.
Result<CudaApi> load_cuda(const SharedLibrary& library);

}  // namespace cutelab::device
