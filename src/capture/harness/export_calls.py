"""Exports the kernel that a program compiles and calls: object file, C header, device code, and the call itself: every argument as the bytes
that the entry point is given, the tensors among them, and where in these bytes an address of a tensor stands.

Written to the folder: kernel.o, kernel.h, kernel.cubin (or .fatbin), export.json (src/capture/export.h says what it holds).
"""

import ctypes
import dataclasses
import functools
import gc
import glob
import hashlib
import json
import os

import c_header
import dsl_hooks

PREFIX = "exported_kernel"  # of the symbols in every object; each object becomes a library of its own
MOST_CONTENT = 1 << 16  # bytes of an integer tensor whose content is kept
INDEX_TYPES = {"Int32": 4, "Uint32": 4, "Int64": 8, "Uint64": 8, "Boolean": 1}


def bits_of(dtype):
    return int(getattr(dtype, "width", 8))


def flat(value):
    """A shape or stride as a flat list of integers; None where it is nested or not known."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(p, (tuple, list)) for p in parts):
        return None
    return [int(p) for p in parts]


def leaves(value, name):
    """(name, leaf) of everything inside tuples, dictionaries and dataclasses."""
    if isinstance(value, (tuple, list)):
        for i, part in enumerate(value):
            yield from leaves(part, f"{name}_{i}")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{name}_{key}")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{name}_{field.name}")
    else:
        yield name, value


def allocations():
    """(address, bytes) of the memory that torch or its stand-in holds."""
    found = set()
    for thing in gc.get_objects():
        try:
            if type(thing).__name__ == "Storage" and hasattr(thing, "byte_count"):
                found.add((thing.address, thing.byte_count))
            elif type(thing).__name__ in ("Tensor", "Parameter") and hasattr(thing, "untyped_storage"):
                storage = thing.untyped_storage()
                found.add((storage.data_ptr(), storage.nbytes()))
        except Exception:  # an object that is being taken down
            continue
    return found


class Buffers:
    """Ranges of memory that tensors lie in; those that overlap are one."""

    def __init__(self):
        self.ranges = []

    def add(self, address, count):
        for known in self.ranges:
            if address < known[0] + known[1] and known[0] < address + count:
                end = max(known[0] + known[1], address + count)
                known[0] = min(known[0], address)
                known[1] = end - known[0]
                return
        self.ranges.append([address, count])

    def place(self, address):
        """(index, offset) of an address, or None."""
        for i, (begin, count) in enumerate(self.ranges):
            if begin <= address < begin + count:
                return i, address - begin
        return None


def is_tensor(value):
    from cutlass.cute import runtime

    return type(value) is runtime._Tensor


def with_adapted(values, adapted):
    """The arguments of a call, those of another library's tensor type as the DSL took them."""
    adapted = [a for a in (getattr(a, "_arg", a) for a in adapted) if is_tensor(a)]
    foreign = [i for i, v in enumerate(values) if hasattr(v, "__dlpack__") and not is_tensor(v)]
    if len(foreign) != len(adapted):
        return values
    values = list(values)
    for i, tensor in zip(foreign, adapted):
        values[i] = tensor
    return values


def tensors_and_pointers(named_arguments):
    from cutlass.cute import runtime

    tensors, pointers = [], []
    for name, argument in named_arguments:
        for path, leaf in leaves(argument, name):
            if is_tensor(leaf):
                tensors.append((path, leaf))
            elif type(leaf) is runtime._Pointer:
                pointers.append((path, leaf))
    return tensors, pointers


