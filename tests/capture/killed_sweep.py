#!/usr/bin/env python3
"""A sweep that is ended in the middle: nothing of it is left running, what it captured is kept, and the next one goes on.

usage: killed_sweep.py CUTELAB

No DSL is needed: the interpreter is a script that writes what the harness would.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from hostile_programs import ROOT, running_with

PROGRAMS = 6
PROGRAM = """import cutlass.cute as cute


@cute.kernel
def kernel{number}():
    pass


if __name__ == "__main__":
    pass
"""

# argv: -u run_program.py request.json. Programs after the second wait for the file `go`, and leave a process of their own behind.
INTERPRETER = """#!{python}
import hashlib, json, os, subprocess, sys, time
request = json.load(open(sys.argv[3]))
out, program = request["out"], request["program"]
open({started!r}, "a").write(os.path.basename(program) + "\\n")
if int(program[-4]) > 1 and not os.path.exists({go!r}):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    time.sleep(600)
launch = {{"event": "launch", "symbol": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "dynamic_shared_bytes": 0, "attributes": []}}
kernel = {{"symbol": "k", "function": "k", "qualified": "k", "file": program, "library": False}}
open(out + "/events.jsonl", "w").write(json.dumps(launch))
open(out + "/kernels.jsonl", "w").write(json.dumps(kernel))
open(out + "/module_0.mlir", "w").write("k")
source = {{"path": program, "sha256": hashlib.sha256(open(program, "rb").read()).hexdigest()}}
json.dump({{"ended": "returned", "torch": "stand-in", "sources": [source]}}, open(out + "/outcome.json", "w"))
"""


class World:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.mark = f"killed-{os.getpid()}-{self.folder.name}"
        self.started, self.go = self.folder / "started", self.folder / "go"
        (self.folder / "programs").mkdir()
        for number in range(PROGRAMS):
            (self.folder / f"programs/p{number}.py").write_text(PROGRAM.format(number=number))
        packages = self.folder / "env/lib/python3.11/site-packages/nvidia_cutlass_dsl-4.8.1.dist-info"
        packages.mkdir(parents=True)
        self.python = self.folder / "env/bin/python"
        self.python.parent.mkdir()
        self.python.write_text(INTERPRETER.format(python=sys.executable, started=str(self.started), go=str(self.go)))
        self.python.chmod(0o755)
        (self.folder / "tmp").mkdir()

    def sweep(self, cutelab):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "CUTELAB_TEST_MARK": self.mark,
                       "CUTELAB_ROOT": str(ROOT), "TMPDIR": str(self.folder / "tmp")}
        return subprocess.Popen([cutelab, "capture", "--sweep", str(self.folder / "programs"), "--python", str(self.python),
                                 "--arch", "sm_90a", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment, start_new_session=True)

    def runs(self):
        return self.started.read_text().split() if self.started.exists() else []


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def ended_by(cutelab, number, whole_group):
    """Faults of a sweep that this signal ends while two programs run."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        child = world.sweep(cutelab)
        try:
            if not wait_until(lambda: len(world.runs()) == 4, 120):
                return [f"it does not come to its third and fourth program: {world.runs()}"]
            if len(running_with(world.mark)) < 5:
                return ["the programs do not run: the test shows nothing"]
            os.killpg(child.pid, number) if whole_group else child.send_signal(number)
            child.wait(timeout=60)
            faults = [] if wait_until(lambda: not running_with(world.mark), 20) else [f"still running: {running_with(world.mark)}"]
        finally:
            for one in running_with(world.mark):
                os.kill(one, signal.SIGKILL)
            child.communicate()
        world.go.write_text("")
        next_one = world.sweep(cutelab)
        out, err = next_one.communicate(timeout=300)
        if next_one.returncode != 0:
            return faults + [f"the next sweep ends with {next_one.returncode}: {err}"]
        programs = json.loads(out)["programs"]
        faults += [f"{one['file']}: {one['outcome']}, {one['reason']}" for one in programs if one["outcome"] != "captured"]
        kept = [one["file"] for one in programs if one["kept"]]
        return faults + ([] if kept == ["p0.py", "p1.py"] and len(programs) == PROGRAMS else [f"kept: {kept} of {len(programs)}"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.access(sys.argv[1], os.X_OK):
        print(f"skipped: {sys.argv[1]} is not built (`./cutelab --version` builds it)")
        return 77
    failed = False
    for name, number, whole_group in (("SIGKILL", signal.SIGKILL, False), ("SIGINT", signal.SIGINT, False),
                                      ("SIGINT of a terminal", signal.SIGINT, True), ("SIGTERM", signal.SIGTERM, False)):
        faults = ended_by(os.path.abspath(sys.argv[1]), number, whole_group)
        failed = failed or bool(faults)
        print(f"{'FAILED' if faults else 'ok    '} {name}" + "".join(f"\n       {fault}" for fault in faults), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
