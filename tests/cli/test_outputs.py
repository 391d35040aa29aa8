"""Outputs appear whole or not at all: on a full disk, in a folder that refuses, and when the program is killed while it writes.

The program is the one that CUTELAB_TEST_PROGRAM names, else the release build.
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CUTELAB_TEST_PROGRAM") or ROOT / "build/release/cutelab")
KERNEL = "import cutlass.cute as cute\n@cute.kernel\ndef kernel(a: cute.Tensor):\n    pass\n"


@unittest.skipUnless(PROGRAM.is_file(), f"{PROGRAM} is not built")
class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "home").mkdir()
        (self.folder / "k.py").write_text(KERNEL)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "CUTELAB_ROOT": str(ROOT),
                    "CUTELAB_PROGRAM": "cutelab"}

    def start(self, *words, **options):
        return subprocess.Popen([str(PROGRAM), *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def parts(self, folder=None):
        return [p.name for p in (folder or self.folder).iterdir() if p.name.endswith(".part")]

    def test_killed_while_it_writes(self):
        many = "".join(f"@cute.kernel\ndef kernel_{i}(a: cute.Tensor):\n    a[0] = {i}\n" for i in range(600))
        (self.folder / "many.py").write_text("import cutlass.cute as cute\n" + many)
        out = self.folder / "out.json"
        for _ in range(20):  # a try in which the program is done before we look says nothing
            out.write_text("old")
            child = self.start("read", "many.py", "--json=out.json")
            while child.poll() is None and not self.parts():
                time.sleep(0.0005)
            child.kill()
            child.communicate()
            text = out.read_text()
            if text != "old":
                json.loads(text)  # whole
            elif child.returncode == -signal.SIGKILL:
                return
        self.fail("in twenty tries the program was never killed between the start and the end of its writing")

    def test_a_write_that_fails_keeps_the_old_file(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        for flag in ("--json", "--html"):
            (self.folder / "out").write_text("old")
            child = self.start("read", "k.py", f"{flag}=out", preexec_fn=small_files_only, restore_signals=False)
            _, error = child.communicate()
            self.assertEqual(child.returncode, 2, error)
            self.assertTrue(error.startswith("error: write out: File too large\n"), error)
            self.assertEqual((self.folder / "out").read_text(), "old")
            self.assertEqual(self.parts(), [])

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("unshare"), "needs root's rights to mount a small disk")
    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        script = ('mount -t tmpfs -o size=64k none disk || exit 77; dd if=/dev/zero of=disk/fill bs=1k count=60 2>/dev/null;'
                  ' for f in --json=disk/r --html=disk/r; do "$0" read k.py $f; echo "exit $?"; done; HOME=$PWD/disk;'
                  ' "$0" select kernel --corpus .; echo "exit $?"; "$0" runs list; echo "exit $?"; ls disk')
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, str(PROGRAM)], cwd=self.folder, env=self.env, text=True,
                              capture_output=True, check=False)
        if done.returncode == 77 or "unshare failed" in done.stderr or done.stderr.startswith("unshare: "):
            self.skipTest("this machine lets nobody mount a small disk")
        self.assertEqual([line for line in done.stdout.split("\n") if line.startswith("exit ")],
                         ["exit 2", "exit 2", "exit 0", "exit 2"], done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("error: write disk/r: No space left on device\n"), 2, done.stderr)
        self.assertIn("error: use the store of runs: database or disk is full\n", done.stderr)
        self.assertEqual(done.stdout.strip().split("\n")[-1], "fill", "no torn output is left")

    def test_a_home_that_refuses_is_named_and_reading_goes_on(self):
        (self.folder / "home").rmdir()
        (self.folder / "home").write_text("a file")  # refuses root too
        child = self.start("select", "kernel", "--corpus", str(self.folder))
        out, error = child.communicate()
        self.assertEqual(child.returncode, 0, error)
        self.assertIn("k.py", out)
        self.assertIn("the index could not be stored (Not a directory)", error)
        child = self.start("corpus", "add", str(self.folder), "--name", "mine")
        _, error = child.communicate()
        self.assertEqual(child.returncode, 2)
        self.assertIn(f"error: lock {self.folder}/home/.config/cutelab/corpora.json.lock: Not a directory\n", error)


if __name__ == "__main__":
    unittest.main()
