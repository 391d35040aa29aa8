"""Exports without the DSL: the reader of C headers, the watcher of command lines, the finder of device code, and the C door of exported
kernels (kernels/exported_door.c) around an object that stands in for an exported one."""

import argparse
import ctypes
import importlib.util
import pathlib
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "capture" / "harness"))

import call_memory  # noqa: E402
import c_header  # noqa: E402
import export_calls  # noqa: E402
import ffi_arguments  # noqa: E402
import ir_signature  # noqa: E402
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


class Tuples(unittest.TestCase):
    ROWS = ((64, 8, 1), (32, 8, 1))

    def found(self, parser_of_text, default):
        action = types.SimpleNamespace(default=default, type=parser_of_text, option_strings=["--sizes"], dest="sizes", nargs=None, choices=None, help="")
        return flag_watch.described(action, default)

    def test_are_spelled_as_the_programs_own_parser_takes_them(self):
        def plain(text):
            return [tuple(map(int, part.split(","))) for part in text.strip("()").split("),(")]

        def bracketed(text):
            if not text.startswith("["):
                raise ValueError(text)
            return plain(text[1:-1])

        self.assertEqual(self.found(plain, self.ROWS)["value"], "(64,8,1),(32,8,1)")
        self.assertEqual(self.found(bracketed, self.ROWS)["value"], "[(64,8,1),(32,8,1)]")
        self.assertEqual(self.found(plain, self.ROWS)["kind"], "tuples")
        self.assertEqual(self.found(plain, (64, 8))["kind"], "integers")

    def test_a_parser_that_makes_something_else_of_them_is_not_known(self):
        for wrong in (None, lambda text: [(1, 2)], lambda text: 1 // 0, lambda text: 7):
            self.assertIsNone(self.found(wrong, self.ROWS)["value"])


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


TEXT = """
!view = !cute.memref<f16, gmem, align<16>, "(?,8,?):(?{i64 div=8},1,?{i64})">
!narrow = !cute.memref<f16, gmem, "(4,(?,2)):(?{div=4},(1,?))">
module {
  cuda.kernel @f(%arg0: i32) {
  }
  func.func @f_host(%arg0: !view loc(unknown), %arg1: !narrow, %arg2: !cute.ptr<f16, gmem, align<16>> loc("x"(#loc1)), %arg3: f32, %arg4: i1, %arg5: !cuda.stream) -> i32 attributes {llvm.emit_c_interface} {
  }
}
"""


class Signature(unittest.TestCase):
    def test_sizes_are_those_of_the_types(self):
        found = ir_signature.arguments_of(TEXT, "f_host", ["a", "b", "p", "alpha", "on", "stream"])
        self.assertEqual([(a["name"], a["type"], a["bytes"]) for a in found],
                         [("a", "tensor", 32), ("b", "tensor", 24), ("p", "void *", 8), ("alpha", "float", 4), ("on", "int8_t", 1), ("stream", "cudaStream_t", 8)])
        self.assertEqual([a["stream"] for a in found], [False] * 5 + [True])

    def test_names_that_are_not_as_many_are_left_out(self):
        self.assertEqual([a["name"] for a in ir_signature.arguments_of(TEXT, "f_host", ["a"])][:2], ["argument_0", "argument_1"])

    def test_what_it_does_not_know_is_said(self):
        for text, function in ((TEXT, "g"), (TEXT.replace("%arg3: f32", "%arg3: !cute.other"), "f_host"), (TEXT.replace("%arg5: !cuda.stream)", "%arg5: !cuda.stream"), "f_host")):
            with self.assertRaises(ValueError):
                ir_signature.arguments_of(text, function, [])


class Like:
    def __init__(self, shapes, strides, narrow=False):
        self.dynamic_shapes_mask, self.dynamic_strides_mask, self._use_32bit_stride, self.element_type = shapes, strides, narrow, float


class Foreign:
    """A tensor of another library."""

    def __init__(self, address, shape, strides):
        self.address, self.shape, self.strides = address, shape, strides

    def stride(self):
        return self.strides

    def data_ptr(self):
        return self.address


class Width:
    width = 32

    def __init__(self, value):
        self.value = value


class _FakeStream:
    use_tvm_ffi_env_stream = True


class ForeignArguments(unittest.TestCase):
    def test_a_tensor_becomes_the_descriptor_it_was_compiled_for(self):
        tensor = Foreign(0x1000, (3, 8, 5), (40, 1, 8))
        made = ffi_arguments.converted(tensor, Like((1, 0, 1), (1, 0, 1)))
        self.assertEqual(made.content.raw[:32], struct.pack("<QiiQQ", 0x1000, 3, 5, 40, 8))
        narrow = ffi_arguments.converted(tensor, Like((1, 0, 0), (1, 0, 1), True))
        self.assertEqual(narrow.content.raw[:24], struct.pack("<QiiiI", 0x1000, 3, 40, 8, 0))
        self.assertEqual(export_calls.descriptor_bytes(made), 32)

    def test_the_environments_stream_is_put_in_its_place(self):
        traced = {"x": Like((), ()), "stream": _FakeStream(), "n": Width(1), "none": None, "rest": Width(2)}
        made = ffi_arguments.as_compiled(traced, [Foreign(8, (), ()), 7, None], {}, "the stream")
        self.assertEqual([made[0].data_ptr, made[1], made[2].value, made[3]], [8, "the stream", 7, None])
        self.assertEqual(len(made), 4, "what is not given has its default")


    def test_a_number_for_a_symbol_gets_the_symbols_width(self):
        class Symbol:
            width, divisibility = 64, 8

            def __init__(self, *_given):
                raise ValueError("a symbol is made of a width, not of a number")

        seen = []
        original = ffi_arguments.whole_number
        ffi_arguments.whole_number = lambda bits: lambda value: seen.append((bits, value)) or value
        try:
            self.assertEqual(ffi_arguments.converted((256, 2.5), (Symbol.__new__(Symbol), None)), (256, 2.5))
        finally:
            ffi_arguments.whole_number = original
        self.assertEqual(seen, [(64, 256)])


class Defaults(unittest.TestCase):
    def test_a_stream_that_is_a_default_can_be_pickled(self):
        driver = types.ModuleType("cuda.bindings.driver")
        driver.CUstream = type("CUstream", (int,), {"__module__": "cuda.bindings.driver", "__reduce_ex__": refuses})
        modules = {"cuda": types.ModuleType("cuda"), "cuda.bindings": types.ModuleType("cuda.bindings"), "cuda.bindings.driver": driver}
        modules["cuda.bindings"].driver = driver
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            with self.assertRaises(TypeError):
                pickle.dumps(driver.CUstream(7))
            export_calls.streams_can_be_defaults()
            self.assertEqual(int(pickle.loads(pickle.dumps(driver.CUstream(7)))), 7)
        finally:
            for name, module in before.items():
                sys.modules.pop(name) if module is None else sys.modules.update({name: module})

    def test_an_extent_that_is_a_symbol_is_a_number(self):
        for kind, size in (('!cute.int_tuple<"?{i64}">', 8), ('!cute.int_tuple<"?{i64 div=16}">', 8), ('!cute.int_tuple<"?{div=16}">', 4), ('!cute.int_tuple<"?">', 4)):
            made = ir_signature.described(kind, "m")
            self.assertEqual((made["type"], made["bytes"]), (f"int{size * 8}_t", size), kind)
        with self.assertRaises(ir_signature.UnknownSignature):
            ir_signature.described('!cute.int_tuple<"(?,?)">', "mn")

    def test_an_event_is_an_argument_that_is_known(self):
        made = ir_signature.described("!cuda.event", "done")
        self.assertEqual((made["type"], made["bytes"], made["stream"]), ("cudaEvent_t", 8, False))


class LateModules(unittest.TestCase):
    def test_marks_leave_functions_as_they_are(self):
        spec = importlib.util.spec_from_file_location("stood_in_pytest", ROOT / "src/capture/harness/late/pytest.py")
        pytest = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(pytest)

        @pytest.mark.L0
        @pytest.mark.parametrize("n", [1, 2])
        @pytest.fixture
        def seven():
            return 7

        self.assertEqual(seven(), 7)
        with self.assertRaises(ModuleNotFoundError):
            pytest.main([])


class StandInTorch(unittest.TestCase):
    def test_negative_extents_are_refused_as_torch_does(self):
        program = "import torch\nfor make in (torch.empty, torch.randn, torch.zeros):\n    try:\n        make(3, -2)\n    except RuntimeError as error:\n        print(error)\n"
        harness = ROOT / "src" / "capture" / "harness"
        run = subprocess.run([sys.executable, "-B", "-c", program], env={"PYTHONPATH": f"{harness / 'stand_in'}:{harness}"}, capture_output=True, text=True)
        self.assertEqual(run.stdout.splitlines(), ["Trying to create tensor with negative dimension -2: [3, -2]"] * 3, run.stderr)


def refuses(_self, _protocol):
    raise TypeError("no default __reduce__ due to non-trivial __cinit__")


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
