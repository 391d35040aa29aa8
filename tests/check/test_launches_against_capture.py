"""tools/verify/launches_against_capture.py: what counts as right, wrong and undetermined."""
import importlib.util
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("launches", ROOT / "tools/verify/launches_against_capture.py")
launches = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launches)


def value(known, reason=None):
    return {"value": known, "undetermined": {"reason": reason, "depends_on": []} if reason else None, "items": None}


def fact(**values):
    return {"kind": "launch", "kernel": "Gemm.kernel", "subject": "Gemm.kernel", "values": values}


def launch(grid=(4, 2, 1), block=(128, 1, 1), cluster=None, shared=1024, own=True):
    return {"qualified": "Gemm.kernel", "own": own, "grid": list(grid), "block": list(block), "cluster": cluster, "dynamic_shared_bytes": shared}


def verdicts(record_launches, facts):
    rows = launches.compare({"file": "gemm.py", "launches": record_launches}, {"facts": facts})
    return [r["verdict"] for r in rows], rows


class Compare(unittest.TestCase):
    def test_all_right_and_a_cluster_not_passed_is_one(self):
        got, _ = verdicts([launch()], [fact(grid=value([4, 2]), block=value([128]), smem_bytes=value(1024))])
        self.assertEqual(got, [{"grid": "right", "threads": "right", "cluster": "right", "shared": "right"}])

    def test_each_wrong_number_is_wrong(self):
        got, rows = verdicts([launch(cluster=[2, 1, 1])],
                             [fact(grid=value([4, 3, 1]), threads=value(256), cluster=value([1, 2, 1]), smem_bytes=value(0))])
        self.assertEqual(set(got[0].values()), {"wrong"})
        self.assertEqual(rows[0]["predicted"]["grid"], (4, 3, 1))

    def test_what_reading_does_not_know_is_undetermined_with_its_reason(self):
        got, rows = verdicts([launch()], [fact(grid=value(None, "several values are possible"), threads=value(128), smem_bytes=value(None, "no size"))])
        self.assertEqual(got[0], {"grid": "undetermined", "threads": "right", "cluster": "right", "shared": "undetermined"})
        self.assertEqual(rows[0]["reason"]["grid"], "several values are possible")

    def test_a_partly_known_grid_is_undetermined(self):
        got, _ = verdicts([launch()], [fact(grid=value([4, None, 1]), threads=value(128), smem_bytes=value(1024))])
        self.assertEqual(got[0]["grid"], "undetermined")

    def test_one_of_several_configurations_is_right(self):
        got, _ = verdicts([launch(), launch(grid=(8, 2, 1))], [fact(grid=value([8, 2, 1]), threads=value(128), smem_bytes=value(1024))])
        self.assertEqual(got[0]["grid"], "right")

    def test_a_kernel_that_reading_missed_is_undetermined_in_all(self):
        got, rows = verdicts([launch()], [])
        self.assertEqual(set(got[0].values()), {"undetermined"})
        self.assertIn("no launch", rows[0]["reason"]["grid"])

    def test_a_preferred_cluster_is_the_one_asked_for(self):
        recorded = dict(launch(cluster=[2, 1, 1]), attributes=[{"id": 4, "value": [2, 1, 1]}, {"id": 11, "value": [2, 4, 1]}])
        self.assertEqual(verdicts([recorded], [fact(cluster=value([2, 4]))])[0][0]["cluster"], "right")

    def test_kernels_of_a_library_do_not_count(self):
        self.assertEqual(verdicts([launch(own=False)], []), ([], []))


class Flags(unittest.TestCase):
    def test_words_become_settings(self):
        self.assertEqual(launches.settings_of(["--mnkl", "1,2", "--use_tma_store", "--n-blocks=-3"]),
                         {"mnkl": "1,2", "use_tma_store": "True", "n_blocks": "-3"})

    def test_second_problem_doubles_shapes_but_no_tiles(self):
        facts = [{"kind": "shape-default", "subject": s, "values": {"default": value(v)}}
                 for s, v in (("--mnkl", [4, 8, 2, 1]), ("--tile_shape_mn", [128, 128]), ("--M", 7), ("--k", None))]
        self.assertEqual(launches.second_flags({"facts": facts}), ["--mnkl", "8,16,4,2", "--M", "14"])


if __name__ == "__main__":
    unittest.main()
