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
import dsl_names as names  # noqa: E402  the tool has put its folder in front

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
        self.found = {v: tool.names_of([wheel(self.folder.name, v + ".whl", files)]) for v, files in (("4.1.0", OLD), ("4.10.0", NEW))}

    def test_names_are_public_and_spelled_by_their_last_two_parts(self):
        self.assertEqual(sorted(self.found["4.1.0"]), ["cutlass.utils", "tiles.gone", "tiles.moved", "tiles.pick", "tiles.tired", "utils.pick", "utils.tiles"])
        self.assertIn("utils.fresh", self.found["4.10.0"])
        self.assertNotIn("dialect.pick_other", self.found["4.10.0"])
        self.assertNotIn("inner.deep", self.found["4.10.0"])
        self.assertIn("utils.deep", self.found["4.10.0"], "what a public package takes from a private one")
        self.assertIn("lazy.gone_soon", self.found["4.10.0"], "what a module answers for itself")
        self.assertIsNone(self.found["4.10.0"]["tiles.picky"], "a warning about an argument is none about the function")

    # 4.6.0 took `from .math import *` to a package that lies in another wheel: cute.exp and others were said to be gone.
    def test_names_that_come_from_another_wheel_are_there(self):
        first = {"cutlass/cute/__init__.py": "from .math import *\n", "cutlass/cute/math.py": "from cutlass._mlir_helpers.math import *\ndef own(): pass\n"}
        second = {"cutlass/_mlir_helpers/math.py": "from .deep import *\n", "cutlass/_mlir_helpers/deep.py": "def exp(): pass\n"}
        wheels = [wheel(self.folder.name, "first.whl", first), wheel(self.folder.name, "second.whl", second)]
        self.assertEqual(names.packages_of("4.10.0"), ["nvidia-cutlass-dsl-libs-core", "nvidia-cutlass-dsl-libs-base"])
        self.assertEqual(sorted(tool.names_of(wheels)), ["cute.exp", "cute.math", "cute.own", "cutlass.cute", "math.exp", "math.own"])

    def test_of_a_module_that_takes_names_from_an_unread_one_none_is_called_removed(self):
        old = {"cutlass/cute/__init__.py": "from .math import *\n", "cutlass/cute/math.py": "def exp(): pass\n", "cutlass/cute/plain.py": "def gone(): pass\n"}
        new = {"cutlass/cute/__init__.py": "from .math import *\n", "cutlass/cute/math.py": "from cutlass.elsewhere import *\n", "cutlass/cute/plain.py": ""}
        words = {"4.1.0": {}, "4.2.0": {}}
        found = {v: tool.names_of([wheel(self.folder.name, v + ".whl", files)], words[v]) for v, files in (("4.1.0", old), ("4.2.0", new))}
        table = tool.rows(found, {}, {"cute.exp", "plain.gone"}, [], words)
        self.assertEqual([row["names"] for row in table if "removed" in row], [["plain.gone"]])

    def test_a_warning_comes_along_a_chain_of_imports_whatever_their_order(self):
        files = {"cutlass/__init__.py": "from .a import tired\n", "cutlass/a.py": "from .b import tired\n", "cutlass/b.py": "from .c import tired\n",
                 "cutlass/c.py": "@deprecated('no more')\ndef tired(): pass\n"}
        found = tool.names_of([wheel(self.folder.name, "chain.whl", files)])
        self.assertEqual({name for name, warning in found.items() if warning}, {"cutlass.tired", "a.tired", "b.tired", "c.tired"})

    # cute.core.ThrMma was written long before cute/__init__.py said `from . import core`: cute.core was called new in 4.4.
    def test_a_module_is_a_name_of_its_package(self):
        old = {"cutlass/cute/__init__.py": "from .core import f\n", "cutlass/cute/core.py": "def f(): pass\n"}
        new = old | {"cutlass/cute/__init__.py": "from . import core\nfrom .core import f\n"}
        found = {v: tool.names_of([wheel(self.folder.name, v + ".whl", files)]) for v, files in (("4.1.0", old), ("4.2.0", new))}
        self.assertEqual(tool.history(found), {})

    def test_one_row_tells_when_a_name_warned_and_when_it_went(self):
        found = {"4.1.0": {"a.b": None}, "4.2.0": {"a.b": "deprecated, use cute.c instead"}, "4.3.0": {}}
        table = tool.rows(found, {}, {"a.b"}, [], {})
        self.assertEqual([{k: v for k, v in row.items() if k != "seen"} for row in table],
                         [{"names": ["a.b"], "removed": "4.3.0", "deprecated": "4.2.0", "instead": "cute.c"}])
        self.assertEqual(table[0]["seen"], "present in 4.2.0, absent in 4.3.0; without a warning in 4.1.0, with one in 4.2.0")

    def test_a_warning_whose_text_is_a_constant(self):
        files = {"cutlass/utils/s.py": "_MSG = (\"Migrated to examples/helpers/s.py \"\n        \"(BSD-3). It goes.\")\n@deprecated(_MSG)\nclass Params: pass\n"}
        found = tool.names_of([wheel(self.folder.name, "constant.whl", files)])
        self.assertEqual(tool.replacement(found["s.Params"]), "examples/helpers/s.py")

    def test_what_to_use_instead_may_be_two_things(self):
        self.assertEqual(tool.replacement("f is deprecated, use cute.arch.g and cute.math.h with x=1"), "cute.arch.g and cute.math.h")
        self.assertEqual(tool.replacement("f is deprecated, use `cute.g` and be well"), "cute.g")
        self.assertEqual(tool.replacement("f is deprecated, use it and cute.h"), "")

    # cute.testing.benchmark warns since 4.6.0, and cutlass.testing, which came then, has one of the same spelling.
    def test_a_name_that_warns_in_one_module_of_two(self):
        old = {"cutlass/cute/testing.py": "def bench(): pass\n"}
        new = {"cutlass/cute/testing.py": "bench = deprecated('use cutlass.testing.bench instead')(_b)\n", "cutlass/testing.py": "def bench(): pass\n"}
        places = {"4.1.0": {}, "4.2.0": {}}
        found = {v: tool.names_of([wheel(self.folder.name, v + ".whl", f)], None, places[v]) for v, f in (("4.1.0", old), ("4.2.0", new))}
        table = tool.rows(found, {}, {"testing.bench"}, [], {}, places)
        self.assertEqual([(r["names"], r["deprecated"], r["unless"], r["instead"]) for r in table if "deprecated" in r],
                         [(["testing.bench"], "4.2.0", "cutlass.testing", "cutlass.testing.bench")])

    def test_what_came_went_and_warns(self):
        changes = tool.history(self.found)
        self.assertEqual(changes["tiles.gone"], {"removed": ("4.1.0", "4.10.0")})
        self.assertEqual(changes["utils.fresh"], {"since": ("4.1.0", "4.10.0")})
        self.assertEqual(changes["tiles.tired"], {"deprecated": ("4.1.0", "4.10.0")})
        self.assertNotIn("tiles.pick", changes)
        already = {"4.1.0": {"a.b": "warns"}, "4.2.0": {"a.b": "warns"}}
        self.assertEqual(tool.history(already), {"a.b": {"deprecated": ("4.1.0", "4.1.0")}})
        between = {"4.1.0": {"a.b": False}, "4.2.0": {}, "4.3.0": {"a.b": False}}
        self.assertNotIn("removed", tool.history(between).get("a.b", {}), "one that comes back is not removed")

    def test_the_table_speaks_as_programs_do(self):
        program = pathlib.Path(self.folder.name) / "program.py"
        program.write_text("import cutlass.utils.tiles as t100\nimport places\nfrom cutlass import utils\nfrom cutlass.utils import tiles\nplaces.moved\nt100.fresh\n"
                           "utils.fresh\ntiles.gone()\nt100.tired()\ntiles.moved()\ntiles.deep\ndef f(tiles):\n    pass\n")
        other = pathlib.Path(self.folder.name) / "other.py"
        other.write_text("tiles = load()\ntiles.fresh()  # a program's own object\nself.tiles.fresh()\n")
        (pathlib.Path(self.folder.name) / "third.py").write_text("from cutlass.utils import tiles\ndef f(tiles):\n    tiles.picky\n")
        aliases, spoken = tool.spoken_names([self.folder.name])
        notes = [{"names": ["tiles.gone"], "instead": "nothing"}, {"names": ["x.y"], "rule": {"in": ["4.1.0"], "says": "s", "otherwise": "o"}}]
        table = tool.rows(self.found, aliases, spoken, notes, {"4.10.0": {"tiles": {"pick"}}})
        by_name = {name: row for row in table for name in row["names"]}
        self.assertEqual(by_name["t100.fresh"]["since"], "4.10.0")
        self.assertEqual(by_name["tiles.gone"]["instead"], "nothing")
        self.assertEqual(by_name["tiles.moved"]["removed"], "4.10.0")
        self.assertEqual((by_name["t100.tired"]["deprecated"], by_name["t100.tired"]["instead"]), ("4.10.0", "utils.fresh"))
        self.assertNotIn("places.moved", by_name, "a module of somebody else's")
        self.assertIn("t100.fresh", by_name)
        self.assertNotIn("tiles.picky", spoken, "a parameter of that name")
        self.assertNotIn("tiles.fresh", by_name, "the same spelling means an object of a program's own, too")
        self.assertIn("rule", by_name["x.y"])
        ruled = tool.rows(self.found, aliases, spoken, [{"names": ["utils.fresh", "tiles.pick"], "rule": {}}], {})
        self.assertEqual([r["names"] for r in ruled if "since" in r and "utils.fresh" in r["names"]], [["t100.fresh", "utils.fresh"]],
                         "a rule of several names says nothing of when each came")
        mentioned = tool.rows(self.found, aliases, spoken, [], {"4.10.0": {"tiles": {"moved"}}})
        self.assertNotIn("tiles.moved", [n for row in mentioned for n in row["names"]], "its module still speaks of it")
        before = tool.rows(self.found, aliases, spoken, [], {"4.1.0": {"utils": {"fresh"}}})
        self.assertNotIn("utils.fresh", [n for row in before for n in row["names"]], "its module spoke of it before")
        always = tool.rows(self.found, aliases, spoken, [{"names": ["utils.fresh"], "always": "so"}], {})
        self.assertNotIn("utils.fresh", [n for row in always for n in row["names"]])
        self.assertEqual(json.loads(tool.document(["4.1.0", "4.10.0"], table))["changes"], table)


if __name__ == "__main__":
    unittest.main()
