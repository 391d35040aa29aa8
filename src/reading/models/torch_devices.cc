#include "reading/models/element_types.h"
#include "reading/models/stand_in_device.h"
#include "reading/models/torch_tensor.h"

/// torch.cuda, torch.device, cuda.bindings: one device that stands in for the user's.
namespace cutelab::reading::machine {
namespace torch_device_models {

std::optional<Value> yes(Call&) { return Value::boolean(true); }
std::optional<Value> no(Call&) { return Value::boolean(false); }
std::optional<Value> nought(Call&) { return Value::integer(0); }

std::optional<Value> device(Call& call) {
  const Value type = call.get(0, "type");
  const auto index = integer_in(call.get(1, "index"));
  if (const auto text = text_in(type)) return torch_device(call.machine, *text, index.value_or(-1));
  if (record_if(type, "torch.device")) return type;
  return type.is_integral() ? std::optional<Value>(torch_device(call.machine, "cuda", type.number()))
                            : std::nullopt;
}

std::optional<Value> same_device(Call& call) {
  Machine& m = call.machine;
  const Record* self = record_if(call.self, "torch.device");
  const Value other = call.get(0, "other");
  Value right = other;
  if (const auto text = text_in(other)) right = torch_device(m, *text);
  const Record* record = record_if(right, "torch.device");
  if (!self || !record) return Value::boolean(false);
  return Value::boolean(m.equal(m.field(self, "type"), m.field(record, "type")) == Machine::Truth::yes &&
                        m.equal(m.field(self, "index"), m.field(record, "index")) == Machine::Truth::yes);
}

std::optional<Value> capability(Call& call) {
  const auto found = compute_capability(call.machine.arch());
  if (!found) return std::nullopt;
  return call.machine.tuple({Value::integer(found->first), Value::integer(found->second)});
}

std::optional<Value> properties(Call& call) {
  const auto found = stand_in_device(call.machine);
  if (!found) return std::nullopt;
  return record_of(call, "torch.device_properties",
                   {{"name", call.machine.text(std::string(found->name))},
                    {"major", Value::integer(found->major)},
                    {"minor", Value::integer(found->minor)},
                    {"multi_processor_count", Value::integer(found->multiprocessors)},
                    {"L2_cache_size", Value::integer(found->l2_bytes)},
                    {"shared_memory_per_block", Value::integer(49152)},
                    {"shared_memory_per_block_optin", Value::integer(found->shared_per_block)},
                    {"warp_size", Value::integer(32)}});
}

std::optional<Value> device_name(Call& call) {
  const auto found = stand_in_device(call.machine);
  return found ? std::optional<Value>(call.machine.text(std::string(found->name))) : std::nullopt;
}

/// A stream, event, graph … of torch or of the driver: something to pass on.
std::optional<Value> handle(Call& call) {
  return record_of(call, "cuda.handle",
                   {{"cuda_stream", call.machine.unknown("a stream's handle", {}, std::string(call.path))}});
}

std::optional<Value> new_handle(Call& call) { return record_of(call, "cuda.handle"); }

std::optional<Value> elapsed(Call& call) {
  return call.machine.unknown("a measured time", {}, std::string(call.path));
}

Value success(Call& call) {
  const bool runtime = leaf_name(call.path).rfind("cuda", 0) == 0;
  return call.machine.external(runtime ? "cuda.bindings.runtime.cudaError_t.cudaSuccess"
                                       : "cuda.bindings.driver.CUresult.CUDA_SUCCESS");
}

/// cu… and cuda… calls: the status, then a handle where the call makes or asks something.
std::optional<Value> driver_call(Call& call) { return call.machine.tuple({success(call)}); }

std::optional<Value> driver_handle(Call& call) {
  return call.machine.tuple({success(call), record_of(call, "cuda.handle")});
}

std::optional<Value> driver_count(Call& call) {
  return call.machine.tuple({success(call), Value::integer(1)});
}
std::optional<Value> driver_device(Call& call) {
  return call.machine.tuple({success(call), Value::integer(0)});
}
std::optional<Value> driver_version(Call& call) {
  return call.machine.tuple({success(call), Value::integer(13000)});
}
std::optional<Value> driver_time(Call& call) {
  return call.machine.tuple(
      {success(call), call.machine.unknown("a measured time", {}, std::string(call.path))});
}

std::optional<Value> driver_attribute(Call& call) {
  const auto* name = call.get(0, "attrib").as<External>();
  const auto found = stand_in_device(call.machine);
  if (!name || !found) return std::nullopt;
  const std::string_view leaf = name->leaf();
  const auto is = [&](std::string_view tail) {
    return leaf.size() >= tail.size() && leaf.substr(leaf.size() - tail.size()) == tail;
  };
  std::optional<std::int64_t> value;
  if (is("MULTIPROCESSOR_COUNT") || is("MultiProcessorCount")) value = found->multiprocessors;
  if (is("L2_CACHE_SIZE") || is("L2CacheSize")) value = found->l2_bytes;
  if (is("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN") || is("MaxSharedMemoryPerBlockOptin"))
    value = found->shared_per_block;
  if (is("COMPUTE_CAPABILITY_MAJOR") || is("ComputeCapabilityMajor")) value = found->major;
  if (is("COMPUTE_CAPABILITY_MINOR") || is("ComputeCapabilityMinor")) value = found->minor;
  if (!value) return std::nullopt;
  return call.machine.tuple({success(call), Value::integer(*value)});
}

std::optional<Value> context(Call& call) {
  return call.count() > 0 ? call.arguments[0] : Value(record_of(call, "context"));
}
std::optional<Value> enter(Call& call) { return call.self; }

void add_driver(Natives& natives) {
  for (const char* name : {"cuInit",
                           "cuStreamSynchronize",
                           "cuStreamDestroy",
                           "cuEventRecord",
                           "cuEventSynchronize",
                           "cuEventDestroy",
                           "cuMemFree",
                           "cuMemsetD32Async",
                           "cuMemsetD8",
                           "cuCtxSynchronize",
                           "cuStreamWaitEvent",
                           "cudaDeviceSynchronize",
                           "cudaStreamSynchronize",
                           "cudaEventRecord",
                           "cudaEventSynchronize",
                           "cudaEventDestroy",
                           "cudaFree",
                           "cudaMemset",
                           "cudaMemcpy",
                           "cudaSetDevice",
                           "cuMemcpyHtoD",
                           "cuMemcpyDtoH",
                           "cudaGraphLaunch",
                           "cudaStreamBeginCapture",
                           "cuCtxSetCurrent",
                           "cudaStreamDestroy",
                           "cuCtxPushCurrent",
                           "cuCtxPopCurrent",
                           "cudaDeviceSetLimit"})
    natives.function("cuda", name, driver_call);
  for (const char* name :
       {"cuStreamCreate", "cuEventCreate", "cuCtxCreate", "cuCtxGetCurrent", "cuDevicePrimaryCtxRetain",
        "cuMemAlloc", "cuModuleLoadData", "cuLibraryLoadData", "cudaStreamCreate", "cudaEventCreate",
        "cudaMalloc", "cudaStreamEndCapture", "cudaGraphInstantiate", "cudaStreamCreateWithFlags",
        "cudaEventCreateWithFlags", "cuMemAllocAsync"})
    natives.function("cuda", name, driver_handle);
  for (const char* name : {"cuDeviceGetCount", "cudaGetDeviceCount"})
    natives.function("cuda", name, driver_count);
  for (const char* name : {"cuDeviceGet", "cudaGetDevice", "cuCtxGetDevice"})
    natives.function("cuda", name, driver_device);
  for (const char* name : {"cuDriverGetVersion", "cudaDriverGetVersion", "cudaRuntimeGetVersion"})
    natives.function("cuda", name, driver_version);
  for (const char* name : {"cuEventElapsedTime", "cudaEventElapsedTime"})
    natives.function("cuda", name, driver_time);
  for (const char* name : {"cuDeviceGetAttribute", "cudaDeviceGetAttribute"})
    natives.function("cuda", name, driver_attribute);
  for (const char* name : {"CUstream", "CUdeviceptr", "CUcontext", "CUdevice", "CUevent", "cudaStream_t"})
    natives.function("cuda", name, new_handle);
}

}  // namespace torch_device_models

void add_torch_devices(Natives& natives) {
  using namespace torch_device_models;
  natives.function("torch", "cuda.is_available", yes);
  natives.function("torch", "cuda.is_initialized", yes);
  natives.function("torch", "cuda.can_device_access_peer", yes);
  natives.function("torch", "cuda.current_device", nought);
  natives.function("torch", "cuda.get_device_capability", capability);
  natives.function("torch", "cuda.get_device_properties", properties);
  natives.function("torch", "cuda.get_device_name", device_name);
  for (const char* name : {"cuda.Stream", "cuda.ExternalStream", "cuda.Event", "cuda.CUDAGraph",
                           "cuda.current_stream", "cuda.default_stream", "Stream", "Event", "Generator"})
    natives.function("torch", name, handle);
  for (const char* name :
       {"cuda.synchronize", "cuda.set_device", "cuda.empty_cache", "cuda.init", "cuda.manual_seed",
        "cuda.manual_seed_all", "cuda.reset_peak_memory_stats", "cuda.set_stream"})
    natives.function("torch", name, answer_none);
  for (const char* name : {"cuda.stream", "cuda.device", "cuda.graph", "no_grad", "inference_mode"})
    natives.function("torch", name, context);
  for (const char* kind : {"cuda.handle", "context"}) {
    natives.method(kind, "__enter__", enter);
    natives.method(kind, "__exit__", answer_none);
  }
  for (const char* name : {"synchronize", "wait_stream", "wait_event", "record", "record_event", "replay",
                           "reset", "capture_begin", "capture_end", "wait"})
    natives.method("cuda.handle", name, answer_none);
  natives.method("cuda.handle", "elapsed_time", elapsed);
  natives.method("cuda.handle", "query", yes);
  natives.method("cuda.handle", "getPtr", answer_runtime);
  natives.method("cuda.handle", "manual_seed", answer_self);
  natives.function("torch", "device", device);
  natives.method("torch.device", "__eq__", same_device);
  natives.function("torch", "distributed.is_initialized", no);
  for (const char* name :
       {"distributed.init_process_group", "distributed.barrier", "distributed.destroy_process_group"})
    natives.function("torch", name, answer_none);
  add_driver(natives);
}

}  // namespace cutelab::reading::machine
