"""tools/verify/gpu_checks.py and sanitize_kernels.py with programs of the test's own in place of cutelab and compute-sanitizer."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FAKE_CUTELAB = """#!/usr/bin/env python3
import json, os, sys
log = os.path.join(os.path.dirname(__file__), "calls")
words = sys.argv[1:]
open(log, "a").write(" ".join(words) + "\\n")
if words[0] == "list":
    print(json.dumps({"packages": [{"design": d, "version": "v0", "language": l} for d, l in
                                   (("good", "cute-cpp"), ("wrong", "cute-cpp"), ("absent", "cute-dsl"))]}))
elif words[0] == "runs":
    run = {"kernel": "good", "version": "v0", "language": "cute-cpp", "samples_us": [1, 2], "notes": ["check: 8 of 8 problems passed; passed"],
           "check": {"made": True, "passed": True, "relative_error": 0.0017, "tolerance": 0.004}, "metrics": [{"tag": "duration_us", "value": 12.34}, {"tag": "bandwidth_tbs", "value": 4.1}],
           "provenance": {"device": "GPU 1", "driver": "580", "compiler": "nvcc 13", "source_hash": "abc", "configuration": {"b": "8"}}}
    print(json.dumps({"schema_version": 1, "runs": [run]}))
elif words[1] == "wrong":
    sys.exit("check: FAILED")
elif words[1] == "absent":
    print("not done: no DSL here", file=sys.stderr)
    sys.exit(3)
"""

FAKE_SANITIZER = """#!/usr/bin/env python3
import sys
tool = sys.argv[1].split("=")[1]
bad = "--found" in sys.argv[0] or "broken" in sys.argv
if "unlaunched" in sys.argv:
    print("========= ERROR SUMMARY: 0 errors")
    sys.exit(3)
print("========= RACECHECK SUMMARY: %d hazards displayed" % bad if tool == "racecheck" else "========= ERROR SUMMARY: %d errors" % bad)
sys.exit(99 if bad else 0)
"""


class GpuTools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = self.write("cutelab", FAKE_CUTELAB)
        self.sanitizer = self.write("sanitizer", FAKE_SANITIZER)

    def write(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def run_tool(self, tool, *words):
        return subprocess.run([sys.executable, str(ROOT / "tools/verify" / tool), *words], capture_output=True, text=True, timeout=60)

    def test_every_package_is_run_and_kept_with_its_provenance(self):
        out = Path(self.folder.name) / "checks.json"
        done = self.run_tool("gpu_checks.py", "run", "--cutelab", self.program, "-o", str(out))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("3 packages: 1 passed, 1 failed, 1 could not run here", done.stdout)
        kept = json.loads(out.read_text())
        self.assertEqual([(row["package"], row["exit_code"]) for row in kept["packages"]], [("good v0", 0), ("wrong v0", 1), ("absent v0", 3)])
        self.assertEqual(kept["packages"][2]["reason"], "not done: no DSL here")
        self.assertEqual((kept["device"], kept["driver"], kept["compilers"]), ("GPU 1", "580", "nvcc 13"))
        self.assertEqual(kept["runs"][0]["provenance"]["source_hash"], "abc")
        self.assertNotIn("samples_us", kept["runs"][0])
        calls = (Path(self.folder.name) / "calls").read_text()
        self.assertIn("kernel good v0 --check --prof_type=event --store", calls)
        table = self.run_tool("gpu_checks.py", "table", str(out)).stdout
        self.assertIn("| good v0 | b=8 | 12.3 | 4.10 TB/s | - | 8 of 8 | 1.7e-03 (4.0e-03) | nvcc 13 | abc |", table)
        self.assertIn("absent v0: exit code 3: not done: no DSL here", table)

    def test_preparing_exports_imported_packages_only(self):
        self.assertEqual(self.run_tool("gpu_checks.py", "prepare", "--cutelab", self.program).returncode, 0)
        calls = (Path(self.folder.name) / "calls").read_text().splitlines()
        self.assertEqual(calls[1:], ["kernel absent v0 --check --prof_type=disabled --no-store"])

    def test_problems_are_of_packages_that_there_are(self):
        designs = {path.parent.parent.name for path in (ROOT / "kernels").glob("*/*/*/*/README.md")}
        for name in ("problems.txt", "sanitized.txt"):
            for line in (ROOT / "tests/gpu" / name).read_text().splitlines():
                if line and not line.startswith("#"):
                    self.assertIn(line.split()[0], designs, name)

    def test_what_an_example_measures_of_itself_is_kept(self):
        """With a DSL of the test's own: one program is timed twice, one fails, the others are not there."""
        for path, text in (("cutlass/__init__.py", '__version__ = "0.0"\nimport cutlass.testing\n'),
                           ("cutlass/testing.py", "def benchmark(call, iterations):\n    return 2.5 * iterations\n"),
                           ("cutlass/cute/__init__.py", ""), ("cutlass/cute/testing.py", "from cutlass.testing import benchmark\n"),
                           ("torch.py", 'class cuda:\n    def get_device_name(): return "GPU 1"\n'),
                           ("at/examples/python/CuTeDSL/cute/hopper/kernel/attention/fmha.py",
                            "import sys, beside\nimport cutlass.cute.testing as testing\n"
                            "if '--is_causal' in sys.argv: sys.exit('no such mask')\n"
                            "testing.benchmark(None, iterations=beside.TWO)\ntesting.benchmark(None, iterations=4)\n"),
                           ("at/examples/python/CuTeDSL/cute/hopper/kernel/attention/beside.py", "TWO = 2\n")):
            (Path(self.folder.name) / path).parent.mkdir(parents=True, exist_ok=True)
            self.write(path, text)
        out = Path(self.folder.name) / "own.json"
        environment = {**os.environ, "PYTHONPATH": self.folder.name}
        done = subprocess.run([sys.executable, str(ROOT / "tools/verify/example_benchmarks.py"), self.folder.name + "/at", "-o", str(out),
                               "--only", "fmha"], capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        kept = json.loads(out.read_text())
        self.assertEqual((kept["device"], kept["dsl_version"]), ("GPU 1", "0.0"))
        self.assertEqual([(row["microseconds"], row["failed"]) for row in kept["programs"]], [([5.0, 10.0], ""), ([], "no such mask")])

    def sanitize(self, kernel):
        return self.run_tool("sanitize_kernels.py", "--cutelab", self.program, "--sanitizer", self.sanitizer, kernel)

    def test_each_problem_goes_through_each_tool(self):
        done = self.sanitize("row_reduce")
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = [line for line in (ROOT / "tests/gpu/sanitized.txt").read_text().splitlines() if line.startswith("row_reduce ")]
        self.assertEqual(done.stdout.count("0 found"), 3 * len(lines))

    def test_findings_and_launches_that_were_not_made_are_no_success(self):
        self.assertEqual(self.sanitize("broken").returncode, 1)
        unlaunched = self.sanitize("unlaunched")
        self.assertEqual(unlaunched.returncode, 3)
        self.assertIn("not run", unlaunched.stdout)


if __name__ == "__main__":
    unittest.main()
