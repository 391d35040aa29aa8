#include "device/cuda_api.h"

#include <fmt/format.h>

namespace cutelab::device {
namespace {

struct Binder {
  const SharedLibrary& library;
  std::string missing;

  template <class F>
  void operator()(F& slot, const char* symbol) {
    slot = library.function<F>(symbol);
    if (!slot && missing.empty()) missing = symbol;
  }
};

void bind_device(CudaApi& api, Binder& bind) {
  bind(api.init, "cuInit");
  bind(api.driver_version, "cuDriverGetVersion");
  bind(api.device_count, "cuDeviceGetCount");
  bind(api.device_get, "cuDeviceGet");
  bind(api.device_name, "cuDeviceGetName");
  bind(api.device_attribute, "cuDeviceGetAttribute");
  bind(api.device_memory, "cuDeviceTotalMem_v2");
  bind(api.device_pci, "cuDeviceGetPCIBusId");
  bind(api.primary_retain, "cuDevicePrimaryCtxRetain");
  bind(api.primary_release, "cuDevicePrimaryCtxRelease_v2");
  bind(api.context_set, "cuCtxSetCurrent");
  bind(api.context_synchronize, "cuCtxSynchronize");
  bind(api.error_name, "cuGetErrorName");
  bind(api.error_text, "cuGetErrorString");
}

void bind_work(CudaApi& api, Binder& bind) {
  bind(api.allocate, "cuMemAlloc_v2");
  bind(api.release, "cuMemFree_v2");
  bind(api.upload, "cuMemcpyHtoDAsync_v2");
  bind(api.download, "cuMemcpyDtoH_v2");
  bind(api.fill, "cuMemsetD8Async");
  bind(api.stream_create, "cuStreamCreate");
  bind(api.stream_destroy, "cuStreamDestroy_v2");
  bind(api.event_create, "cuEventCreate");
  bind(api.event_destroy, "cuEventDestroy_v2");
  bind(api.event_record_flags, "cuEventRecordWithFlags");
  bind(api.event_synchronize, "cuEventSynchronize");
  bind(api.event_elapsed, "cuEventElapsedTime");
  bind(api.module_load, "cuModuleLoadData");
  bind(api.module_unload, "cuModuleUnload");
  bind(api.module_function, "cuModuleGetFunction");
  bind(api.launch, "cuLaunchKernel");
}

void bind_graphs(CudaApi& api, Binder& bind) {
  bind(api.capture_begin, "cuStreamBeginCapture_v2");
  bind(api.capture_end, "cuStreamEndCapture");
  bind(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  bind(api.graph_launch, "cuGraphLaunch");
  bind(api.graph_destroy, "cuGraphDestroy");
  bind(api.graph_executable_destroy, "cuGraphExecDestroy");
}

}  // namespace

Status CudaApi::checked(int code, const char* asked) const {
  if (code == 0) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(code, &name);
  error_text(code, &text);
  return Error{ErrorKind::unavailable,
               asked,
               fmt::format("{} ({}): {}", name ? name : "unknown error", code, text ? text : "no text"),
               "",
               "`cutelab device` shows what the driver sees",
               code};
}

Result<CudaApi> load_cuda(const SharedLibrary& library) {
  if (!library.loaded())
    return Error{ErrorKind::unavailable, "load the CUDA driver", library.missing(), "",
                 "install NVIDIA's driver, or run on a machine with a GPU; reading and the compiled profile "
                 "need none"};
  CudaApi api;
  Binder bind{library, ""};
  bind_device(api, bind);
  bind_work(api, bind);
  bind_graphs(api, bind);
  if (!bind.missing.empty())
    return Error{ErrorKind::unavailable, "load the CUDA driver", "libcuda.so.1 lacks " + bind.missing, "",
                 "update NVIDIA's driver"};
  return api;
}

}  // namespace cutelab::device
