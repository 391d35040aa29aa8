"""The launcher on a small tree whose cmake, dpkg-query, apt-get and sudo are scripts that log what they are asked."""
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CMAKE = """#!/bin/bash
echo "cmake $*" >>"$LOG"
if [ "$1" = --build ]; then
  sleep "${BUILD_SECONDS:-0}"
  if [ -n "$BUILD_FAILS" ]; then echo "[1/2] x"; echo "src/a.cc:1: error: no such thing"; exit 1; fi
  mkdir -p build/release
  printf '#!/bin/sh\\necho "ran:$*:$CUTELAB_ROOT"\\n' >build/release/cutelab.new
  chmod +x build/release/cutelab.new
  mv build/release/cutelab.new build/release/cutelab
  for i in 1 2; do echo "[$i/2] Building"; done
fi
"""
DPKG = """#!/bin/bash
shift 2
for name; do case " $MISSING " in *" $name "*) [ -e "$LOG.installed" ] || continue ;; esac; echo -n "installed:$name "; done
"""
APT = """#!/bin/bash
echo "apt-get $*" >>"$LOG"
case " $* " in *" install "*) [ -n "$APT_FAILS" ] && exit 100; touch "$LOG.installed" ;; esac
exit 0
"""
SUDO = """#!/bin/bash
[ "$1" = -n ] && exit "${SUDO_REFUSES:-0}"
exec "$@"
"""
ID = """#!/bin/bash
[ "$1" = -u ] && echo "${FAKE_UID:-0}"
"""
FETCH = """import os, sys
sys.exit(int(os.environ.get("FETCH_CODE", "0")))
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tmp = Path(self.folder.name).resolve()
        self.lab = self.tmp / "my lab"
        self.log = self.tmp / "log"
        self.log.write_text("")
        for name in ("cutelab", "tools/setup/build.sh", "deps/parts.json"):
            (self.lab / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.lab / name)
        self.write(self.lab / "tools/setup/fetch.py", FETCH)
        self.write(self.lab / "tools/setup/setup.py", "import sys\nprint('setup', sys.argv[1:])\n")
        self.write(self.lab / "src/a.cc", "")
        for name, text in (("cmake", CMAKE), ("dpkg-query", DPKG), ("apt-get", APT), ("sudo", SUDO), ("id", ID)):
            self.write(self.tmp / "bin" / name, text)
            (self.tmp / "bin" / name).chmod(0o755)

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def environment(self, **more):
        return {"PATH": f"{self.tmp}/bin:{os.environ['PATH']}", "HOME": str(self.tmp), "LOG": str(self.log), **more}

    def start(self, *words, command=None, cwd=None, **more):
        return subprocess.run([str(command or self.lab / "cutelab"), *words], cwd=cwd or self.tmp, env=self.environment(**more),
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)

    def builds(self):
        return self.log.read_text().count("cmake --build")

    def test_first_start_builds_then_runs_with_the_same_arguments(self):
        done = self.start("read", "a b", "--json")
        self.assertEqual((done.returncode, done.stdout), (0, f"ran:read a b --json:{self.lab}\n"), done.stderr)
        self.assertIn("building (release), steps done: 2 of 2", done.stderr)
        self.assertRegex(done.stderr.splitlines()[0], "^cutelab: first start: .*minutes")

    def test_progress_says_what_is_left_at_the_pace_so_far(self):
        script = f'. "{ROOT}/tools/setup/build.sh"; for n in 1 2 3 4; do show_progress building $n 4; SECONDS=$((SECONDS + 10)); done'
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr.splitlines(), ["cutelab: building: 1 of 4", "cutelab: building: 2 of 4, about 10 s left",
                                                    "cutelab: building: 3 of 4, about 6 s left", "cutelab: building: 4 of 4"])

    def test_second_start_builds_nothing_and_is_quiet(self):
        self.start()
        done = self.start()
        self.assertEqual((done.stderr, self.builds()), ("", 1))

    def test_second_start_adds_less_than_50_ms(self):
        self.start()
        def median(command):
            times = []
            for _ in range(15):
                begin = time.monotonic()
                subprocess.run(command, env=self.environment(), stdout=subprocess.DEVNULL, check=True)
                times.append(time.monotonic() - begin)
            return sorted(times)[7]
        added = median([str(self.lab / "cutelab")]) - median([str(self.lab / "build/release/cutelab")])
        self.assertLess(added, 0.05)

    def test_changed_added_and_removed_sources_rebuild(self):
        self.start()
        for count, change in enumerate((lambda: self.write(self.lab / "src/a.cc", "x"), lambda: self.write(self.lab / "src/b.cc", ""),
                                        lambda: (self.lab / "src/b.cc").unlink()), 2):
            time.sleep(0.02)
            change()
            self.start()
            self.assertEqual(self.builds(), count)

    def test_what_verbs_write_does_not_rebuild(self):
        for folder in ("docs/knowledge", "examples"):
            (self.lab / folder).mkdir(parents=True)
        self.start()
        time.sleep(0.02)
        self.write(self.lab / "docs/knowledge/drafts/ring.md", "x")
        self.write(self.lab / "examples/mine.py", "x")
        self.start()
        self.assertEqual(self.builds(), 1)

    def test_change_during_the_build_is_not_missed(self):
        child = subprocess.Popen([str(self.lab / "cutelab")], env=self.environment(BUILD_SECONDS="0.5"), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while self.builds() == 0:
            time.sleep(0.01)
        self.write(self.lab / "src/a.cc", "changed while it was built")
        child.wait()
        self.start()
        self.assertEqual(self.builds(), 2)

    def test_from_anywhere_and_through_links(self):
        self.start()
        (self.tmp / "bin/lab").symlink_to(self.lab / "cutelab")
        (self.tmp / "bin/again").symlink_to("lab")
        for command, cwd in (("../my lab/cutelab", self.tmp / "bin"), ("./cutelab", self.lab), ("lab", "/"), ("again", "/")):
            with self.subTest(command=command):
                done = subprocess.run(["bash", "-c", '"$0" x', command], cwd=cwd, env=self.environment(), capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.stdout, f"ran:x:{self.lab}\n", done.stderr)

    def test_two_first_starts_at_once_build_once(self):
        env = self.environment(BUILD_SECONDS="0.7")
        children = [subprocess.Popen([str(self.lab / "cutelab"), str(i)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True) for i in range(2)]
        outputs = [child.communicate(timeout=60) for child in children]
        self.assertEqual([o[0] for o in outputs], [f"ran:{i}:{self.lab}\n" for i in range(2)])
        self.assertEqual(self.builds(), 1)
        self.assertIn("waiting for it", outputs[0][1] + outputs[1][1])

    def test_failed_build_shows_the_log_and_ends_with_4(self):
        done = self.start(BUILD_FAILS="1")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("src/a.cc:1: error: no such thing", done.stderr)
        self.assertIn(f"at: {self.lab}/build/release.log", done.stderr)
        self.assertEqual(self.start().returncode, 0, "the next start tries again")

    def test_failed_fetch_ends_with_3(self):
        self.assertEqual(self.start(FETCH_CODE="3").returncode, 3)
        self.assertEqual(self.builds(), 0)

    def test_missing_packages_are_installed_as_root(self):
        done = self.start(MISSING="g++ cmake")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends g++ cmake\n", self.log.read_text())

    def test_with_sudo_where_it_asks_nothing(self):
        self.assertEqual(self.start(MISSING="g++", FAKE_UID="1000").returncode, 0)
        self.assertIn("install --yes", self.log.read_text())

    def test_without_root_the_exact_command_is_named(self):
        done = self.start(MISSING="g++ cmake", FAKE_UID="1000", SUDO_REFUSES="1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("try: sudo apt-get install --yes --no-install-recommends g++ cmake\n", done.stderr)

    def test_apt_failure_refreshes_the_lists_then_gives_up_with_the_log(self):
        done = self.start(MISSING="g++", APT_FAILS="1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 update", self.log.read_text())
        self.assertIn("build/setup.log", done.stderr)

    def test_helper_verbs_run_without_a_program(self):
        self.assertEqual(self.start("setup", "--list").stdout, "setup ['--list']\n")
        self.assertEqual(self.builds(), 0)
        self.assertIn("ran:setup --help", self.start("setup", "--help").stdout)

    def test_moved_tree_is_configured_anew(self):
        self.start()
        self.write(self.lab / "build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        (self.lab / "build/release/.built").unlink()
        self.assertEqual(self.start().returncode, 0)
        self.assertFalse((self.lab / "build/release/CMakeCache.txt").exists())


if __name__ == "__main__":
    unittest.main()
