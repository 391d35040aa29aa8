"""The golden runner itself: it must fail where a case does not hold."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run_golden

PROGRAM = """#!/bin/sh
case "$1" in
  echo) shift; echo "$@" ;;
  cat) cat "$2" ;;
  stdin) cat ;;
  env) echo "HOME=$HOME X=$X" ;;
  fail) echo "bad thing" >&2; exit "$2" ;;
  whoami) id -u ;;
  bytes) wc -c <"$2" ;;
esac
"""


class Golden(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tmp = Path(self.folder.name)
        self.tmp.chmod(0o755)
        self.program = self.tmp / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.case = self.tmp / "case.txt"

    def run_case(self, text, *flags):
        self.case.write_text(text)
        return subprocess.run([sys.executable, str(HERE / "run_golden.py"), str(self.program), *flags, str(self.case)],
                              capture_output=True, text=True, check=False)

    def assert_holds(self, text, verdict="1 passed, 0 failed, 0 skipped"):
        done = self.run_case(text)
        self.assertIn(verdict, done.stdout, done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1 if "1 failed" in verdict else 0)

    def assert_fails(self, text):
        self.assert_holds(text, "0 passed, 1 failed, 0 skipped")

    def test_output_must_be_equal(self):
        self.assert_holds("=== argv\necho a b\n=== stdout\na b\n")
        self.assert_fails("=== argv\necho a b\n=== stdout\na c\n")
        self.assert_fails("=== argv\necho a b\n")
        self.assert_fails("=== argv\necho a b\n=== stdout\na b\nmore\n")

    def test_exit_code_and_stderr(self):
        self.assert_holds("=== argv\nfail 3\n=== exit 3\n=== stderr\nbad thing\n")
        self.assert_fails("=== argv\nfail 3\n=== stderr\nbad thing\n")
        self.assert_fails("=== argv\nfail 3\n=== exit 3\n")

    def test_wildcards(self):
        files = "=== file f\none 1\ntwo 2\nthree 3\n=== argv\ncat f\n=== stdout\n"
        self.assert_holds(files + "one ...\n...\n")
        self.assert_holds(files + "...\nthree 3\n")
        self.assert_holds(files + "one 1\n...\ntwo 2\nthree 3\n")
        self.assert_fails(files + "one ...\n")
        self.assert_fails(files + "...\ntwo 2\n")
        self.assert_fails(files + "one... 2\nthree 3\n")

    def test_files_environment_stdin(self):
        self.assert_holds("=== bytes b/c\na\\x00\\xff\\n\n=== argv\nbytes b/c\n=== stdout\n4\n")
        self.assert_holds("=== fill big 123456\n=== argv\nbytes big\n=== stdout\n123456\n")
        self.assert_holds("=== file a\nx\n=== link b a\n=== argv\ncat b\n=== stdout\nx\n")
        self.assert_holds("=== env\nX=1 2\n=== argv\nenv\n=== stdout\nHOME={tmp}/home X=1 2\n")
        self.assert_holds("=== argv\nstdin\n=== stdin\nhello\n=== stdout\nhello\n")

    def test_several_steps(self):
        self.assert_holds("=== argv\necho a\n=== stdout\na\n=== argv\nfail 1\n=== exit 1\n=== stderr\n...\n")
        self.assert_fails("=== argv\necho a\n=== stdout\na\n=== argv\nfail 1\n=== stderr\n...\n")

    def test_unprivileged(self):
        case = "=== needs unprivileged\n=== file f\nsecret\n=== mode f 000\n=== argv\ncat f\n=== exit 1\n=== stderr\n...\n"
        done = self.run_case(case)
        self.assertIn("0 failed", done.stdout, done.stdout)

    def test_skips_are_named(self):
        self.assert_holds("=== needs program:no-such-program\n=== argv\necho\n", "SKIPPED case: no no-such-program in PATH")

    def test_update_rewrites_only_what_does_not_hold(self):
        text = "why\n=== argv\necho a\n=== stdout\n...\n=== argv\nfail 3\n=== stdout\n"
        self.assertEqual(self.run_case(text, "--update").returncode, 0)
        self.assertEqual(self.case.read_text(), "why\n=== argv\necho a\n=== stdout\n...\n=== argv\nfail 3\n=== stdout\n"
                         "=== exit 3\n=== stderr\nbad thing\n")

    def test_bad_cases_are_wrong_use(self):
        for text in ("=== argb\nx\n", "no argv\n", "=== stdout\nx\n", "=== exit\n=== argv\nx\n", "=== needs moon\n=== argv\nx\n"):
            with self.subTest(text=text):
                self.assertEqual(self.run_case(text).returncode, 2)

    def test_render_gives_back_what_was_parsed(self):
        for path in run_golden.CASES.glob("*.txt"):
            self.assertEqual(run_golden.Case(path.stem, path.read_text()).render(), path.read_text())


if __name__ == "__main__":
    unittest.main()
