"""What a person reads fits a terminal of 80 columns; only what one copies (commands, paths) may be longer.

The program is the one that CUTELAB_TEST_PROGRAM names, else the release build."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CUTELAB_TEST_PROGRAM") or ROOT / "build/release/cutelab")
COLUMNS = 80
COMMANDS = (
    "", "read --help", "kernel --help", "doctor", "list", "setup --list", "corpus list", "select --list",
    "select --path A --gpu H200", "select persistent gemm --gpu H100", "select gemm_wgmma_pipelined", "read {root}/examples",
    "read {root}/examples/cute_cpp/gemm_wgmma.cu", "read {root}/examples/cute_cpp/gemm_wgmma.cu --full",
    "read gemm_persistent_warp_specialized", "read --diff gemm_wgmma_pipelined gemm_persistent_warp_specialized",
    "extract gemm_wgmma_pipelined --dry-run", "kernel rmsnorm --dry-run", "kernel rmsnorm --check --prof_type=event",
    "compare rmsnorm rmsnorm,vector_elements=4", "runs list", "runs show 1")


def is_copied(line):
    """A command to give again, or a line that holds a path which takes half of it."""
    return line.strip().startswith(("again: ", "cutelab ")) or max(map(len, line.split())) > COLUMNS // 2


@unittest.skipUnless(PROGRAM.is_file(), f"{PROGRAM} is not built")
class Width(unittest.TestCase):
    def test_lines_fit(self):
        with tempfile.TemporaryDirectory() as home:
            silent = Path(home) / "nvcc"  # nothing is compiled here
            silent.write_text("#!/bin/sh\nexit 0\n")
            silent.chmod(0o755)
            env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "CUTELAB_ROOT": str(ROOT), "COLUMNS": str(COLUMNS),
                   "CUDA_VISIBLE_DEVICES": "-1", "CUDACXX": str(silent)}
            for command in COMMANDS:
                with self.subTest(command=command):
                    done = subprocess.run([PROGRAM.resolve(), *command.format(root=ROOT).split()], capture_output=True, text=True,
                                          cwd=home, env=env, check=False, timeout=300)
                    self.assertTrue(done.stdout, done.stderr)
                    self.assertEqual([line for line in done.stdout.splitlines() if len(line) > COLUMNS and not is_copied(line)], [])


if __name__ == "__main__":
    unittest.main()
