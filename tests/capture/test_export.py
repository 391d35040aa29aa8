"""Exports without the DSL: the reader of C headers, the watcher of command lines, the finder of device code, and the C door of exported
kernels (kernels/exported_door.c) around an object that stands in for an exported one."""

import argparse
import ctypes
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "capture" / "harness"))

import call_memory  # noqa: E402
import c_header  # noqa: E402
import export_calls  # noqa: E402
import flag_watch  # noqa: E402

HEADER = """
typedef struct {
    cudaLibrary_t module;
} p_Kernel_Module_t;
typedef struct {
    void *data;
    int32_t dynamic_shapes[3];
    int64_t dynamic_strides[2];
} p_Tensor_a_t;

typedef struct {
    p_Tensor_ts_t elements[2];
    int32_t count;
} p_TensorList_ts_t;

typedef struct {
    void *data;
    int32_t dynamic_shapes[1];
} p_Tensor_ts_t;
void p_entry(void **args, int32_t num_args);

static inline int32_t cute_dsl_p_wrapper(p_Kernel_Module_t *module, p_Tensor_a_t *a, void *q, float alpha, int32_t *sizes, p_TensorList_ts_t *ts, cudaStream_t stream) {
    int32_t ret = 0;
    void *args[9] = {
        a, &q, &alpha, &sizes[0], &sizes[1], &ts->elements[0], &ts->elements[1], &stream,
        &ret
    };
    p_entry(args, 9);
    return ret;
}
"""


class Header(unittest.TestCase):
    def test_sizes_and_order(self):
        entry, arguments = c_header.read(HEADER)
        self.assertEqual(entry, "p_entry")
        self.assertEqual([(a["name"], a["bytes"], a["stream"]) for a in arguments],
                         [("a", 40, False), ("q", 8, False), ("alpha", 4, False), ("sizes", 4, False), ("sizes", 4, False),
                          ("ts", 16, False), ("ts", 16, False), ("stream", 8, True)])

    def test_what_it_does_not_know_is_said(self):
        for old, new in (("float alpha", "quad alpha"), ("int64_t dynamic_strides[2]", "int128_t dynamic_strides[2]"),
                         ("&ret\n", "&other\n"), ("void p_entry(void **args", "void p_entry(int **args")):
            self.assertIn(old, HEADER)
            with self.assertRaises(c_header.UnknownHeader):
                c_header.read(HEADER.replace(old, new))


class CommandLine(unittest.TestCase):
    def test_kinds_and_values(self):
        watch = flag_watch.Flags()
        original = argparse.ArgumentParser.parse_known_args
        watch.watch()
        try:
            parser = argparse.ArgumentParser()
            parser.add_argument("--mnk", type=lambda t: tuple(map(int, t.split(","))), default=(1, 2, 3))
            parser.add_argument("-t", "--tile", type=int, default=64, choices=[64, 128])
            parser.add_argument("--fast", action="store_true")
            parser.add_argument("--slow", action="store_false", dest="fast_too")
            parser.add_argument("--dtype", default=ctypes.c_int)
            parser.parse_args(["--mnk", "4,5,6", "--fast"])
        finally:
            argparse.ArgumentParser.parse_known_args = original
        found = {f["option"]: f for f in watch.found}
        self.assertEqual((found["--mnk"]["kind"], found["--mnk"]["value"], found["--mnk"]["default"]), ("integers", "4,5,6", "1,2,3"))
        self.assertEqual((found["--tile"]["kind"], found["--tile"]["choices"]), ("integer", ["64", "128"]))
        self.assertEqual((found["--fast"]["kind"], found["--fast"]["value"], found["--fast"]["negative"]), ("switch", "True", False))
        self.assertTrue(found["--slow"]["negative"])
        self.assertEqual(found["--dtype"]["value"], "c_int")


class DeviceCode(unittest.TestCase):
    def test_fatbin_and_cubin(self):
        fatbin = b"\x50\xed\x55\xba" + struct.pack("<HHQ", 1, 16, 5) + b"hello"
        self.assertEqual(export_calls.device_code(b"xx" + fatbin + b"yy"), (fatbin, "fatbin"))
        cubin = bytearray(64 + 128)
        cubin[:5], cubin[18:20] = b"\177ELF\2", struct.pack("<H", 190)
        cubin[40:48], cubin[58:60], cubin[60:62] = struct.pack("<Q", 64), struct.pack("<H", 64), struct.pack("<H", 2)
        host = b"\177ELF\2" + bytes(100)
        self.assertEqual(export_calls.device_code(host + bytes(cubin) + b"rest"), (bytes(cubin), "cubin"))
        self.assertEqual(export_calls.device_code(host), (None, ""))


