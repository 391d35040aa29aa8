"""Memory that only addresses inside the tensors of a call lead to, without the DSL: the walk through all objects meets stand-ins."""

import ctypes
import pathlib
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src" / "capture" / "harness"))

import call_memory  # noqa: E402
import pointed_memory  # noqa: E402


class Run:
    """Memory with words in it, described as a tensor of a call."""

    def __init__(self, name, shape, words=None, dtype="Int64", bits=64, stride=None):
        count = 1
        for extent in shape:
            count *= extent
        self.memory = (ctypes.c_uint64 * (count if words is None else len(words)))(*(words or ()))
        self.described = {"name": name, "dtype": dtype, "bits": bits, "shape": list(shape), "stride": list(stride or [1]), "address": self.address,
                          "bytes": 8 * len(self.memory)}

    @property
    def address(self):
        return ctypes.addressof(self.memory)


class Tensor:
    """Looks like one of torch to who walks through all objects."""

    alive = True

    def __init__(self, run, shape, stride, kind):
        self.run, self.shape, self.strides, self.dtype = run, shape, stride, kind

    def stride(self):
        return self.strides

    def element_size(self):
        return 4

    def data_ptr(self):
        return self.run.address

    def untyped_storage(self):
        return self


class PointedMemory(unittest.TestCase):
    def reach_all(self, described, known, describe=lambda thing: None):
        buffers = call_memory.Buffers()
        for tensor in described:
            buffers.add(tensor["address"], tensor["bytes"])
        return pointed_memory.reached(described, buffers, pointed_memory.Ranges(known), describe, 1 << 16), buffers

    def reach(self, described, known, describe=lambda thing: None):
        (made, cut), buffers = self.reach_all(described, known, describe)
        self.assertEqual(cut, {})
        return made, buffers

    def test_what_an_address_leads_to_is_described_once_and_found_again(self):
        first, second = Run("", [6]), Run("", [4])
        kept = [Tensor(first, (3, 4), (4, 1), "torch.float32"), Tensor(first, (1, 4), (4, 1), "torch.float32"), Tensor(second, (8,), (1,), "torch.int16")]
        table = Run("at", [2, 2], [first.address, 7, second.address, first.address], stride=[2, 1])
        known = {(first.address, 48), (second.address, 32)}
        made, buffers = self.reach([table.described], known)
        self.assertEqual([(m["name"], m["dtype"], m["shape"]) for m in made], [("at[0,0]", "Float32", [3, 4]), ("at[1,0]", "Uint8", [8])], kept)
        self.assertEqual(pointed_memory.relocations(table.described, buffers, pointed_memory.Ranges(known), 1 << 16),
                         [{"at": 0, "buffer": 1, "offset": 0}, {"at": 16, "buffer": 2, "offset": 0}, {"at": 24, "buffer": 1, "offset": 0}])

    def test_an_address_inside_a_tensor_of_the_call_adds_none(self):
        whole = Run("whole", [8])
        table = Run("at", [2], [whole.address + 16, 3])
        made, buffers = self.reach([whole.described, table.described], {(whole.address, 64)})
        self.assertEqual(made, [])
        self.assertEqual(pointed_memory.relocations(table.described, buffers, pointed_memory.Ranges({(whole.address, 64)}), 1 << 16), [{"at": 0, "buffer": 0, "offset": 16}])

    def test_memory_that_no_tensor_begins_at_is_bytes(self):
        hidden = Run("", [4])
        table = Run("at", [1], [hidden.address + 8])
        made, _ = self.reach([table.described], {(hidden.address, 32)})
        self.assertEqual([(m["dtype"], m["shape"]) for m in made], [("Uint8", [24])])

    def test_the_dsls_own_tensors_name_the_types_that_torch_has_not(self):
        run = Run("", [4])
        kept = [Tensor(run, (8,), (1,), "torch.int8"), types.SimpleNamespace(mine=run)]
        table = Run("at", [1], [run.address])

        def describe(thing):
            if getattr(thing, "mine", None) is not run:
                return None
            return {"dtype": "Float8E4M3FN", "bits": 8, "shape": [8], "stride": [1], "address": run.address, "bytes": 8}

        made, _ = self.reach([table.described], {(run.address, 32)}, describe)
        self.assertEqual(made[0]["dtype"], "Float8E4M3FN", kept)

    def test_a_table_of_tables_is_followed(self):
        last = Run("", [2])
        inner = Run("inner", [1], [last.address])
        outer = Run("outer", [1], [inner.address])
        known = {(last.address, 16), (inner.address, 8)}

        def describe(thing):
            return inner.described if thing is inner else None

        made, _ = self.reach([outer.described], known, describe)
        self.assertEqual([m["name"] for m in made], ["outer[0]", "outer[0][0]"])

    def test_a_ring_of_tables_is_followed_so_far(self):
        """Each is named after the one before it: thousands would have names of thousands of letters."""
        ring = [Run("ring", [1], [0]) for _ in range(100)]
        for run, following in zip(ring, ring[1:] + ring[:1]):
            run.memory[0] = following.address
        known = {(run.address, 8) for run in ring}

        def describe(thing):
            return thing.described if thing in ring else None

        (made, cut), _ = self.reach_all([ring[0].described], known, describe)
        self.assertEqual(len(made), pointed_memory.MOST_DEPTH)
        last = "ring" + "[0]" * pointed_memory.MOST_DEPTH
        self.assertEqual([made[-1]["name"], *cut], [last, last])
        self.assertEqual(call_memory.told_cuts(cut), [f"where the addresses in {last} lead: {pointed_memory.MOST_DEPTH} tables lie behind each other already"])
        self.assertEqual(call_memory.told_cuts({}), [])

    def test_so_many_tensors_are_followed(self):
        """Their number is limited, not the time that somebody waits."""
        runs = [Run("", [1]) for _ in range(5)]
        table = Run("at", [5], [run.address for run in runs])
        kept, pointed_memory.MOST_REACHED = pointed_memory.MOST_REACHED, 3
        try:
            (made, cut), _ = self.reach_all([table.described], {(run.address, 8) for run in runs})
        finally:
            pointed_memory.MOST_REACHED = kept
        self.assertEqual((len(made), cut), (3, {"at": "3 tensors lie behind addresses"}))

    def test_content_is_kept_without_the_addresses(self):
        run = Run("at", [2], [0x1234, 5])
        self.assertEqual(call_memory.content_of(run.described, [0]), "00" * 8 + "05" + "00" * 7)

    def test_an_address_that_leads_nowhere_is_told_and_not_kept(self):
        run, past = Run("", [2]), Run("", [2])
        table = Run("at", [4], [run.address, 0x7F0000001000, 7, 0])
        table.described["name"] = "at"
        buffers = call_memory.Buffers()
        buffers.add(run.address, 16)
        known = pointed_memory.Ranges({(run.address, 16)})
        relocations = pointed_memory.relocations(table.described, buffers, known, 1 << 16)
        strays = pointed_memory.strays(table.described, relocations, 1 << 16)
        self.assertEqual((relocations, strays), ([{"at": 0, "buffer": 0, "offset": 0}], [((1,), 8)]), past)
        self.assertEqual(call_memory.told_strays(table.described, strays), ["where at[1] leads: to no memory that the program holds when it calls"])
        self.assertEqual(call_memory.told_strays(table.described, []), [])
        many = call_memory.told_strays(table.described, [((i,), 8 * i) for i in range(5)])
        self.assertEqual(many, ["where at[0], at[1], at[2] and 2 more of it lead: to no memory that the program holds when it calls"])

    def test_a_table_too_large_to_be_followed_is_known_by_its_first_addresses(self):
        run = Run("", [2])
        known = pointed_memory.Ranges({(run.address, 16)})
        self.assertTrue(pointed_memory.not_followed(Run("at", [4], [1, 2, run.address + 8, 3]).described, known, 24))
        self.assertFalse(pointed_memory.not_followed(Run("at", [4], [1, 2, 3, run.address]).described, known, 24))
        self.assertFalse(pointed_memory.not_followed(Run("at", [2], [run.address, 1]).described, known, 24))

    def test_buffers_are_found_by_any_address_in_them(self):
        buffers = call_memory.Buffers()
        for address, count in ((100, 10), (50, 10), (200, 8), (105, 20), (45, 6)):
            buffers.add(address, count)
        self.assertEqual(buffers.ranges, [[100, 25], [45, 15], [200, 8]])
        self.assertEqual([buffers.place(a) for a in (44, 45, 59, 60, 100, 124, 125, 207, 208)],
                         [None, (1, 0), (1, 14), None, (0, 0), (0, 24), None, (2, 7), None])


if __name__ == "__main__":
    unittest.main()
