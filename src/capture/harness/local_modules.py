"""Which files a program consists of: itself and the modules it imported that no library owns."""

import hashlib
import os
import sys
import sysconfig

HERE = os.path.dirname(os.path.realpath(__file__))


def library_folders():
    folders = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages")}
    cutlass = sys.modules.get("cutlass")
    folders |= {os.path.dirname(p) for p in getattr(cutlass, "__path__", [])}
    return {os.path.realpath(f) for f in folders} | {HERE}


def of_library(path):
    real = os.path.realpath(path)
    return any(real.startswith(folder + os.sep) for folder in library_folders())


def digest(path):
    with open(path, "rb") as content:
        return hashlib.sha256(content.read()).hexdigest()


def of_program(program):
    """[{"path", "sha256"}]: the program first."""
    found = [os.path.realpath(program)]
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.endswith(".py") and os.path.isfile(path) and not of_library(path):
            real = os.path.realpath(path)
            if real not in found:
                found.append(real)
    return [{"path": path, "sha256": digest(path)} for path in found]
