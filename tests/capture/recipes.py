#!/usr/bin/env python3
"""A recipe through `cutelab capture --sweep`: a function for three architectures, something that only compiles, operators registered with torch.

usage: recipes.py CUTELAB        exit 77: the DSL is not installed

Operators want torch itself: the interpreter's own or part torch; without either they are named and left out. Nothing is installed.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("CUTELAB_DEPS", ROOT / "build/deps"))

# kernel -> outcome, grid of its launch for each architecture
DIRECT = {"direct": ("captured", [[32, 1, 1]] * 3), "class_alone": ("failed", [[]])}
OPERATORS = {"operator_small": ("captured", [[32, 1, 1]]), "operator_large": ("captured", [[16384, 1, 1]])}


def swept(cutelab, python, cache, only, torch):
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "CUTELAB_ROOT": str(ROOT), "CUTELAB_OFFLINE": "1"}
    done = subprocess.run([cutelab, "capture", "--sweep", str(ROOT / "tests/capture/programs/recipe.json"), "--python", python, "--only", only,
                           "--torch", torch, "--json"], capture_output=True, text=True, env=environment, timeout=900)
    if not done.stdout.startswith("{"):
        return None, done.stderr
    return json.loads(done.stdout)["programs"], done.stderr


def faults(programs, expected):
    found = []
    for name, (outcome, grids) in expected.items():
        mine = [p for p in programs if p["file"] == name]
        if [p["outcome"] for p in mine] != [outcome] * len(grids):
            found.append(f"{name}: {[(p['outcome'], p['ended'], p['reason']) for p in mine]}")
        elif [p["launches"][0]["grid"] if p["launches"] else [] for p in mine] != grids:
            found.append(f"{name}: launches {[p['launches'] for p in mine]}")
        elif outcome == "failed" and (mine[0]["ended"] != "returned" or not mine[0]["modules"]):
            found.append(f"{name}: {mine[0]['ended']} {mine[0]['reason']}, compiled {mine[0]['modules']}")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cutelab = os.path.abspath(sys.argv[1])
    python = os.environ.get("CUTELAB_DSL_PYTHON") or str(DEPS / "dsl/bin/python")
    if not os.access(python, os.X_OK):
        print(f"skipped: no {python}; `cutelab setup dsl`")
        return 77
    found = []
    with tempfile.TemporaryDirectory() as cache:
        for only, torch, expected in (("direct", "stand-in", DIRECT), ("class_alone", "stand-in", DIRECT), ("operator", "real", OPERATORS)):
            programs, said = swept(cutelab, python, cache, only, torch)
            if programs is None and torch == "real" and "torch" in said:
                print(f"left out {', '.join(OPERATORS)}: {said.strip().splitlines()[0]}")
            elif programs is None:
                found.append(said)
            else:
                found += faults(programs, {k: v for k, v in expected.items() if only in k})
    for fault in found:
        print(f"FAILED {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
