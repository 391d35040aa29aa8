"""torch.cuda of a machine without a GPU: streams, events, graphs and properties of the stand-in device. Serves torch itself and the
stand-in for torch alike.
"""

import contextlib
import types

import stand_in_cuda

STREAM = 1 << 20  # a stream's handle: any address that is not the default stream's 0


class Stream:
    def __init__(self, *_arguments, **_keywords):
        self.cuda_stream = STREAM
        self.device_index = 0
        self.stream_id = 1

    def __getattr__(self, name):
        return lambda *_a, **_k: None

    def query(self):
        return True

    def record_event(self, event=None):
        return event or Event()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __cuda_stream__(self):
        return 0, self.cuda_stream


class Event:
    def __init__(self, *_arguments, **_keywords):
        self.cuda_event = 1 << 20

    def __getattr__(self, name):
        return lambda *_a, **_k: None

    def query(self):
        return True

    def elapsed_time(self, _end):
        return 1.0


class Graph:
    def __init__(self, *_arguments, **_keywords):
        pass

    def __getattr__(self, name):
        return lambda *_a, **_k: None


def nothing():
    """A new function each time: torch keeps tables by function."""
    return lambda *_arguments, **_keywords: None


def adapt(torch, arch):
    """Fills `torch.cuda`: one device with the figures of the architecture."""
    device = stand_in_cuda.device_of(arch)
    properties = types.SimpleNamespace(
        name=device["name"], major=device["major"], minor=device["minor"], multi_processor_count=device["sms"], total_memory=192 << 30,
        L2_cache_size=device["l2"], shared_memory_per_block_optin=device["shared_block"], shared_memory_per_block=49152,
        shared_memory_per_multiprocessor=device["shared_sm"], max_threads_per_multi_processor=device["threads_sm"], warp_size=32,
        regs_per_multiprocessor=65536, uuid="0")
    stream = Stream()
    torch.cuda.is_available = lambda: True
    torch.cuda.is_initialized = lambda: True
    torch.cuda.device_count = lambda: 1
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_capability = lambda *_: (device["major"], device["minor"])
    torch.cuda.get_device_properties = lambda *_: properties
    torch.cuda.get_device_name = lambda *_: device["name"]
    torch.cuda.mem_get_info = lambda *_: (180 << 30, 192 << 30)
    torch.cuda.memory_allocated = torch.cuda.max_memory_allocated = lambda *_: 0
    torch.cuda.can_device_access_peer = lambda *_: True
    torch.cuda.Stream = torch.cuda.ExternalStream = torch.Stream = Stream
    torch.cuda.Event = torch.Event = Event
    torch.cuda.CUDAGraph = Graph
    torch.cuda.current_stream = torch.cuda.default_stream = lambda *_: stream
    torch.cuda.stream = torch.cuda.device = torch.cuda.graph = lambda *_a, **_k: contextlib.nullcontext(stream)
    torch.cuda.OutOfMemoryError = MemoryError
    for name in ("synchronize", "set_device", "empty_cache", "init", "_lazy_init", "manual_seed", "manual_seed_all", "reset_peak_memory_stats",
                 "set_stream", "ipc_collect", "_sleep"):
        setattr(torch.cuda, name, nothing())
