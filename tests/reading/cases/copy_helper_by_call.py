# One helper copies by the atom it is given: the loads of its calls go by cp.async, the last call stores the result by a
# plain copy. Predicates that the default problem does not need are compiled out, and the step of an unrolled loop is no bound.
# expect-pattern: P8 present default_active kind=direct_store
# expect-pattern: P9 present inactive
# expect-default: fast --slow=true run()=false
import argparse
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


class Copies:
    @cute.jit
    def __call__(self, mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor):
        load_atom = cute.make_copy_atom(cute.nvgpu.cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128)
        store_atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)
        self.kernel(mA, mB, mC, load_atom, store_atom).launch(grid=[1, 1, 1], block=[128, 1, 1])

    @cute.jit
    def copy_tile(self, atom, source, destination, predicate, residue: cutlass.Constexpr):
        if cutlass.const_expr(residue):
            cute.copy(atom, source, destination, pred=predicate)  # expect: B1 predicated-copy active=false
        else:
            cute.copy(atom, source, destination)  # expect: D3 copy operation=cp-asyncorplain,bythecall

    @cute.kernel
    def kernel(self, mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, load_atom, store_atom):
        smem = utils.SmemAllocator()
        sA = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 16)
        sB = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64)), 16)
        mI = cute.make_identity_tensor((64, 64))
        cI = cute.local_tile(mI[None, None], (64, 64), (0, 0))
        tArA = cute.make_rmem_tensor((8, 4), cutlass.Float16)
        tCrC = cute.make_rmem_tensor((8, 4), cutlass.Float16)
        self.copy_tile(load_atom, mA, sA, None, False)  # expect: D3 copy source=mA destination=sA
        self.copy_tile(load_atom, mB, sB, None, False)  # expect: D3 copy source=mB destination=sB
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        for k in cutlass.range_constexpr(cute.size(tArA.shape[1])):
            if k < cute.size(tArA.shape[1]) - 1:  # expect-no-evidence: P9
                tArA[0, k] = tArA[0, k + 1]
        self.copy_tile(store_atom, tCrC, mC, None, False)  # expect: E1 store destination=mC


def run(fast=False):
    Copies()(somewhere, somewhere, somewhere)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", dest="fast", action="store_false")
    args = parser.parse_args()
    run(fast=args.fast)
