"""Zeroed memory that costs nothing until it is touched, aligned to a page as a device allocation is, and the DLPack view of it."""

import ctypes
import weakref

_libc = ctypes.CDLL(None)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_READ_WRITE, _PRIVATE_ANONYMOUS_NORESERVE = 3, 0x4022
_FAILED = ctypes.c_void_p(-1).value


class Storage:
    """A run of bytes; unmapped when nothing refers to it any more."""

    def __init__(self, byte_count, keeps=None, address=None):
        self.byte_count = int(byte_count)
        self.keeps = keeps
        if address is not None:
            self.address = address
            return
        mapped = max(4096, self.byte_count)
        self.address = _libc.mmap(None, mapped, _READ_WRITE, _PRIVATE_ANONYMOUS_NORESERVE, -1, 0)
        if self.address == _FAILED:
            raise MemoryError(f"{self.byte_count} bytes")
        weakref.finalize(self, _libc.munmap, self.address, mapped)

    def nbytes(self):
        return self.byte_count

    size = nbytes

    def data_ptr(self):
        return self.address

    def read(self, offset, count):
        return ctypes.string_at(self.address + offset, count)

    def write(self, offset, content):
        ctypes.memmove(self.address + offset, content, len(content))


class _Tensor(ctypes.Structure):  # DLManagedTensor of dlpack.h
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _tensor: None)
_exported = []  # lives as long as the process: a consumer may keep the struct for as long as it likes


def capsule(tensor, on_cuda):
    rank = len(tensor.shape)
    shape, strides = (ctypes.c_int64 * rank)(*tensor.shape), (ctypes.c_int64 * rank)(*tensor.stride())
    kind = tensor.dtype
    made = _Tensor(tensor.data_ptr(), 2 if on_cuda else 1, 0, rank, kind.code, kind.bits, kind.lanes, ctypes.addressof(shape),
                   ctypes.addressof(strides), 0, None, ctypes.cast(_delete, ctypes.c_void_p))
    _exported.append((made, shape, strides, tensor._storage))
    return _new_capsule(ctypes.addressof(made), b"dltensor", None)
