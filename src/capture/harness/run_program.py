"""Runs one CuTe DSL program as its own `__main__` on a stand-in device.

argv[1] is a JSON request: {"program": path, "flags": [...], "arch": "sm_90a", "out": folder, "recorder": recorder.so, "torch": "auto"}.
Written to the folder, line by line so that a crash loses nothing: events.jsonl (launches), kernels.jsonl (what was traced); at the end
outcome.json.
"""

import contextlib
import glob
import importlib
import importlib.util
import json
import os
import re
import sys
import traceback

import local_modules

CALL_CHAIN = 64  # frames of a location: from a library's inside out to the user's line, which lies deep under a task scheduler
HERE = os.path.dirname(os.path.abspath(__file__))


def dsl_runtime_library():
    """libcute_dsl_runtime.so of the flavour that the DSL itself takes without a driver: the newest."""
    found = []
    for folder in sys.path:
        found += glob.glob(os.path.join(folder, "nvidia_cutlass_dsl", "**", "libcute_dsl_runtime.so"), recursive=True)
    found = [f for f in found if "stubs" not in f]
    return sorted(found, key=lambda f: ("cu13" in f, f))[-1] if found else None


def set_environment(request):
    out = request["out"]
    import stand_in_cuda

    os.environ["CUTE_DSL_ARCH"] = request["arch"]
    runtime = dsl_runtime_library()
    os.environ["CUTE_DSL_LIBS"] = ":".join(p for p in (request["recorder"], runtime) if p)
    os.environ["CUTELAB_CAPTURE_EVENTS"] = os.path.join(out, "events.jsonl")
    if request.get("modules"):
        os.environ["CUTELAB_CAPTURE_MODULES"] = out
    os.environ["CUTELAB_CAPTURE_DEVICE"] = ",".join(f"{k}={v}" for k, v in stand_in_cuda.attributes(request["arch"]).items())
    if request.get("ir"):
        os.environ["CUTE_DSL_LOC_TRACEBACKS"] = str(request.get("call_chain") or CALL_CHAIN)
    os.environ.setdefault("CUTE_DSL_DISABLE_FILE_CACHING", "1")
    os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"  # it would read a tensor past the stand-ins


def begin_again_with_recorder(recorder):
    """The recorder is preloaded: it aligns large host allocations as a device's are."""
    if recorder not in os.environ.get("LD_PRELOAD", "").split(":"):
        os.environ["LD_PRELOAD"] = ":".join(p for p in (recorder, os.environ.get("LD_PRELOAD")) if p)
        os.execv(sys.executable, [sys.executable, "-u", *sys.argv])


def has_module(name):
    return importlib.util.find_spec(name) is not None


def install_torch(request):
    """Torch itself if that is asked for and there, else the stand-in; says which."""
    if request.get("torch") == "real":
        if not has_module("torch"):
            return "none"
        import adapt_torch

        adapt_torch.adapt(request["arch"])
        return "torch"
    request["torch_is_installed"] = has_module("torch")
    sys.path.insert(0, os.path.join(HERE, "stand_in"))
    import torch
    import torch_cuda

    torch_cuda.adapt(torch, request["arch"])
    return "stand-in"


def prepare(request):
    """Installs the stand-ins; says which torch was used."""
    import dsl_hooks
    import stand_in_cuda

    unanswered = {}

    def note(name):
        unanswered[name] = unanswered.get(name, 0) + 1

    stand_in_cuda.install(request["arch"], note)
    kind = install_torch(request)
    sys.path.append(os.path.join(HERE, "late"))  # behind everything: what is installed comes first
    import cutlass.cute  # noqa: F401

    write = dsl_hooks.appender(os.path.join(request["out"], "kernels.jsonl"))
    calls = watch_calls(request) if request.get("export") else None
    dsl_hooks.watch(write if calls is None else lambda record: (calls.note_kernel(record), write(record)))
    if request.get("ir"):
        dsl_hooks.keep_intermediate_form(request["out"], dsl_hooks.appender(os.path.join(request["out"], "modules.jsonl")),
                                         request.get("code", False))
    return kind, unanswered


def watch_calls(request):
    import export_calls
    import flag_watch

    flags = flag_watch.Flags()
    flags.watch()
    request["calls"] = export_calls.Calls(request["out"], request["program"], flags)
    request["calls"].watch()
    return request["calls"]


class UnknownArchitecture(Exception):
    """The DSL would fall over it somewhere in the middle of the program."""


def check_architecture(name):
    """Of versions of the DSL that do not tell which architectures they know any is taken."""
    for module in ("cutlass.base_dsl.enums", "cutlass.base_dsl.arch"):
        with contextlib.suppress(ImportError, AttributeError):
            known = importlib.import_module(module).Arch.__members__
            if name not in known:
                raise UnknownArchitecture(f"this version of the CuTe DSL knows no architecture {name}; it knows {', '.join(known)}")
            return


def run(request):
    check_architecture(request["arch"])
    program = request["program"] = os.path.abspath(request["program"])
    sys.argv = [program, *request["flags"]]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    import runpy

    runpy.run_path(program, run_name="__main__")


def last_user_line(trace, program):
    """The innermost frame inside the program's own folder, as 'file:line'. The program may have removed the folder that it ran in, so
    that a name that is not whole stays as it is."""
    folder = os.path.dirname(program)
    place = None
    for frame in traceback.extract_tb(trace):
        if frame.filename.startswith(folder + os.sep):
            place = f"{os.path.relpath(frame.filename, folder)}:{frame.lineno}"
    return place


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        request = json.load(text)
    outcome = {"ended": "in preparation", "reason": None}
    path = os.path.join(request["out"], "outcome.json")

    def save():
        with open(path, "w", encoding="utf-8") as out:
            json.dump(outcome, out)

    try:
        set_environment(request)
        begin_again_with_recorder(request["recorder"])
        outcome["torch"], outcome["unanswered_calls"] = prepare(request)
        outcome["torch_is_installed"] = request.get("torch_is_installed", True)
        import cutlass

        outcome["dsl_version"] = getattr(cutlass, "__version__", None)
        outcome["ended"] = "running"
        save()
        run(request)
        outcome["ended"] = "returned"
    except SystemExit as leaving:
        code = leaving.code
        outcome["ended"] = "returned" if code in (None, 0) else "exited"
        if outcome["ended"] == "exited":
            outcome["reason"] = f"exit({code!r})"[:500]
    except BaseException as error:  # the program's own failure is a result
        outcome["ended"] = "raised" if outcome["ended"] == "running" else "not prepared"
        outcome["reason"] = re.sub("\x1b\\[[0-9;]*m", "", f"{type(error).__name__}: {error}")[:2000]  # the DSL colours what it says
        if isinstance(error, ModuleNotFoundError):
            outcome["missing_module"] = error.name
        outcome["at"] = last_user_line(error.__traceback__, request["program"])
        traceback.print_exc()
    with contextlib.suppress(Exception):
        outcome["sources"] = local_modules.of_program(request["program"])
    if request.get("calls") is not None:
        with contextlib.suppress(OSError):
            request["calls"].save()
    save()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # libraries unload against a stand-in device: nothing of theirs is wanted any more


main()