class Memory(unittest.TestCase):
    def test_addresses_are_found_again(self):
        buffers = call_memory.Buffers()
        buffers.add(0x1000, 0x100)
        buffers.add(0x3000, 0x10)
        buffers.add(0x10f0, 0x100)  # overlaps the first
        self.assertEqual(buffers.place(0x11ef), (0, 0x1ef))
        self.assertIsNone(buffers.place(0x11f0))
        self.assertEqual(call_memory.relocated(struct.pack("<QQQ", 7, 0x3004, 0x1000), buffers),
                         [{"at": 8, "buffer": 1, "offset": 4}, {"at": 16, "buffer": 0, "offset": 0}])


TYPES = """
#include <stddef.h>
#include <stdint.h>
struct config { uint32_t dims[6]; size_t smem; void* stream; void* attributes; uint32_t count; };
extern long seen[8];
int _cudaLaunchKernelEx(const struct config* config, const void* kernel, void** arguments);
"""

RUNTIME = r"""
long seen[8];
long* stand_in_seen(void) { return seen; }
int cudaGetDevice(int* device) { *device = 3; return 0; }
const char* cudaGetErrorName(int code) { (void)code; return "name"; }
const char* cudaGetErrorString(int code) { return code == 98 ? "what went wrong" : "?"; }
int _cudaLaunchKernelEx(const struct config* config, const void* kernel, void** arguments) {
  (void)kernel, (void)arguments;
  seen[0] = (long)config->stream;
  return 0;
}
"""

EXPORTED = r"""
void _mlir_exported_kernel_cuda_init(void** a) { *(*(void***)a[0]) = (void*)0x77; *(int*)a[1] = 0; ++seen[1]; }
void _mlir_exported_kernel_cuda_load_to_device(void** a) { seen[2] = *(int32_t*)a[1]; *(int*)a[2] = 0; ++seen[3]; }
void entry(void** a, int32_t count) {
  seen[4] = count;
  seen[5] = *(int64_t*)a[0];
  seen[6] = (long)*(void**)a[1];
  struct config config = {{1, 1, 1, 1, 1, 1}, 0, *(int64_t*)a[0] == 1 ? *(void**)a[1] : NULL, NULL, 0};
  int code = _cudaLaunchKernelEx(&config, NULL, NULL);
  *(int32_t*)a[count - 1] = *(int64_t*)a[0] == 98 ? 98 : code;
}
"""


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Door(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        for name, text in (("runtime", RUNTIME), ("exported", EXPORTED)):
            (folder / f"{name}.c").write_text(TYPES + text)
        door = ROOT / "kernels" / "exported_door.c"
        common = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", f"-I{ROOT / 'kernels'}"]
        subprocess.run([*common, "-shared", "-Wl,--wrap=_cudaLaunchKernelEx", "-Wl,-z,defs", "-DCUTELAB_EXPORT_ENTRY=entry",
                        "-DCUTELAB_EXPORT_INIT=_mlir_exported_kernel_cuda_init",
                        "-DCUTELAB_EXPORT_LOAD=_mlir_exported_kernel_cuda_load_to_device", "-o", folder / "kernel.so", door,
                        folder / "exported.c", folder / "runtime.c"], check=True)
        cls.library = ctypes.CDLL(str(folder / "kernel.so"))
        cls.library.cutelab_error_text.restype = ctypes.c_char_p
        cls.library.stand_in_seen.restype = ctypes.POINTER(ctypes.c_long)
        cls.seen = cls.library.stand_in_seen()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def launch(self, number, stream=0x1234, count=2):
        block = struct.pack("<IIIIII", count, 0, 32, 0, 48, 1).ljust(32, b"\0") + struct.pack("<q", number).ljust(16, b"\0") + bytes(8)
        return self.library.cutelab_launch(block, ctypes.c_ulonglong(len(block)), None, ctypes.c_void_p(stream))

    def test_arguments_stream_and_result(self):
        self.assertEqual(self.launch(1), 0)
        self.assertEqual((self.seen[4], self.seen[5], self.seen[6], self.seen[0]), (3, 1, 0x1234, 0x1234))
        self.assertEqual(self.launch(2, stream=0x88), 0)
        self.assertEqual(self.seen[0], 0x88, "a launch on the default stream goes to the one that was asked for")
        self.assertEqual(self.seen[2], 3, "the device that is current")
        self.assertEqual((self.seen[1], self.seen[3]), (1, 1), "device code is loaded once")
        self.assertEqual(self.launch(98), 98)
        self.assertEqual(self.library.cutelab_error_text(98), b"what went wrong")

    def test_a_damaged_block_is_refused(self):
        self.assertEqual(self.library.cutelab_launch(None, ctypes.c_ulonglong(0), None, None), 1)
        self.assertEqual(self.launch(1, count=1000), 1)
        self.assertEqual(self.launch(1, count=7), 1)


if __name__ == "__main__":
    unittest.main()
