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


def entries():
    return sorted(p for p in (ROOT / "docs/knowledge").rglob("*.md") if p.name != "README.md")


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

    def test_names_that_users_met_are_in_the_table(self):
        gone = dict(old_names(self.changes))
        for name, current in (("arch.warpgroup_reg_alloc", "setmaxregister_increase"),
                              ("arch.warpgroup_reg_dealloc", "setmaxregister_decrease"),
                              ("testing.benchmark", "cutlass.testing.benchmark"), ("cutlass.dynamic_expr", "const_expr"),
                              ("cutlass.range_dynamic", "cutlass.range"), ("tcgen05.OperandMajorMode", "cute.nvgpu"),
                              ("warpgroup.OperandMajorMode", "cute.nvgpu"), ("cute.make_fragment", "make_rmem_tensor")):
            self.assertIn(current, gone.get(name, ""), name)

    def test_every_entry_says_what_it_was_seen_in(self):
        for entry in entries():
            seen = re.search(r"^seen: \{(.+)\}$", entry.read_text(), re.M)
            self.assertTrue(seen, entry)
            self.assertRegex(seen[1], r"(cute-dsl|cute-cpp|cutile-dsl): \d+\.\d+", entry)


class PatternCards(unittest.TestCase):
    """P95: what a load and a store by TMA need, in the entries' own evidence."""

    def evidence(self, entry, source):
        """(line number, text) of the entry's evidence in one source."""
        text = (ROOT / "docs/knowledge" / entry).read_text().split("---")[1]
        found = re.findall(rf"- at: {re.escape(source)}:(\d+)@\w+\n    line: (\".*\")\n", text)
        return [(int(number), json.loads(line)) for number, line in found]

    def test_the_store_card_has_the_steps_in_order(self):
        steps = self.evidence("shared/tma-store-epilogue.md", "examples/cute_dsl/tma_copy.py")
        self.assertEqual([re.search(r"fence_proxy|cute\.copy|commit_group|wait_group", line)[0] for _, line in steps],
                         ["fence_proxy", "cute.copy", "commit_group", "wait_group"])
        self.assertEqual(steps, sorted(steps))
        self.assertNotIn("bar_ptr", dict(steps)[steps[1][0]], "a store names no barrier")
        source = (ROOT / "examples/cute_dsl/tma_copy.py").read_text().splitlines()
        between = source[steps[0][0]:steps[1][0]]
        self.assertTrue(any(re.search(r"barrier|sync_threads", line) for line in between), "the writers meet between fence and store")
        mechanism = (ROOT / "docs/knowledge/shared/tma-store-epilogue.md").read_text().split("## Mechanism")[1].split("##")[0]
        self.assertRegex(mechanism, r"\*load\* reports to an mbarrier. A TMA \*store\* has none")
        order = [mechanism.index(f"**{step}**") for step in ("fence", "barrier", "issues", "commits", "waits")]
        self.assertEqual(order, sorted(order))


if __name__ == "__main__":
    unittest.main()
