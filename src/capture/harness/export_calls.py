"""Exports the kernel that a program compiles and calls: object file, C header, device code, and the call itself: every argument as the bytes
that the entry point is given, the tensors among them, and where in these bytes an address of a tensor stands.

Written to the folder: kernel.o, kernel.h, kernel.cubin (or .fatbin), kernel.mlir (what the compiler was given, without lines), export.json
(src/kernel/exported_call.h says what it holds).
"""

import copyreg
import ctypes
import functools
import glob
import hashlib
import json
import os

import c_header
import dsl_hooks
import ffi_arguments
import ir_signature
from call_memory import is_tensor, leaves, memory_of, relocated, tensors_and_pointers, with_adapted

STREAM = 1 << 20  # as torch_cuda.py
PREFIX = "exported_kernel"  # of the symbols in every object; each object becomes a library of its own


def descriptor_bytes(tensor):
    """Size of the struct that a tensor is passed as: address, dynamic extents, dynamic strides."""
    stride = 4 if getattr(tensor, "_use_32bit_stride", False) else 8
    end = 8 + 4 * sum(map(bool, tensor.dynamic_shapes_mask))
    count = sum(map(bool, tensor.dynamic_strides_mask))
    if count:
        end = -(-end // stride) * stride + stride * count
    return -(-end // 8) * 8


def runtime_archive():
    """The library that an exported object is linked with: of the newest flavour that the DSL comes with."""
    import cutlass

    name = "libcuda_dialect_runtime_static.a"
    roots = [os.path.dirname(os.path.dirname(os.path.realpath(p))) for p in cutlass.__path__]
    found = [f for root in roots for pattern in ("cu*/lib", "lib") for f in glob.glob(os.path.join(root, pattern, name))]
    return max(found, default="")


def device_code(content):
    """(bytes, "cubin" or "fatbin") of the device code inside an object file."""
    at = content.find(b"\x50\xed\x55\xba")  # the fatbin's magic number
    if at >= 0:
        header, payload = int.from_bytes(content[at + 6:at + 8], "little"), int.from_bytes(content[at + 8:at + 16], "little")
        return content[at:at + header + payload], "fatbin"
    at = content.find(b"\177ELF", 1)
    while at >= 0:
        if int.from_bytes(content[at + 18:at + 20], "little") == 190:  # EM_CUDA
            sections, entry, entries = (int.from_bytes(content[at + a:at + b], "little") for a, b in ((40, 48), (58, 60), (60, 62)))
            return content[at:at + sections + entry * entries], "cubin"
        at = content.find(b"\177ELF", at + 1)
    return None, ""


def streams_can_be_defaults():
    """An object file carries the function's signature, pickled; a stream that is a parameter's default refuses that by itself."""
    from cuda.bindings import driver

    copyreg.pickle(driver.CUstream, lambda stream: (driver.CUstream, (int(stream),)))


class Calls:
    """Watches what is compiled and called. The first call of a compiled function that holds a kernel of the program's own is exported."""

    def __init__(self, folder, program, flags):
        self.folder, self.program, self.flags = folder, program, flags
        self.own_symbols = set()
        self.compiled = {}  # by the identity of its ExecutionArgs
        self.dynamic = {}  # likewise: the arguments it was traced with
        self.compile_calls = {}
        self.done = None
        self.saved = False
        self.ffi_is_left_out = False
        self.others = []
        self.failures = []
        self.unseen = []
        self.notes = []
        self.for_ffi = {}  # compiled functions that were meant for TVM-FFI, by identity: themselves, so that the identity stays theirs
        self.texts = []  # what the compiler was given, one per compilation

    def note_kernel(self, record):
        file = record.get("file")
        if file and not record.get("library"):
            self.own_symbols.add(record["symbol"])

    def watch(self):
        from cutlass.base_dsl import compiler, dsl, jit_executor

        streams_can_be_defaults()
        self.wrap(jit_executor.JitCompiledFunction, "__init__", self.after_compiled)
        self.wrap(jit_executor.JitCompiledFunction, "run_compiled_program", self.after_run)
        self.wrap(jit_executor.ExecutionArgs, "generate_execution_args", self.after_arguments)
        for kind in [dsl.BaseDSL, *dsl_hooks.subclasses(dsl.BaseDSL)]:
            if "compile_and_cache" in vars(kind):
                self.wrap(kind, "compile_and_cache", self.after_traced)
        self.wrap(compiler.CompileCallable, "_compile", self.after_compile_call, self.without_tvm_ffi)
        self.watch_compiler(compiler.Compiler)
        self.pass_on_ffi_calls(jit_executor.JitCompiledFunction)

    def pass_on_ffi_calls(self, kind):
        """Functions that were meant for TVM-FFI are called with its arguments."""
        original = kind.__call__

        @functools.wraps(original)
        def call(compiled, *arguments, **keywords):
            if self.for_ffi.get(id(compiled)) is not compiled:
                return original(compiled, *arguments, **keywords)
            return original(compiled, *self.arguments_of_ffi_call(compiled, arguments, keywords))

        kind.__call__ = call

    def arguments_of_ffi_call(self, compiled, arguments, keywords):
        from cuda.bindings import driver

        execution_args = compiled.execution_args
        traced, traced_keywords = self.dynamic[id(execution_args)]
        values = execution_args.get_rectified_args(tuple(traced), dict(traced_keywords))
        named = dict(zip(execution_args.signature.parameters, values))
        return ffi_arguments.as_compiled(named, arguments, keywords, driver.CUstream(STREAM))

    def watch_compiler(self, kind):
        """Keeps the text of each module before any pass: afterwards nothing tells any more which tensor is written."""
        original = kind.compile

        @functools.wraps(original)
        def compile_and_keep(owner, module, *arguments, **keywords):
            if self.done is None:
                try:
                    self.texts.append(module.operation.get_asm())
                except Exception as error:  # a watcher must not change what it watches
                    self.failures.append(f"{type(error).__name__}: {error}"[:500])
            return original(owner, module, *arguments, **keywords)

        kind.compile = compile_and_keep

    def without_tvm_ffi(self, keywords):
        """Calls through TVM-FFI go past the DSL; the kernel is the same without."""
        options = keywords.get("options")
        if isinstance(options, str) and "--enable-tvm-ffi" in options.split():
            keywords["options"] = " ".join(word for word in options.split() if word != "--enable-tvm-ffi")
            self.ffi_is_left_out = True
            if not self.notes:
                self.notes.append("compiled without --enable-tvm-ffi")

    def wrap(self, kind, name, after, before=None):
        original = vars(kind)[name]

        @functools.wraps(original)
        def method(owner, *arguments, **keywords):
            if before:
                before(keywords)
            made = original(owner, *arguments, **keywords)
            try:
                after(made, owner, arguments, keywords)
            except Exception as error:  # a watcher must not change what it watches
                self.failures.append(f"{type(error).__name__}: {error}"[:500])
            return made

        setattr(kind, name, method)

    def after_run(self, _made, compiled, arguments, keywords):
        """A jit function that is called without cute.compile passes its arguments by another way."""
        passed = self.dynamic.get(id(getattr(compiled, "execution_args", None)))
        pointers = arguments[0] if arguments else keywords.get("exe_args")
        if self.done is None and passed is not None and self.own_symbols.intersection(compiled.kernel_info or {}):
            self.done = compiled
            self.export(compiled, compiled.execution_args, (pointers, []), *passed)
        if compiled is self.done and not self.saved:  # now, in case that the program's end does not come
            self.saved = True
            self.save()

    def after_traced(self, made, _dsl, _arguments, keywords):
        if getattr(made, "execution_args", None) is not None:
            self.dynamic[id(made.execution_args)] = (tuple(keywords.get("dynamic_args") or ()), dict(keywords.get("dynamic_kwargs") or {}))

    def after_compiled(self, _made, compiled, _arguments, _keywords):
        if "TVMFFI" in type(compiled).__name__ and self.own_symbols.intersection(getattr(compiled, "kernel_info", None) or {}):
            self.unseen.append(f"{compiled.function_name} is called through TVM-FFI, past the DSL: its arguments are not seen")
        if getattr(compiled, "execution_args", None) is not None:
            self.compiled[id(compiled.execution_args)] = compiled

    def after_compile_call(self, made, _owner, arguments, keywords):
        self.compile_calls[id(made)] = (arguments, keywords)
        if self.ffi_is_left_out:
            self.for_ffi[id(made)] = made
        self.ffi_is_left_out = False

    def after_arguments(self, made, execution_args, arguments, _keywords):
        compiled = self.compiled.get(id(execution_args))
        if compiled is None or not self.own_symbols.intersection(compiled.kernel_info or {}):
            return
        if self.done is None:
            self.done = compiled
            self.export(compiled, execution_args, made, *arguments)
        elif compiled is not self.done and compiled.function_name not in self.others:
            self.others.append(compiled.function_name)

    def export(self, compiled, execution_args, made, positional, keywords):
        pointers, adapted = made
        values = with_adapted(execution_args.get_rectified_args(tuple(positional), dict(keywords)), adapted)
        named = list(zip(execution_args.signature.parameters, values))
        tensors, buffers, unknown = memory_of(*tensors_and_pointers(named))
        record = {"symbols": list(compiled.kernel_info or {}), "function": compiled.function_name, "tensors": tensors, "undetermined": unknown,
                  "buffers": [{"bytes": count} for _, count in buffers.ranges], "compile_call": self.described_compile_call(compiled)}
        self.record = record
        record["entry"], arguments = self.write_object(compiled, named, len(pointers))
        if len(arguments) != len(pointers):
            raise ValueError(f"{len(arguments)} arguments are described, {len(pointers)} passed")
        sizes = {path: descriptor_bytes(leaf) for name, value in named for path, leaf in leaves(value, name) if is_tensor(leaf)}
        for argument, pointer in zip(arguments, pointers):
            if argument["type"] == "tensor" and argument["bytes"] not in (8, sizes.get(argument["name"], argument["bytes"])):
                raise ValueError(f"tensor {argument['name']} is passed in another form than it was compiled for")
            address = pointer.value if isinstance(pointer, ctypes.c_void_p) else int(pointer)
            content = ctypes.string_at(address, argument["bytes"])
            argument["content"] = content.hex()
            argument["relocations"] = [] if argument["stream"] else relocated(content, buffers)
            leads = argument["type"] in ("tensor", "void *") and any(content[:8])
            if leads and not any(r["at"] == 0 for r in argument["relocations"]):
                unknown.append(f"the memory that argument {argument['name']} refers to")
            if argument["type"] == "cudaEvent_t":
                unknown.append(f"argument {argument['name']}, an event that the program makes: no event is made for a launch from here")
        record["arguments"] = arguments
        self.write_device_code(record)
        self.write_text(compiled)

    def write_object(self, compiled, named, passed):
        """kernel.o, and kernel.h where the DSL can write one: (entry point, arguments in the order of the call)."""
        errors = getattr(compiled, "c_header_arguments", None)
        if errors is not None and not getattr(errors, "error_msg", None):
            compiled.export_to_c(file_path=self.folder, file_name="kernel", function_prefix=PREFIX)
            with open(os.path.join(self.folder, "kernel.h"), encoding="utf-8") as text:
                entry, arguments = c_header.read(text.read())
            if len(arguments) == passed:
                return entry, arguments
        # Arguments without annotations, and calls that were not made through cute.compile, get no header.
        names = [path for name, value in named for path, leaf in leaves(value, name) if leaf is not None]
        arguments = ir_signature.arguments_of(self.text_of(compiled), compiled.function_name, names)
        content = compiled.dump_to_object(PREFIX)
        with open(os.path.join(self.folder, "kernel.o"), "wb") as out:
            out.write(content)
        return f"_mlir_{PREFIX}__mlir_ciface_{compiled.function_name}", arguments

    def text_of(self, compiled):
        name = compiled.function_name
        return next((t for t in reversed(self.texts) if f"@{name}(" in t or f'@"{name}"(' in t), "")

    def write_text(self, compiled):
        text = self.text_of(compiled)
        if text:
            with open(os.path.join(self.folder, "kernel.mlir"), "w", encoding="utf-8") as out:
                out.write(text)

    def described_compile_call(self, compiled):
        """What the program handed to cute.compile: the object with its plain attributes, and every plain argument."""
        arguments, keywords = self.compile_calls.get(id(compiled), ((), {}))
        if not arguments:
            return {"callee": "", "class": "", "attributes": {}, "constants": {}}
        callee = arguments[0]
        owner = getattr(callee, "__self__", callee)
        is_object = not hasattr(owner, "__code__") and not isinstance(owner, functools.partial)
        passed_later = compiled.execution_args.signature.parameters  # what these are traced with does not matter
        named = {name: a for name, a in zip(self.parameter_names(compiled, len(arguments) - 1), arguments[1:])} | keywords
        constants = {name: p for name, a in named.items() if name not in passed_later and (p := dsl_hooks.plain(a)) is not None}
        return {"callee": getattr(callee, "__qualname__", type(owner).__name__), "class": type(owner).__name__ if is_object else "",
                "attributes": dsl_hooks.attributes_of(owner) if is_object else {}, "constants": constants}

    @staticmethod
    def parameter_names(compiled, count):
        """Of the positional arguments of a compile call; their numbers where the DSL does not tell."""
        signature = getattr(compiled.execution_args, "original_signature", None)
        names = [name for name in getattr(signature, "parameters", ()) if name != "self"]
        return names[:count] if len(names) >= count else [str(i) for i in range(count)]

    def write_device_code(self, record):
        with open(os.path.join(self.folder, "kernel.o"), "rb") as text:
            content = text.read()
        record["object_sha256"] = hashlib.sha256(content).hexdigest()
        code, ending = device_code(content)
        if code is None:
            raise ValueError("the object holds no device code")
        record["device_code"], record["device_code_sha256"] = f"kernel.{ending}", hashlib.sha256(code).hexdigest()
        with open(os.path.join(self.folder, record["device_code"]), "wb") as out:
            out.write(code)

    def launches(self, symbols):
        """The first launch of each kernel of the exported function, as the recorder wrote it."""
        found = {}
        try:
            with open(os.path.join(self.folder, "events.jsonl"), encoding="utf-8") as lines:
                for line in lines:
                    event = json.loads(line)
                    if event.get("symbol") in symbols:
                        found.setdefault(event["symbol"], event)
        except (OSError, ValueError):
            pass
        return list(found.values())

    def with_own_kernels(self):
        return sum(bool(self.own_symbols.intersection(getattr(c, "kernel_info", None) or {})) for c in self.compiled.values())

    def save(self):
        """At the end of the program, however it ended."""
        record = {"schema": "cutelab.export", "schema_version": 1, "flags": self.flags.found, "other_functions": self.others,
                  "failures": self.failures + ([] if self.done else self.unseen), "notes": self.notes, "compiled": self.with_own_kernels(), **getattr(self, "record", {})}
        record["launches"] = self.launches(record.get("symbols", []))
        record["runtime_archive"] = runtime_archive()
        temporary = os.path.join(self.folder, "export.json.new")
        with open(temporary, "w", encoding="utf-8") as out:
            json.dump(record, out)
        os.replace(temporary, os.path.join(self.folder, "export.json"))
