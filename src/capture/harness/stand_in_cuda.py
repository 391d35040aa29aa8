"""Stand-ins for the CUDA driver and runtime calls that a program makes through `cuda.bindings`: one device that answers with the
figures of the architecture asked for, and does nothing. Functions nobody thought of succeed with zeros and are counted.
"""

import ctypes
import types

# Figures of one device per architecture family: SM count and L2 bytes of the data-centre or largest part (datasheets), shared memory per
# block (opt-in) and per SM (CUDA programming guide, technical specifications per compute capability).
DEVICES = {
    (8, 0): dict(name="NVIDIA A100", sms=108, shared_block=166912, shared_sm=167936, l2=41943040),
    (8, 6): dict(name="NVIDIA A10", sms=72, shared_block=101376, shared_sm=102400, l2=6291456),
    (8, 9): dict(name="NVIDIA L40", sms=142, shared_block=101376, shared_sm=102400, l2=100663296),
    (9, 0): dict(name="NVIDIA H100", sms=132, shared_block=232448, shared_sm=233472, l2=52428800),
    (10, 0): dict(name="NVIDIA B200", sms=148, shared_block=232448, shared_sm=233472, l2=132644864),
    (10, 3): dict(name="NVIDIA B300", sms=148, shared_block=232448, shared_sm=233472, l2=132644864),
    (10, 7): dict(name="NVIDIA Rubin", sms=224, shared_block=232448, shared_sm=233472, l2=132644864),
    (11, 0): dict(name="NVIDIA Thor", sms=20, shared_block=232448, shared_sm=233472, l2=33554432),
    (12, 0): dict(name="NVIDIA RTX PRO 6000", sms=188, shared_block=101376, shared_sm=102400, l2=134217728),
    (12, 1): dict(name="NVIDIA GB10", sms=48, shared_block=101376, shared_sm=102400, l2=25165824),
}

# cudaDeviceAttr / CUdevice_attribute numbers are the same.
ATTRIBUTE = dict(
    max_threads_block=1, shared_block=8, warp=10, sms=16, l2=38, threads_sm=39, major=75, minor=76, shared_sm=81, registers_sm=82,
    cooperative=95, shared_block_optin=97, reserved_shared=111,
)


def capability(arch):
    """(major, minor) of 'sm_100a'."""
    digits = "".join(c for c in arch.split("_")[-1] if c.isdigit())
    return int(digits[:-1]), int(digits[-1])


def device_of(arch):
    """Figures of the architecture's device; a minor revision without its own takes its family's."""
    major, minor = capability(arch)
    figures = DEVICES.get((major, minor)) or next((v for k, v in sorted(DEVICES.items()) if k[0] == major), DEVICES[(9, 0)])
    threads_sm = 1536 if (major, minor) in ((8, 6), (8, 9)) or major == 12 else 2048
    return dict(figures, major=major, minor=minor, threads_sm=threads_sm)


def attributes(arch):
    """Attribute number → value."""
    d = device_of(arch)
    return {
        ATTRIBUTE["max_threads_block"]: 1024, ATTRIBUTE["shared_block"]: 49152, ATTRIBUTE["warp"]: 32, ATTRIBUTE["sms"]: d["sms"],
        ATTRIBUTE["l2"]: d["l2"], ATTRIBUTE["threads_sm"]: d["threads_sm"], ATTRIBUTE["major"]: d["major"],
        ATTRIBUTE["minor"]: d["minor"], ATTRIBUTE["shared_sm"]: d["shared_sm"], ATTRIBUTE["registers_sm"]: 65536,
        ATTRIBUTE["cooperative"]: 1, ATTRIBUTE["shared_block_optin"]: d["shared_block"], ATTRIBUTE["reserved_shared"]: 1024,
    }


class Memory:
    """Zeroed host memory behind the device addresses that a program allocates itself."""

    def __init__(self):
        self.libc = ctypes.CDLL(None)
        self.libc.mmap.restype = ctypes.c_void_p
        self.libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

    def address(self, byte_count):
        read_write, private_anonymous_noreserve = 3, 0x4022
        return self.libc.mmap(None, max(int(byte_count), 4096), read_write, private_anonymous_noreserve, -1, 0)


def replace(module, answers, success, note):
    """Replaces every `cu…` function of `module`: by its answer, or by one that succeeds with zeros."""
    for name in dir(module):
        if not name.startswith("cu") or not isinstance(getattr(module, name), types.BuiltinFunctionType) and not hasattr(
            getattr(module, name), "__func__"
        ) and type(getattr(module, name)).__name__ not in ("cython_function_or_method", "function"):
            continue
        if name.startswith(("cudaGetErrorName", "cudaGetErrorString", "cuGetErrorName", "cuGetErrorString")):
            setattr(module, name, lambda error: (success, str(error).encode()))
        elif name in answers:
            setattr(module, name, answers[name])
        else:
            setattr(module, name, nothing(name, success, note))


