#!/usr/bin/env python3
"""The kernels of examples/ compiled without a GPU: what the compiler says of each, and that no value differs from the reading.

usage: own_kernels.py CUTELAB        exit 77: the DSL is not installed

Programs that import what the DSL of CUTELAB_DSL_PYTHON has not got are named and left out.
"""
import ast
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("CUTELAB_DEPS", ROOT / "build/deps"))

# program -> facts that the compiled side must hold: (kind, values)
EXPECTED = {
    "elementwise_add.py": [("launch", {})],
    "tma_copy.py": [("tma-descriptor", {"direction": "load"}), ("tma-descriptor", {"direction": "store"}), ("copy", {"operation": "tma-load"}),
                    ("storage", {"bytes": 16512})],
    "online_softmax.py": [("launch", {"block": [128, 1, 1], "smem_bytes": 0})],
    "rmsnorm.py": [("allocation", {"bytes": 32})],
    "gemm_wgmma_pipelined.py": [("pipeline", {"class": "PipelineTmaAsync", "stages": 7, "bytes": 32768, "consumer_arrivals": 4}),
                                ("mma", {"family": "wgmma"}), ("launch", {"smem_bytes": 230400, "block": [128, 1, 1]}),
                                ("storage-member", {"bytes": 114688})],
    "gemm_persistent_warp_specialized.py": [("launch", {"block": [384, 1, 1], "smem_bytes": 230400}), ("storage-member", {"bytes": 98304}),
                                            ("register-budget", {"action": "increase"}), ("register-budget", {"action": "decrease"})],
}


def python_of_dsl():
    named = os.environ.get("CUTELAB_DSL_PYTHON")
    return Path(named) if named else DEPS / "dsl/bin/python"


def modules_of(name):
    """Modules of the DSL that a program imports."""
    tree = ast.parse((ROOT / "examples/cute_dsl" / name).read_text())
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {n for n in names if n.split(".")[0] == "cutlass"}


def absent_modules():
    """Of the modules that the programs import, those that this version of the DSL has not got; and the version."""
    probe = ("import importlib.util, json, sys, importlib.metadata as m\n"
             "absent = [n for n in sys.argv[1:] if importlib.util.find_spec(n) is None]\n"
             "print(json.dumps([absent, m.version('nvidia-cutlass-dsl')]))")
    wanted = sorted(set().union(*(modules_of(name) for name in EXPECTED)))
    done = subprocess.run([str(python_of_dsl()), "-c", probe, *wanted], capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def comparison(program, name, environment):
    command = [program, "read", str(ROOT / "examples/cute_dsl" / name), "--verify", "--strict", "--json", "--arch", "sm_90a"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    if run.returncode not in (0, 1):
        return None, f"exit {run.returncode}: {run.stderr.strip()}"
    return json.loads(run.stdout), ""


def holds(document, kind, wanted):
    for fact in document["facts"]:
        if fact["kind"] != kind or fact["agreement"] == "source-only":
            continue
        values = {v["name"]: v["compiled"]["value"] for v in fact["values"]}
        if all(values.get(name) == value for name, value in wanted.items()):
            return True
    return False


def faults_of(program, name, environment):
    document, problem = comparison(program, name, environment)
    if document is None:
        return [problem]
    faults = [f"line {f['line']}: {f['kind']} {v['name']}: read {v['source']['text']}, compiled {v['compiled']['text']}"
              for f in document["facts"] for v in f["values"] if v["agreement"] == "differ"]
    return faults + [f"no compiled {kind} with {wanted}" for kind, wanted in EXPECTED[name] if not holds(document, kind, wanted)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.access(python_of_dsl(), os.X_OK):
        print(f"no {python_of_dsl()}: `cutelab setup dsl`")
        return 77
    failed = False
    absent, version = absent_modules()
    served = [name for name in EXPECTED if not modules_of(name) & set(absent)]
    for name in sorted(set(EXPECTED) - set(served)):
        print(f"left out {name}: CuTe DSL {version} has no {', '.join(sorted(modules_of(name) & set(absent)))}")
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, CUTELAB_DSL_PYTHON=str(python_of_dsl()), CUTELAB_ROOT=str(ROOT), XDG_CACHE_HOME=cache)
        for name in served:
            for fault in faults_of(sys.argv[1], name, environment):
                failed = True
                print(f"{name}: {fault}")
    return 1 if failed else 0 if served else 77


sys.exit(main())