def described_tensor(name, tensor):
    shape, stride, dtype = flat(tensor.shape), flat(tensor.stride), tensor.element_type
    if shape is None or stride is None:
        raise ValueError(f"tensor {name} has nested modes")
    elements = 1 + sum((e - 1) * s for e, s in zip(shape, stride)) if all(shape) else 0
    return {"name": name, "dtype": dtype.__name__, "bits": bits_of(dtype), "shape": shape, "stride": stride,
            "address": int(tensor.data_ptr), "bytes": max(1, (elements * bits_of(dtype) + 7) // 8)}


def content_of(tensor):
    """Integers of an index type as they lie in memory, in hexadecimal; none of a large tensor or another type."""
    if tensor["dtype"] not in INDEX_TYPES or tensor["bytes"] > MOST_CONTENT:
        return None
    return ctypes.string_at(tensor["address"], tensor["bytes"]).hex()


def holds_addresses(tensor, known):
    if tensor["dtype"] not in ("Int64", "Uint64") or tensor["bytes"] > MOST_CONTENT:
        return False
    words = (ctypes.c_uint64 * (tensor["bytes"] // 8)).from_buffer_copy(ctypes.string_at(tensor["address"], tensor["bytes"]))
    return any(begin <= word < begin + count for word in words if word for begin, count in known)


def memory_of(tensors, pointers):
    """What the tensors and pointers of a call refer to: described tensors, buffers, what is not known."""
    buffers, unknown, described = Buffers(), [], [described_tensor(*t) for t in tensors]
    for tensor in described:
        buffers.add(tensor["address"], tensor["bytes"])
    known = allocations() if pointers or any(t["dtype"] in ("Int64", "Uint64") for t in described) else set()
    for name, pointer in pointers:
        address = int(pointer._pointer)
        around = [a for a in known if a[0] <= address < a[0] + a[1]]
        if not around:
            unknown.append(f"how much memory the pointer {name} refers to")
            continue
        begin, count = around[0]
        buffers.add(address, begin + count - address)
        dtype = pointer._dtype
        described.append({"name": name, "dtype": dtype.__name__, "bits": bits_of(dtype), "shape": [(begin + count - address) * 8 // bits_of(dtype)],
                          "stride": [1], "address": address, "bytes": begin + count - address})
    for tensor in described:
        if holds_addresses(tensor, known):
            unknown.append(f"tensor {tensor['name']} holds addresses of other memory")
        place = buffers.place(tensor["address"])
        tensor["buffer"], tensor["offset"], tensor["content"] = place[0], place[1], content_of(tensor)
        del tensor["address"]
    return described, buffers, unknown


def relocated(content, buffers):
    """Where an address of a buffer stands in the bytes of an argument."""
    found = []
    for at in range(0, len(content) - 7, 8):
        place = buffers.place(int.from_bytes(content[at:at + 8], "little"))
        if place:
            found.append({"at": at, "buffer": place[0], "offset": place[1]})
    return found


def descriptor_bytes(tensor):
    """Size of the struct that a tensor is passed as: address, dynamic extents, dynamic strides."""
    stride = 4 if getattr(tensor, "_use_32bit_stride", False) else 8
    end = 8 + 4 * sum(map(bool, tensor.dynamic_shapes_mask))
    count = sum(map(bool, tensor.dynamic_strides_mask))
    if count:
        end = -(-end // stride) * stride + stride * count
    return -(-end // 8) * 8


def described_argument(name, value, annotation):
    """[{"name", "type", "bytes", "stream"}] of one argument, where no header describes it."""
    from cutlass.base_dsl import typing
    from cutlass.cute import runtime

    if value is None:
        return []
    if type(value) is runtime._Tensor:
        return [{"name": name, "type": "tensor", "bytes": descriptor_bytes(value), "stream": False}]
    if type(value) is runtime._Pointer:
        return [{"name": name, "type": "void *", "bytes": 8, "stream": False}]
    if type(value).__name__ in ("CUstream", "cudaStream_t", "FakeStream"):
        return [{"name": name, "type": "cudaStream_t", "bytes": 8, "stream": True}]
    if isinstance(value, (list, tuple)):
        return [a for i, part in enumerate(value) for a in described_argument(f"{name}_{i}", part, None)]
    if isinstance(annotation, typing.NumericMeta):
        real = "Float" in annotation.__name__
        return [{"name": name, "type": "float" if real else annotation.__name__, "bytes": annotation.width // 8, "stream": False}]
    raise ValueError(f"argument {name} is of a kind that is not known here: {type(value).__name__}")


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


class Calls:
    """Watches what is compiled and called. The first call of a compiled function that holds a kernel of the program's own is exported."""

    def __init__(self, folder, program, flags):
        self.folder, self.program, self.flags = folder, program, flags
        self.own_symbols = set()
        self.compiled = {}  # by the identity of its ExecutionArgs
        self.dynamic = {}  # likewise: the arguments it was traced with
        self.compile_calls = {}
        self.done = None
        self.others = []
        self.failures = []
        self.unseen = []
        self.notes = []

    def note_kernel(self, record):
        file = record.get("file")
        if file and not record.get("library"):
            self.own_symbols.add(record["symbol"])

    def watch(self):
        from cutlass.base_dsl import compiler, dsl, jit_executor

        self.wrap(jit_executor.JitCompiledFunction, "__init__", self.after_compiled)
        self.wrap(jit_executor.JitCompiledFunction, "run_compiled_program", self.after_run)
        self.wrap(jit_executor.ExecutionArgs, "generate_execution_args", self.after_arguments)
        for kind in [dsl.BaseDSL, *dsl_hooks.subclasses(dsl.BaseDSL)]:
            if "compile_and_cache" in vars(kind):
                self.wrap(kind, "compile_and_cache", self.after_traced)
        self.wrap(compiler.CompileCallable, "_compile", self.after_compile_call, self.without_tvm_ffi)

    def without_tvm_ffi(self, keywords):
        """Calls through TVM-FFI go past the DSL; the kernel is the same without."""
        options = keywords.get("options")
        if isinstance(options, str) and "--enable-tvm-ffi" in options.split():
            keywords["options"] = " ".join(word for word in options.split() if word != "--enable-tvm-ffi")
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
        if self.done is not None or passed is None or not self.own_symbols.intersection(compiled.kernel_info or {}):
            return
        self.done = compiled
        self.export(compiled, compiled.execution_args, (pointers, []), *passed)

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
        record["entry"], arguments = self.write_object(compiled, execution_args, named)
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
        record["arguments"] = arguments
        self.write_device_code(record)

    def write_object(self, compiled, execution_args, named):
        """kernel.o, and kernel.h where the DSL can write one: (entry point, arguments in the order of the call)."""
        errors = getattr(compiled, "c_header_arguments", None)
        if errors is not None and not getattr(errors, "error_msg", None):
            compiled.export_to_c(file_path=self.folder, file_name="kernel", function_prefix=PREFIX)
            with open(os.path.join(self.folder, "kernel.h"), encoding="utf-8") as text:
                return c_header.read(text.read())
        # Arguments without annotations, and calls that were not made through cute.compile, get no header.
        parameters = execution_args.signature.parameters
        arguments = [a for name, value in named for a in described_argument(name, value, parameters[name].annotation)]
        content = compiled.dump_to_object(PREFIX)
        with open(os.path.join(self.folder, "kernel.o"), "wb") as out:
            out.write(content)
        return f"_mlir_{PREFIX}__mlir_ciface_{compiled.function_name}", arguments

    def described_compile_call(self, compiled):
        """What the program handed to cute.compile: the object with its plain attributes, and every plain argument."""
        arguments, keywords = self.compile_calls.get(id(compiled), ((), {}))
        if not arguments:
            return {"callee": "", "class": "", "attributes": {}, "constants": {}}
        callee = arguments[0]
        owner = getattr(callee, "__self__", callee)
        is_object = not hasattr(owner, "__code__") and not isinstance(owner, functools.partial)
        constants = {str(i): p for i, a in enumerate(arguments[1:]) if (p := dsl_hooks.plain(a)) is not None}
        constants |= {name: p for name, a in keywords.items() if (p := dsl_hooks.plain(a)) is not None}
        return {"callee": getattr(callee, "__qualname__", type(owner).__name__), "class": type(owner).__name__ if is_object else "",
                "attributes": dsl_hooks.attributes_of(owner) if is_object else {}, "constants": constants}

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

    def save(self):
        """At the end of the program, however it ended."""
        record = {"schema": "cutelab.export", "schema_version": 1, "flags": self.flags.found, "other_functions": self.others,
                  "failures": self.failures + ([] if self.done else self.unseen), "notes": self.notes, "compiled": len(self.compiled), **getattr(self, "record", {})}
        record["launches"] = self.launches(record.get("symbols", []))
        record["runtime_archive"] = runtime_archive()
        temporary = os.path.join(self.folder, "export.json.new")
        with open(temporary, "w", encoding="utf-8") as out:
            json.dump(record, out)
        os.replace(temporary, os.path.join(self.folder, "export.json"))
