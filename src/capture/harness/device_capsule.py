"""DLPack capsules whose device is changed to CUDA, so that host memory passes for a device's.

Struct layout: dlpack.h (DLManagedTensor begins with a DLTensor: data pointer, then DLDevice {type, id}); the versioned capsule has
{version, context, deleter, flags} before it.
"""

import ctypes

CUDA = 2

_api = ctypes.pythonapi
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def on_device(capsule):
    """The same capsule, its tensor said to be on CUDA device 0."""
    name = _api.PyCapsule_GetName(capsule)
    address = _api.PyCapsule_GetPointer(capsule, name)
    tensor = address + (32 if name == b"dltensor_versioned" else 0)
    device = (ctypes.c_int32 * 2).from_address(tensor + 8)
    device[0], device[1] = CUDA, 0
    return capsule
