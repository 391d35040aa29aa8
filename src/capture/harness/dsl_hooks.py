"""Watches the DSL while it traces: which Python function, at which line of which file, and which object stand behind each kernel symbol.
"""

import enum
import functools
import json
import os

import local_modules


def plain(value, depth=3):
    """A value as JSON, or None where it is not plain data. Objects of the compiler are never touched: printing one after its
    module is gone ends the process."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, type):
        return value.__name__
    if depth and isinstance(value, (tuple, list)):
        parts = [plain(v, depth - 1) for v in value]
        return parts if all(p is not None or v is None for p, v in zip(parts, value)) else None
    if depth and isinstance(value, dict):
        return {str(k): p for k, v in value.items() if (p := plain(v, depth - 1)) is not None}
    return None


def attributes_of(owner):
    try:
        members = vars(owner)
    except TypeError:
        return {}
    return {name: p for name, value in members.items() if (p := plain(value)) is not None}


def watch(write):
    """Calls `write` with one dictionary per kernel that is traced."""
    from cutlass.base_dsl import dsl

    wanted = "generate_kernel_operands_and_types"
    for kind in [dsl.BaseDSL, *subclasses(dsl.BaseDSL)]:
        if wanted in vars(kind):
            setattr(kind, wanted, watched(vars(kind)[wanted], write))


def subclasses(kind):
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


def watched(original, write):
    @functools.wraps(original)
    def method(self, kernel_function, kernel_name, signature, arguments, keywords, *rest, **more):
        try:
            record = description(kernel_function, kernel_name, signature, arguments)
        except Exception as error:  # a watcher must not change what it watches; the launch stays without its function
            record = {"event": "kernel", "symbol": kernel_name, "function": getattr(kernel_function, "__name__", ""), "unknown": repr(error)}
        write(record)
        return original(self, kernel_function, kernel_name, signature, arguments, keywords, *rest, **more)

    return method


def description(function, symbol, signature, arguments):
    code = getattr(function, "__code__", None)
    inner = getattr(function, "__wrapped__", function)
    code = code or getattr(inner, "__code__", None)
    first = next(iter(signature.parameters), None)
    owner = arguments[0] if arguments and first == "self" else None
    constants = {}
    for name, value in zip(signature.parameters, arguments):
        if name != "self" and (p := plain(value)) is not None:
            constants[name] = p
    return {
        "event": "kernel", "symbol": symbol, "function": function.__name__, "qualified": getattr(function, "__qualname__", function.__name__),
        "file": os.path.realpath(code.co_filename) if code else None, "library": local_modules.of_library(code.co_filename) if code else True, "line": code.co_firstlineno if code else None,
        "class": type(owner).__name__ if owner is not None else None, "attributes": attributes_of(owner) if owner is not None else {},
        "constants": constants,
    }


def keep_intermediate_form(folder, write, with_code):
    """Writes what the compiler is given, before any pass and with the user's lines, one file per compilation; passes lose the lines.
    `write` gets one dictionary per file. `with_code`: also device code with a line table (line_tables.py)."""
    from cutlass.base_dsl import compiler

    import line_tables

    whole_call_chains()
    original = compiler.Compiler.compile
    count = 0

    @functools.wraps(original)
    def compile_and_keep(self, module, *arguments, **keywords):
        nonlocal count
        stem = os.path.join(folder, f"module_{count}")
        text = None
        try:
            with open(stem + ".mlir", "w", encoding="utf-8") as out:
                out.write(module.operation.get_asm(enable_debug_info=True))
            write({"event": "module", "path": stem + ".mlir"})
            count += 1
            if with_code:
                text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        except Exception as error:  # a watcher must not change what it watches
            write({"event": "module", "path": None, "unknown": repr(error)})
        pipeline, rest = (arguments[0], arguments[1:]) if arguments else (keywords.pop("pipeline"), ())
        apart = text and line_tables.CompilationApart(self.passmanager.PassManager, text, pipeline, stem)
        try:
            return original(self, module, line_tables.without_lines(pipeline), *rest, **keywords)
        finally:
            if apart and (reason := apart.reason_of_failure()):
                write({"event": "code", "path": stem + ".mlir", "unknown": reason})

    compiler.Compiler.compile = compile_and_keep


def whole_call_chains():
    """A program that asks for line information gets one line for each operation, without the chain of calls that led there: that is
    switched off."""
    from cutlass._mlir_helpers import op
    from cutlass.base_dsl import dsl

    for module in (op, dsl):
        if hasattr(module, "_set_enable_frame_filtering"):  # not in every version
            module._set_enable_frame_filtering = lambda _enable: None


def appender(path):
    def write(record):
        with open(path, "a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")

    return write
