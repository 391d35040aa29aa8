#!/usr/bin/env python3
"""Programs that misbehave, through `cutelab capture`: each is named, and nothing of it is left running.

usage: hostile_programs.py CUTELAB        exit 77: the DSL is not installed
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("CUTELAB_DEPS", ROOT / "build/deps"))
PROGRAM = ROOT / "tests/capture/programs/hostile.py"

# way -> how the capture ends, a part of its reason, its exit code
EXPECTED = {
    "exits": ("exited", "exit(3)", 1),
    "leaves": ("vanished", "status 4", 1),
    "raises": ("raised", "ZeroDivisionError", 1),
    "crashes": ("crashed", "SIGSEGV", 1),
    "missing": ("missing-module", "no_such_module_at_all", 3),
    "breaks_compiler": ("raised", "", 1),
    "crashes_compiler": ("crashed", "SIGSEGV", 1),
    "two_gpus": ("raised", "needs 2 GPUs, found 1", 1),
    "hoards": ("memory-limit", "resident", 1),
    "wanders": ("returned", "", 1),
    "closes": ("returned", "", 1),
    "forks": ("returned", "", 1),
    "prints": ("output-limit", "printed", 1),
    "removes_its_folder": ("raised", "FileNotFoundError", 1),
    "daemonises": ("returned", "", 1),
    "flees": ("returned", "", 1),
    "multiplies": ("process-limit", "processes at once", 1),
    "endless": ("time-limit", "still running after 20 s", 1),
    "ignores_signals": ("time-limit", "still running after 20 s", 1),
}


def running_with(mark):
    """Ids of processes whose environment holds the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def capture(cutelab, python, way, cache, mark):
    limit = "20" if way in ("endless", "ignores_signals") else "120"
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "CUTELAB_TEST_MARK": mark, "CUTELAB_ROOT": str(ROOT)}
    done = subprocess.run([cutelab, "capture", str(PROGRAM), "--arch", "sm_90a", "--python", python, "--timeout", limit,
                           *(["--memory", "1"] if way == "hoards" else []), "--json", "--", way],
                          capture_output=True, text=True, env=environment, timeout=400)
    return json.loads(done.stdout), done.returncode


def left_after_a_moment(mark):
    """What still runs two seconds later: who was killed takes a moment to go on a busy machine, who was not runs for ten minutes."""
    for _ in range(20):
        if not running_with(mark):
            return []
        time.sleep(0.1)
    return running_with(mark)


def good(cutelab, python, cache):
    """The capture of one of our own kernels, in the same cache."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "CUTELAB_ROOT": str(ROOT)}
    done = subprocess.run([cutelab, "capture", str(ROOT / "tests/capture/programs/scale.py"), "--arch", "sm_90a", "--python", python, "--json"],
                          capture_output=True, text=True, env=environment, timeout=400)
    return json.loads(done.stdout)


def main():
    cutelab = os.path.abspath(sys.argv[1])
    python = os.environ.get("CUTELAB_DSL_PYTHON") or str(DEPS / "dsl/bin/python")
    if not os.access(python, os.X_OK):
        print(f"skipped: no {python}; `cutelab setup dsl`")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as cache:
        good(cutelab, python, cache)
        for way, (ended, reason, code) in EXPECTED.items():
            mark = f"{way}-{os.getpid()}"
            made, returned = capture(cutelab, python, way, cache, mark)
            right = made["ended"] == ended and reason in made["reason"] and returned == code and made["outcome"] == "failed"
            left = left_after_a_moment(mark)
            failures += not right or bool(left)
            print(f"{'ok    ' if right and not left else 'FAILED'} {way}: {made['ended']}: {made['reason']!r}, exit {returned}"
                  + (f", still running: {left}" if left else ""), flush=True)
        if not good(cutelab, python, cache)["kept"]:
            failures += 1
            print("FAILED the capture of a program that behaves is no longer kept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
