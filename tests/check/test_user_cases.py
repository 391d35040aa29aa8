"""The list of what users ran into is held to the tests that it names."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/check"))
import user_cases


class UserCases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("tests/a/one_test.cc", "TEST(Suite, Holds) {\n}\nTEST_F(Fixture,\n       Other) {\n}\n// TEST_X(Suite, Gone)\n")
        self.write("tests/a/test_two.py", "class T:\n    def test_it(self):\n        pass\n")
        self.write("tests/reading/cases/three.py", "x = 1  # expect-lint: rule says so\ny = 2\n")
        self.write("tests/cli/golden/four.txt", "=== stdout\nprinted\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def complaints(self, *tests, **members):
        case = {"case": "P1", "step": "READ", "symptom": "s", "sources": ["https://example.com/1"], "tests": list(tests)}
        case.update(members)
        self.write("tests/user_cases.json", json.dumps({"cases": [{k: v for k, v in case.items() if v is not None}]}))
        return user_cases.check(self.root)

    def test_tests_that_are_there_hold(self):
        self.assertEqual(self.complaints({"file": "tests/a/one_test.cc", "test": "Suite.Holds"},
                                         {"file": "tests/a/one_test.cc", "test": "Fixture.Other"},
                                         {"file": "tests/a/test_two.py", "test": "test_it"},
                                         {"file": "tests/reading/cases/three.py", "line": "rule says so"},
                                         {"file": "tests/cli/golden/four.txt", "line": "printed"}), [])

    def test_tests_that_are_not_there(self):
        for test, says in (({"file": "tests/a/none.cc", "test": "Suite.Holds"}, "there is no tests/a/none.cc"),
                           ({"file": "tests/a/one_test.cc", "test": "Suite.Gone"}, "has no test Suite.Gone"),
                           ({"file": "tests/a/one_test.cc", "test": "Holds"}, "has no test Holds"),
                           ({"file": "tests/a/test_two.py", "test": "test_"}, "has no test test_"),
                           ({"file": "tests/cli/golden/four.txt", "line": "not printed"}, "has no line"),
                           ({"file": "tests/cli/golden/four.txt", "line": ""}, "has no line"),
                           ({"file": "tests/reading/cases/three.py", "line": "y = 2"}, "expects nothing"),
                           ({"file": "tests/a/one_test.cc"}, "a test is a file and 'test' or 'line'")):
            with self.subTest(says):
                self.assertRegex(self.complaints(test)[0], says)

    def test_every_case_has_a_test_or_a_reason(self):
        self.assertRegex(self.complaints()[0], "no test, and no reason")
        self.assertRegex(self.complaints(elsewhere=" ")[0], "no test, and no reason")
        self.assertEqual(self.complaints(elsewhere="needs two GPUs"), [])

    def test_members(self):
        there = {"file": "tests/cli/golden/four.txt", "line": "printed"}
        self.assertRegex(self.complaints(there, step="LATER")[0], "step 'LATER' is none of")
        self.assertRegex(self.complaints(there, sources=["a forum"])[0], "addresses with https")
        self.assertRegex(self.complaints(there, symptom=None)[0], "no 'symptom'")
        self.assertRegex(self.complaints(there, teste=[])[0], "unknown member 'teste'")

    def test_order_damage_and_absence(self):
        one = {"case": "P2", "step": "READ", "symptom": "s", "sources": ["https://example.com"], "elsewhere": "x"}
        self.write("tests/user_cases.json", json.dumps({"cases": [one, one]}))
        self.assertRegex(user_cases.check(self.root)[0], "P2 before P2")
        self.write("tests/user_cases.json", "{")
        self.assertRegex(user_cases.check(self.root)[0], "JSONDecodeError")
        self.write("tests/user_cases.json", '{"cases": []}')
        self.assertRegex(user_cases.check(self.root)[0], "holds no case")
        (self.root / "tests/user_cases.json").unlink()
        self.assertRegex(user_cases.check(self.root)[0], "is not there")


if __name__ == "__main__":
    unittest.main()
