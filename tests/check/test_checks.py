"""Each check fails on a bad input and holds on a good one."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/check"))
import common
import doors
import edges
import format as formatting
import ratchet
import std_headers
import units
import words

ROOMS = """cutelab_room(base EXTERNAL fmt::fmt)
cutelab_room(layout ROOMS base)
cutelab_room(evidence ROOMS layout base)
cutelab_room(corpus ROOMS evidence base)
cutelab_room(reading ROOMS evidence
                     layout base
                     EXTERNAL x)
cutelab_room(cli ROOMS base layout evidence corpus reading)
"""


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("CMakeLists.txt", ROOMS)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words_):
        subprocess.run(["git", "-C", str(self.root), "-c", "user.name=t", "-c", "user.email=t@t", *words_], check=True,
                       capture_output=True)


class Units(Tree):
    def complaints(self, a, b, second="src/layout/b.cc"):
        self.write("src/layout/a.cc", a)
        self.write(second, b)
        return units.check(self.root)

    def test_same_function_type_variable_in_two_files(self):
        for text in ("std::string cell(const std::string& t) {\n}\n", "class Run {\n};\n", 'constexpr const char* name = "a";\n',
                     "struct Run final : Base {\n};\n", "std::map<int, std::vector<A>> load() {\n}\n"):
            text = "namespace cutelab {\nnamespace {\n" + text
            self.assertRegex(self.complaints(text, text)[0], r"^src/layout/b.cc:3: \w+ is defined in src/layout/a.cc too")

    def test_parameter_names_make_no_difference_and_types_do(self):
        self.assertTrue(self.complaints("bool f(int a, const A& b) {\n}\n", "bool f(int c, const A& d) {\n}\n"))
        self.assertEqual(self.complaints("bool f(int a) {\n}\n", "bool f(const A& d) {\n}\n"), [])
        self.assertTrue(self.complaints("bool f(const b::A& a) {\n}\n", "bool f(const A& d) {\n}\n"), "a `using` may stand above")

    def test_an_alias_may_repeat_but_not_change(self):
        self.assertEqual(self.complaints("using J = a::b;\n", "using J = a::b;\n"), [])
        self.assertIn("J is defined", self.complaints("using J = a::b;\n", "using J = a::c;\n")[0])
        self.assertIn("J is defined", self.complaints("using a::J;\n", "using J = b::J;\n")[0])

    def test_an_alias_of_a_source_is_no_type_of_another(self):
        self.assertIn("J is a type of src/layout/a.cc too", self.complaints("struct J {\n};\n", "using J = a::b;\n")[0])

    def test_an_alias_of_a_source_is_no_type_of_a_header(self):
        header = "namespace cutelab::a {\nstruct Flag {\n};\n}\n"
        alias = "namespace cutelab::%s {\nnamespace {\nusing Flag = b::Flag;\n"
        self.assertIn("b.cc:3: Flag is a type of src/layout/a.h too", self.complaints_of_header(header, alias % "a"))
        self.assertEqual(self.complaints_of_header(header, alias % "b"), "")

    def test_names_of_the_test_library_begin_at_the_root(self):
        self.assertIn("a.cc:1: write ::testing::Test;", self.complaints("class A : public testing::Test {\n};\n", "")[0])
        self.assertEqual(self.complaints("class A : public ::testing::Test {\n};\n", "auto a = testing::small_elf();\n"), [])

    def complaints_of_header(self, header, source):
        self.write("src/layout/a.h", header)
        self.write("src/layout/b.cc", source)
        return "\n".join(units.check(self.root))

    def test_members_other_rooms_and_other_namespaces_are_apart(self):
        self.assertEqual(self.complaints("void A::f() {\n}\n", "void B::f() {\n}\n"), [])
        self.assertEqual(self.complaints("void f() {\n}\n", "void f() {\n}\n", "src/base/b.cc"), [])
        self.assertEqual(self.complaints("namespace a {\nvoid f() {\n}\n", "namespace b {\nvoid f() {\n}\n"), [])

    def test_a_call_and_a_declaration_are_no_definition(self):
        self.assertEqual(self.complaints("void f();\nclass A;\n", "void f() {\n  f(1);\n}\nclass A {};\n"), [])


class StdHeaders(Tree):
    def test_a_name_needs_its_header(self):
        self.write("src/base/a.cc", '#include <vector>\n// std::sort\nauto x = "std::find";\nint n = std::count_if(a, b, f);\n')
        self.assertEqual(std_headers.check(self.root),
                         ["src/base/a.cc:4: std::count_if is used, but <algorithm> is not included"])

    def test_a_header_of_ours_may_bring_it(self):
        self.write("src/base/a.h", "#include <algorithm>\n")
        self.write("src/base/b.h", '#include "base/a.h"\n')
        self.write("src/layout/b.cc", '#include "base/b.h"\nint n = std::count_if(a, b, f);\n')
        self.assertEqual(std_headers.check(self.root), [])


class Edges(Tree):
    def test_allowed_include_holds(self):
        self.write("src/reading/a.cc", '#include "layout/layout.h"\n#include "reading/facts/b.h"\n#include <vector>\n')
        self.assertEqual(edges.check(self.root), [])

    def test_forbidden_include_is_named_with_its_line(self):
        self.write("src/layout/a.cc", '// why\n#include "evidence/value.h"\n')
        self.assertEqual(edges.check(self.root),
                         ["src/layout/a.cc:2: layout may not include evidence/value.h: its list has base"])

    def test_sideways_edge_in_the_list(self):
        self.write("CMakeLists.txt", ROOMS.replace("reading ROOMS evidence", "reading ROOMS corpus evidence"))
        self.assertIn("no sideways edges", edges.check(self.root)[0])

    def test_cycle_in_the_list(self):
        self.write("CMakeLists.txt", ROOMS.replace("layout ROOMS base", "layout ROOMS base evidence"))
        self.assertIn("declared after it", edges.check(self.root)[0])

    def test_relative_include_and_unknown_room(self):
        self.write("src/layout/a.cc", '#include "../base/error.h"\n#include "b.h"\n')
        self.write("src/extra/a.cc", "\n")
        self.assertEqual(len(edges.check(self.root)), 3)

    def test_kernels_see_little(self):
        self.write("kernels/cute_cpp/norm/p/params.h", "\n")
        self.write("kernels/cute_cpp/norm/p/plan.cc", '#include "params.h"\n#include "layout/l.h"\n#include "reading/r.h"\n')
        self.assertEqual(len(edges.check(self.root)), 1)

    def test_no_rooms_is_a_complaint(self):
        self.write("CMakeLists.txt", "project(x)\n")
        self.assertEqual(len(edges.check(self.root)), 1)


class Doors(Tree):
    def test_public_and_own_headers_hold(self):
        self.write("src/reading/a.cc", '#include "layout/layout.h"\n#include "reading/facts/b.h"\n')
        self.assertEqual(doors.check(self.root), [])

    def test_inner_header_of_another_room(self):
        self.write("src/reading/a.cc", '#include "layout/detail/walk.h"\n')
        self.assertIn("src/reading/a.cc:1", doors.check(self.root)[0])

    def test_kernels_use_the_door_too(self):
        self.write("kernels/cute_cpp/a.cc", '#include "layout/detail/walk.h"\n')
        self.assertEqual(len(doors.check(self.root)), 1)


class Words(Tree):
    def test_clean_text_holds(self):
        self.write("docs/a.md", "work in $HOME, /usr/bin, {root}/work and a network/root of trust\n")
        self.assertEqual(words.check(self.root), [])

    def test_marks_and_paths(self):
        self.write("src/base/a.cc", "// TO" "DO later\n")
        self.write("docs/a.md", "see /wo" "rk/main/x\n/ho" "me/ann/cutlass\n")
        self.assertEqual(len(words.check(self.root)), 3)


class Ratchet(Tree):
    LONG = "int f(int x) {\n" + "  ++x;\n" * 70 + "  return x;\n}\n"

    def test_short_holds(self):
        self.write("src/base/a.cc", "namespace a {\nint f() {\n  return 1;\n}\n}  // namespace a\n")
        self.assertEqual(ratchet.check(self.root), [])

    def test_long_function_is_found_inside_namespace_and_class(self):
        self.write("src/base/a.cc", "namespace a::b {\nnamespace {\nclass C : public D {\n public:\n" + self.LONG + "};\n}\n}\n")
        self.assertEqual(ratchet.check(self.root), ["src/base/a.cc:5: f has 73 lines, at most 60"])

    def test_forms_of_functions(self):
        body = "{\n" + "  ++x;\n" * 60 + "}\n"
        for head in ("A::A(int x) : x_(x), y_{x} ", "auto f(int x) -> std::vector<int> ", "int f() const noexcept override ",
                     "TEST(Room, Name) ", "template <class T>\n  requires std::integral<T>\nT f(T x) ",
                     "__global__ void __launch_bounds__(128) k(P p) ", "bool operator==(const A& a) const ",
                     'extern "C" {\nvoid f() {}\n}\nint g(char c = \'{\', const char* s = "{ \\" {") ',
                     'const char* t = R"x({ ") )x";\nint n = 1\'000;\nvoid g() ', "A::A() try : x_(1) "):
            with self.subTest(head=head):
                self.assertEqual(len([f for f in ratchet.cxx_functions(head + body) if f[2] > 60]), 1)

    def test_long_tables_are_data(self):
        table = "constexpr int t[] = {\n" + "  1,\n" * 100 + "};\nstd::vector<int> u{\n" + "  1,\n" * 100 + "};\nenum class E {\n"
        self.assertEqual(ratchet.cxx_functions(table + "  a,\n" * 100 + "};\n"), [])

    def test_long_python_function_and_long_file(self):
        self.write("tools/a.py", "def f():\n" + "    pass\n" * 61 + "x = 1\n" * 400)
        self.assertEqual(len(ratchet.check(self.root)), 2)

    def test_inputs_of_the_reading_are_not_ours(self):
        self.write("tests/reading/cases/a.cu", self.LONG)
        self.assertEqual(ratchet.check(self.root), [])

    def test_exception_may_fall_but_not_grow(self):
        self.write("src/base/a.cc", self.LONG)
        for size, complaints in ((73, 0), (72, 1), (80, 1)):
            self.write(ratchet.EXCEPTIONS, json.dumps({"src/base/a.cc:f": size}))
            self.assertEqual(len(ratchet.check(self.root)), complaints, size)
        ratchet.update(self.root)
        self.assertEqual(ratchet.check(self.root), [])

    def test_new_exception_is_refused(self):
        self.write(ratchet.EXCEPTIONS, "{}")
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "x")
        self.write("src/base/a.cc", self.LONG)
        self.write(ratchet.EXCEPTIONS, json.dumps({"src/base/a.cc:f": 73}))
        self.assertIn("exceptions only fall", ratchet.check(self.root)[0])


class Format(Tree):
    def test_ugly_source(self):
        try:
            common.clang_tool("clang-format")
        except common.Skip as e:
            self.skipTest(str(e))
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("src/base/good.cc", "int f() { return 1; }\n")
        self.assertEqual(formatting.check(self.root), [])
        self.write("src/base/bad.cc", "int   f( ) {return 1;}\n")
        self.assertEqual([line.split(":")[0] for line in formatting.check(self.root)], ["src/base/bad.cc"])

    def test_other_version_is_skipped_by_name(self):
        answer = mock.Mock(stdout="clang-format version 19.1.7")
        with mock.patch("shutil.which", return_value="/bin/x"), mock.patch("subprocess.run", return_value=answer):
            with self.assertRaisesRegex(common.Skip, "wants clang-format 14"):
                common.clang_tool("clang-format")


class Runner(Tree):
    ALL = str(common.ROOT / "tools/check/all")

    def run_all(self, *words_):
        return subprocess.run([sys.executable, self.ALL, "--root", str(self.root), *words_], capture_output=True, text=True,
                              check=False)

    def test_failure_decides_the_exit_code(self):
        self.write("src/layout/a.cc", '#include "evidence/value.h"\n')
        done = self.run_all("edges", "words")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("checks: 1 passed, 1 failed, 0 skipped\n"), done.stdout)

    def test_unknown_check_is_wrong_use(self):
        self.assertEqual(self.run_all("edgse").returncode, 2)


if __name__ == "__main__":
    unittest.main()
