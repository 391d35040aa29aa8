"""The examples that help shows work where someone has just cloned the tree: without CUTLASS, a GPU or optional parts.

Examples that name `../cutlass` say themselves what they need; those of verbs that build, install or run kernels are for
machines that have what these need."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CUTELAB_TEST_PROGRAM") or ROOT / "build/release/cutelab")
VERBS = ("select", "read", "layout", "list", "extract", "document", "study", "doctor")
# Compile with the DSL: the part may be missing (3), and then nothing is known about the rest.
NEEDS_A_PART = ("--verify", "--compile")


def examples(verb):
    env = {"PATH": os.environ["PATH"], "CUTELAB_PROGRAM": "cutelab"}
    text = subprocess.run([PROGRAM, verb, "--help"], capture_output=True, text=True, check=True, env=env).stdout
    return re.findall(r"^  cutelab (.*)$", text[text.index("\nexamples:\n"):], re.M)


@unittest.skipUnless(PROGRAM.is_file(), f"{PROGRAM} is not built")
class HelpExamples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = Path(folder.name)
        for name in ("examples", "kernels", "data"):  # not docs: what is written must not go into the tree
            (self.tmp / name).symlink_to(ROOT / name)
        (self.tmp / "docs/knowledge").mkdir(parents=True)

    def run_example(self, line):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.tmp), "LANG": "C.UTF-8", "CUTELAB_ROOT": str(ROOT)}
        return subprocess.run([PROGRAM.resolve(), *shlex.split(line, comments=True)], capture_output=True, text=True, cwd=self.tmp,
                              env=env, check=False, timeout=300)

    def test_they_work(self):
        ran = 0
        for verb in VERBS:
            for line in examples(verb):
                if "../cutlass" in line or any(word in line for word in NEEDS_A_PART) or "devlog" in line:
                    continue
                if "--reading gemm.json" in line:
                    self.run_example("read examples/cute_dsl/gemm_wgmma_pipelined.py --json gemm.json")
                with self.subTest(line=line):
                    done = self.run_example(line)
                    self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
                    self.assertNotIn("nothing fits", done.stdout)
                    self.assertNotIn("no page says", done.stdout)
                    ran += 1
        self.assertGreater(ran, 15)


if __name__ == "__main__":
    unittest.main()
