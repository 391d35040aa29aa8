"""setup.py, and that the help of the helper verbs tells what their scripts take."""
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/setup"))
import fetch
import setup


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.deps = Path(self.folder.name)
        self.parts = fetch.load_parts()["pypi"]

    def said(self, action, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = action(*words)
        return code, out.getvalue() + err.getvalue()

    def pretend_installed(self, name):
        (self.deps / name).mkdir()
        (self.deps / name / ".stamp").write_text(fetch.wanted_stamp(self.parts[name]))

    def test_state_follows_the_stamp(self):
        self.pretend_installed("cutlass")
        state = {row["name"]: row["installed"] for row in setup.pypi_rows(self.parts, self.deps)}
        self.assertEqual([name for name, installed in state.items() if installed], ["cutlass"])
        (self.deps / "cutlass/.stamp").write_text("an older pin")
        self.assertFalse(any(row["installed"] for row in setup.pypi_rows(self.parts, self.deps)))

    def test_rows_name_their_packages_with_versions(self):
        rows = {row["name"]: row["packages"] for row in setup.pypi_rows(self.parts, self.deps)}
        self.assertIn("nvidia-cutlass-dsl 4.8.1", rows["dsl"])
        self.assertIn("nvidia-cuda-nvcc 13.0.88", rows["cuda-compiler"])

    def test_remove(self):
        self.pretend_installed("dsl")
        self.assertEqual(self.said(setup.remove, "dsl", self.parts, self.deps)[0], 0)
        self.assertFalse((self.deps / "dsl").exists())
        self.assertIn("is not installed", self.said(setup.remove, "dsl", self.parts, self.deps)[1])

    def test_what_building_needs_is_not_removed(self):
        self.pretend_installed("tree-sitter")
        code, text = self.said(setup.remove, "tree-sitter", self.parts, self.deps)
        self.assertEqual(code, 2)
        self.assertIn("needed to build", text)
        self.assertTrue((self.deps / "tree-sitter").exists())
        self.assertEqual(self.said(setup.remove, "nope", self.parts, self.deps)[0], 2)

    def test_failed_part_gives_its_exit_code(self):
        everything = {"debian": {}, "pypi": self.parts}
        with mock.patch("fetch.run", return_value=3):
            self.assertEqual(setup.install(["dsl"], everything, self.deps, False), 3)

    def test_missing_debian_packages(self):
        answer = mock.Mock(stdout="installed g++\nnot-installed cmake\n")
        with mock.patch("shutil.which", return_value="/usr/bin/dpkg-query"), mock.patch("subprocess.run", return_value=answer):
            self.assertEqual(setup.missing_debian(["g++", "cmake", "ninja-build"]), ["cmake", "ninja-build"])
        with mock.patch("shutil.which", return_value=None):
            self.assertIsNone(setup.missing_debian(["g++"]))


class Help(unittest.TestCase):
    PROGRAM = ROOT / "build/release/cutelab"

    def flags(self, command):
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"(?<![\w-])--[a-z]+", text.split("examples:")[0])) - {"--help"}

    def test_the_program_and_the_scripts_agree(self):
        if not self.PROGRAM.is_file():
            self.skipTest("the release program is not built")
        for verb in ("setup", "test", "bench"):
            script = self.flags([sys.executable, str(ROOT / f"tools/setup/{verb}.py"), "--help"])
            self.assertEqual(self.flags([str(self.PROGRAM), verb, "--help"]), script, verb)


class List(unittest.TestCase):
    def test_json(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools/setup/setup.py"), "--json"], capture_output=True, text=True,
                              check=True)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "cutelab.setup/1")
        self.assertEqual({row["kind"] for row in answer["parts"]}, {"debian", "pypi"})


if __name__ == "__main__":
    unittest.main()
