"""P93: entries of the knowledge base teach current names (data/api_changes.json says which are gone or deprecated)."""
import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def old_names(changes):
    """Last part of each name that some release removed or warns about, with what to write now."""
    for change in changes:
        if change.get("removed") or change.get("deprecated"):
            for name in change["names"]:
                yield name, change["instead"]


def uses(text, changes):
    """Old names in `text`, in code or prose, unless the line also says what to write now."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for name, instead in old_names(changes):
            current = [word for word in re.findall(r"[\w.]+", instead) if "." in word]
            if re.search(r"(?<![\w.])(?:\w+\.)*" + re.escape(name) + r"\b", line) and not any(word in line for word in current):
                found.append((number, name))
    return found


class KnowledgeNames(unittest.TestCase):
    def setUp(self):
        self.changes = json.loads((ROOT / "data/api_changes.json").read_text())["changes"]

    def test_no_entry_teaches_an_old_name(self):
        entries = sorted((ROOT / "docs/knowledge").rglob("*.md"))
        self.assertGreater(len(entries), 10)
        for entry in entries:
            self.assertEqual(uses(entry.read_text(), self.changes), [], entry)

    def test_an_old_name_is_seen_and_its_correction_is_not(self):
        self.assertEqual(uses("call\ncute.arch.warpgroup_reg_alloc(232)", self.changes), [(2, "arch.warpgroup_reg_alloc")])
        self.assertEqual(uses("cute.make_fragment(shape)", self.changes), [(1, "cute.make_fragment")])
        self.assertEqual(uses("cute.make_fragment_like(t)", self.changes), [])
        self.assertEqual(uses("cutlass.testing.benchmark, not cute.testing.benchmark", self.changes), [])


if __name__ == "__main__":
    unittest.main()