def nothing(name, success, note):
    returns_value = any(word in name for word in ("Get", "Create", "Query", "Count", "Malloc", "Alloc", "Available", "Max"))

    def stand_in(*_arguments, **_keywords):
        note(name)
        return (success, 0) if returns_value else (success,)

    stand_in.__name__ = name
    return stand_in


def install(arch, note):
    """Replaces the calls of both bindings; `note` is told the name of each call answered with zeros."""
    from cuda.bindings import driver, runtime

    table = attributes(arch)
    device = device_of(arch)
    memory = Memory()
    for module, prefix, success in (
        (driver, "cu", driver.CUresult.CUDA_SUCCESS),
        (runtime, "cuda", runtime.cudaError_t.cudaSuccess),
    ):
        answers = answers_of(module, prefix, success, table, device, memory)
        replace(module, answers, success, note)


def answers_of(module, prefix, ok, table, device, memory):
    def attribute(key, _device=0):
        return ok, table.get(int(key), 1)

    def handle(kind):
        made = getattr(module, kind, None)
        return lambda *_a, **_k: (ok, made(1 << 20) if made else 1)

    def clusters(_kernel, config):
        size = 1
        for launch_attribute in config.attrs:
            dims = launch_attribute.value.clusterDim
            size = max(1, dims.x * dims.y * dims.z)
        return ok, table[ATTRIBUTE["sms"]] // size

    answers = {
        "cuInit": lambda *_: (ok,),
        "cuDriverGetVersion": lambda: (ok, 13000),
        "cuDeviceGet": lambda ordinal: (ok, module.CUdevice(ordinal)),
        "cuDeviceGetName": lambda *_: (ok, device["name"].encode()),
        "cuDeviceTotalMem": lambda *_: (ok, 192 << 30),
        "cuDeviceComputeCapability": lambda *_: (ok, device["major"], device["minor"]),
        "cuCtxGetDevice": lambda: (ok, module.CUdevice(0)),
        "cuCtxGetCurrent": handle("CUcontext"),
        "cuCtxCreate": handle("CUcontext"),
        "cuDevicePrimaryCtxRetain": handle("CUcontext"),
        "cuStreamCreate": handle("CUstream"),
        "cuEventCreate": handle("CUevent"),
        "cuModuleLoadData": handle("CUmodule"),
        "cuModuleGetFunction": handle("CUfunction"),
        "cuLibraryLoadData": handle("CUlibrary"),
        "cuLibraryEnumerateKernels": lambda count, _library: (ok, [module.CUkernel(1 << 20)] * count),
        "cuKernelGetFunction": handle("CUfunction"),
        "cuMemAlloc": lambda size: (ok, module.CUdeviceptr(memory.address(size))),
        "cuMemAllocAsync": lambda size, _stream: (ok, module.CUdeviceptr(memory.address(size))),
        "cuMemGetInfo": lambda: (ok, 180 << 30, 192 << 30),
        "cuOccupancyAvailableDynamicSMemPerBlock": lambda *_: (ok, table[ATTRIBUTE["shared_block_optin"]]),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor": lambda *_: (ok, 1),
        "cuOccupancyMaxActiveClusters": clusters,
        "cuOccupancyMaxPotentialClusterSize": lambda *_: (ok, 8),
        "cudaDriverGetVersion": lambda: (ok, 13000),
        "cudaRuntimeGetVersion": lambda: (ok, 13000),
        "cudaStreamCreate": handle("cudaStream_t"),
        "cudaStreamCreateWithFlags": handle("cudaStream_t"),
        "cudaEventCreate": handle("cudaEvent_t"),
        "cudaEventCreateWithFlags": handle("cudaEvent_t"),
        "cudaMalloc": lambda size: (ok, memory.address(size)),
        "cudaMallocAsync": lambda size, _stream: (ok, memory.address(size)),
        "cudaMallocHost": lambda size: (ok, memory.address(size)),
        "cudaMemGetInfo": lambda: (ok, 180 << 30, 192 << 30),
        "cudaStreamEndCapture": handle("cudaGraph_t"),
        "cudaGraphInstantiate": handle("cudaGraphExec_t"),
        "cudaGraphGetNodes": lambda *_: (ok, [], 1),
        "cudaStreamIsCapturing": lambda *_: (ok, module.cudaStreamCaptureStatus.cudaStreamCaptureStatusNone),
    }
    answers[prefix + ("GetDeviceCount" if prefix == "cuda" else "DeviceGetCount")] = lambda: (ok, 1)
    answers[prefix + "DeviceGetAttribute"] = attribute
    answers[prefix + "EventElapsedTime"] = lambda *_: (ok, 1.0)
    return answers
