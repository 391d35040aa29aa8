"""scripts/lock-gpu-clock.sh and reset-gpu-clock.sh against an nvidia-smi that only writes down what it was asked."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SMI = """#!/bin/sh
case "$*" in
  *query-gpu=clocks.default*) echo 1410 ;;
  *query-gpu=*) echo 1980 ;;
  *query-compute-apps*) cat "$BUSY" 2>/dev/null ;;
  *) echo "$*" >> "$LOG" ;;
esac
"""


class ClockScripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = Path(self.folder.name)
        self.log = self.bin / "log"
        self.write("nvidia-smi", SMI)
        self.write("id", "#!/bin/sh\necho ${USER_ID:-0}\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def environment(self, **more):
        return {"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log), "BUSY": str(self.bin / "busy"), **more}

    def run_script(self, name, *words, **more):
        return subprocess.run([str(SCRIPTS / name), *words], env=self.environment(**more), capture_output=True, text=True,
                              check=False)

    def calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def test_nothing_is_changed_without_yes(self):
        done = self.run_script("lock-gpu-clock.sh", "--", "touch", str(self.bin / "ran"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("--lock-gpu-clocks=1410,1410", done.stderr)
        self.assertEqual(self.calls(), [])
        self.assertFalse((self.bin / "ran").exists())
        self.assertEqual(self.run_script("reset-gpu-clock.sh").returncode, 0)
        self.assertEqual(self.calls(), [])

    def test_refused_without_permission(self):
        for name in ("lock-gpu-clock.sh", "reset-gpu-clock.sh"):
            done = self.run_script(name, "--yes", USER_ID="1000")
            self.assertEqual(done.returncode, 3, name)
            self.assertIn("wants root", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_refused_while_others_use_the_gpu(self):
        (self.bin / "busy").write_text("4242\n")
        done = self.run_script("lock-gpu-clock.sh", "--yes", "--", "true")
        self.assertEqual(done.returncode, 3)
        self.assertIn("1 other processes use GPU 0", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_given_back_after_the_command_whose_code_is_kept(self):
        done = self.run_script("lock-gpu-clock.sh", "--gpu", "1", "--clock", "1200", "--yes", "--", "sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(self.calls(), ["-i 1 --lock-gpu-clocks=1200,1200", "-i 1 --reset-gpu-clocks"])

    def test_given_back_when_it_is_ended(self):
        child = subprocess.Popen([str(SCRIPTS / "lock-gpu-clock.sh"), "--yes", "--", "sleep", "2"], env=self.environment(),
                                 stderr=subprocess.DEVNULL)
        for _ in range(200):
            if self.calls():
                break
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(timeout=20), 143)
        self.assertEqual(self.calls()[-1], "-i 0 --reset-gpu-clocks")

    def test_wrong_use(self):
        for words in (["--gpu", "x"], ["--clock", "fast"], ["--lock"], ["--gpu"]):
            self.assertEqual(self.run_script("lock-gpu-clock.sh", *words).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
