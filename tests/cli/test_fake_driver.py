"""A broken driver does not take the program with it: a libcuda.so.1 of our own crashes, hangs, exits or answers nonsense.

The program is the one that CUTELAB_TEST_PROGRAM names, else the release build; the libraries are compiled with cc.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CUTELAB_TEST_PROGRAM") or ROOT / "build/release/cutelab")

DRIVER = r"""
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void at(const char* call) {
  const char* wrong = getenv("FAKE_DRIVER");
  const char* colon = wrong ? strchr(wrong, ':') : 0;
  if (!colon || strcmp(colon + 1, call) != 0) return;
  if (!strncmp(wrong, "crash", 5)) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
  if (!strncmp(wrong, "exit", 4)) exit(0);
  if (!strncmp(wrong, "talk", 4)) { write(1, "driver says hello\n", 18); return; }
  while (!strncmp(wrong, "hang", 4)) pause();
}
static int odd(void) { return getenv("FAKE_DRIVER") && !strcmp(getenv("FAKE_DRIVER"), "odd"); }
__attribute__((constructor)) static void loaded(void) { at("load"); }
int cuDriverGetVersion(int* v) { at("cuDriverGetVersion"); *v = odd() ? -5 : 13000; return 0; }
int cuDeviceGetCount(int* n) { *n = getenv("FAKE_COUNT") ? atoi(getenv("FAKE_COUNT")) : 1; return 0; }
int cuDeviceGet(int* d, int i) { *d = i; return 0; }
int cuDeviceGetName(char* text, int n, int d) { strncpy(text, odd() ? "\033[31mEvil\n\xff" : "Fake GPU", n); return 0; }
int cuDeviceGetAttribute(int* v, int which, int d) { *v = odd() ? -7 : which == 75 ? 9 : which == 76 ? 0 : 132; return 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int d) { *bytes = odd() ? (size_t)-1 : (size_t)1 << 34; return 0; }
int cuDeviceGetPCIBusId(char* text, int n, int d) { strncpy(text, "0000:00:00.0", n); return 0; }
int cuGetErrorName(int code, const char** text) { *text = "FAKE"; return 0; }
int cuGetErrorString(int code, const char** text) { *text = "fake"; return 0; }
"""
PLAIN = re.findall(r'"(cu[A-Z]\w+)"', (ROOT / "src/device/cuda_api.cc").read_text())


def compiled(folder):
    written = set(re.findall(r"int (cu\w+)\(", DRIVER))
    plain = "".join(f'int {name}() {{ at("{name}"); return 0; }}\n' for name in PLAIN if name not in written)
    (folder / "driver.c").write_text(DRIVER + plain)
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", str(folder / "libcuda.so.1"), str(folder / "driver.c")], check=True)


@unittest.skipUnless(PROGRAM.is_file(), f"{PROGRAM} is not built")
@unittest.skipUnless(shutil.which("cc"), "there is no cc")
class FakeDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        compiled(cls.folder)

    def ask(self, *words, wrong="", count="1"):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "CUTELAB_ROOT": str(ROOT), "CUTELAB_PROGRAM": "cutelab",
               "LD_LIBRARY_PATH": str(self.folder), "FAKE_DRIVER": wrong, "FAKE_COUNT": count}
        return subprocess.run([str(PROGRAM), *words], env=env, capture_output=True, text=True, timeout=60, check=False, cwd=self.folder)

    def test_a_driver_that_works(self):
        done = self.ask("device")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Fake GPU", done.stdout)
        self.assertIn("sm_90a", done.stdout)

    def test_a_crash_a_hang_and_an_exit_are_said_with_exit_code_3(self):
        for wrong, said in (("crash:load", "crashed"), ("crash:cuInit", "crashed"), ("exit:cuInit", "ended the process"),
                            ("hang:cuInit", "did not answer within")):
            done = self.ask("device", "--time-limit", "1", wrong=wrong)
            self.assertEqual(done.returncode, 3, wrong)
            self.assertIn(said, done.stderr, wrong)
            self.assertIn("during the question for its GPUs", done.stderr, wrong)
            self.assertEqual(done.stdout, "")

    def test_what_was_told_before_a_crash_is_printed(self):
        done = self.ask("device", wrong="crash:cuDevicePrimaryCtxRetain")
        self.assertEqual(done.returncode, 3)
        self.assertIn("Fake GPU", done.stdout)
        self.assertIn("crashed during the question for the state of GPU 0", done.stderr)
        told = json.loads(self.ask("device", "--json", wrong="crash:cuDevicePrimaryCtxRetain").stdout)
        self.assertEqual((told["devices"][0]["name"], len(told["not_done"])), ("Fake GPU", 1))

    def test_what_the_driver_prints_is_no_part_of_the_answer(self):
        for words in (["device", "--json"], ["kernel", "rmsnorm", "--b=64", "--h=64", "--no-store", "--json", "-"]):
            done = self.ask(*words, wrong="talk:cuInit")
            json.loads(done.stdout)
            self.assertIn("driver says hello", done.stderr, words)

    def test_a_driver_that_hangs_is_not_asked_again(self):
        begin = time.monotonic()
        done = self.ask("kernel", "rmsnorm", "--b=64", "--h=64", "--no-store", "--time-limit=12", wrong="hang:cuInit")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the driver did not answer", done.stdout + done.stderr)
        self.assertLess(time.monotonic() - begin, 23)

    def test_a_measurement_that_crashes(self):
        done = self.ask("device", "--measure", wrong="crash:cuMemAlloc_v2")
        self.assertEqual(done.returncode, 3)
        self.assertIn("measure GPU 0: the driver crashed during the measurement", done.stderr)

    def test_nonsense_is_not_told(self):
        done = self.ask("device", "--json", wrong="odd")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)["devices"][0]
        self.assertEqual({key: told[key] for key in ("arch", "sms", "memory_bytes", "l2_bytes")},
                         {"arch": None, "sms": None, "memory_bytes": None, "l2_bytes": None})
        self.assertTrue(told["name"].isprintable(), ascii(told["name"]))
        shown = self.ask("device", wrong="odd").stdout
        self.assertNotIn("-7", shown)
        self.assertNotIn("-1", shown.replace("-100", ""))
        self.assertIn("CUDA of unknown version", shown)
        for count in ("-3", "2000000000"):
            done = self.ask("device", count=count)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"the driver counts {count} of them", done.stderr)

    def test_other_verbs_go_on(self):
        for wrong in ("crash:load", "crash:cuInit", "exit:cuInit"):
            self.assertEqual(self.ask("select", "--list", wrong=wrong).returncode, 0, wrong)
            done = self.ask("kernel", "rmsnorm", "--b=64", "--h=64", "--no-store", wrong=wrong)
            self.assertEqual(done.returncode, 3, (wrong, done.stderr))
            self.assertIn("start of the device", done.stderr)


if __name__ == "__main__":
    unittest.main()
