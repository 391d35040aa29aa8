"""tools/data/api_changes.py on small packages of our own: what came, went and warns, by the names that programs write."""
import importlib.util
import json
import pathlib
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("api_changes", ROOT / "tools/data/api_changes.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)

OLD = {
    "cutlass/utils/__init__.py": "from .tiles import pick, _hidden\n",
    "cutlass/utils/tiles.py": "def pick(): pass\ndef _hidden(): pass\ndef gone(): pass\ndef moved(): pass\ndef tired(): pass\n",
}
NEW = {
    "cutlass/utils/__init__.py": "from .tiles import *\nfrom .places import moved\nfrom cutlass.base_dsl.inner import deep\n",
    "cutlass/utils/places.py": "def moved(): pass\n",
    "cutlass/utils/tiles.py": "import warnings\ndef pick(): pass\nif True:\n    fresh = 1\ndef tired():\n    warnings.warn('tired is deprecated, use utils.fresh instead')\ndef picky(x):\n    if x:\n        warnings.warn('x is deprecated')\n",
    "cutlass/base_dsl/inner.py": "def deep(): pass\n",
    "cutlass/lazy.py": "_OLD = {'gone_soon': 1}\ndef __getattr__(name):\n    if name in _OLD: return _OLD[name]  # deprecated names\n    raise AttributeError(name)\n",
    "cutlass/_mlir/dialect.py": "def pick_other(): pass\n",
}


def wheel(folder, name, files):
    path = pathlib.Path(folder) / name
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr("nvidia_cutlass_dsl/dsl_packages/" + file, text)
    return path


class ApiChanges(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.found = {v: tool.names_of(wheel(self.folder.name, v + ".whl", files)) for v, files in (("4.1.0", OLD), ("4.10.0", NEW))}

    def test_names_are_public_and_spelled_by_their_last_two_parts(self):
        self.assertEqual(sorted(self.found["4.1.0"]), ["tiles.gone", "tiles.moved", "tiles.pick", "tiles.tired", "utils.pick"])
        self.assertIn("utils.fresh", self.found["4.10.0"])
        self.assertNotIn("dialect.pick_other", self.found["4.10.0"])
        self.assertNotIn("inner.deep", self.found["4.10.0"])
        self.assertIn("utils.deep", self.found["4.10.0"], "what a public package takes from a private one")
        self.assertIn("lazy.gone_soon", self.found["4.10.0"], "what a module answers for itself")
        self.assertIsNone(self.found["4.10.0"]["tiles.picky"], "a warning about an argument is none about the function")

    def test_what_came_went_and_warns(self):
        changes = tool.history(self.found)
        self.assertEqual(changes["tiles.gone"], {"removed": ("4.1.0", "4.10.0")})
        self.assertEqual(changes["utils.fresh"], {"since": ("4.1.0", "4.10.0")})
        self.assertEqual(changes["tiles.tired"], {"deprecated": ("4.1.0", "4.10.0")})
        self.assertNotIn("tiles.pick", changes)
        between = {"4.1.0": {"a.b": False}, "4.2.0": {}, "4.3.0": {"a.b": False}}
        self.assertNotIn("removed", tool.history(between).get("a.b", {}), "one that comes back is not removed")

    def test_the_table_speaks_as_programs_do(self):
        program = pathlib.Path(self.folder.name) / "program.py"
        program.write_text("import cutlass.utils.tiles as t100\nimport places\nplaces.moved\nt100.fresh\nutils.fresh\ntiles.gone()\nt100.tired()\ntiles.moved()\n")
        aliases, spoken = tool.spoken_names([self.folder.name])
        notes = [{"names": ["tiles.gone"], "instead": "nothing"}, {"names": ["x.y"], "rule": {"in": ["4.1.0"], "says": "s", "otherwise": "o"}}]
        table = tool.rows(self.found, aliases, spoken, notes, {"4.10.0": {"tiles": {"pick"}}})
        by_name = {name: row for row in table for name in row["names"]}
        self.assertEqual(by_name["t100.fresh"]["since"], "4.10.0")
        self.assertEqual(by_name["tiles.gone"]["instead"], "nothing")
        self.assertEqual(by_name["tiles.moved"]["removed"], "4.10.0")
        self.assertEqual((by_name["t100.tired"]["deprecated"], by_name["t100.tired"]["instead"]), ("4.10.0", "utils.fresh"))
        self.assertNotIn("places.moved", by_name, "a module of somebody else's")
        self.assertIn("rule", by_name["x.y"])
        mentioned = tool.rows(self.found, aliases, spoken, [], {"4.10.0": {"tiles": {"moved"}}})
        self.assertNotIn("tiles.moved", [n for row in mentioned for n in row["names"]], "its module still speaks of it")
        self.assertEqual(json.loads(tool.document(["4.1.0", "4.10.0"], table))["changes"], table)


if __name__ == "__main__":
    unittest.main()
