"""frgC is a fragment, thrC a thread's part of the output: where they were cut from tells, not their letters."""
# expect-pattern: P8 present kind=direct_store
import cutlass
import cutlass.cute as cute


@cute.kernel
def kernel(gA: cute.Tensor, gC: cute.Tensor, copy: cute.TiledCopy, atom: cute.CopyAtom, is_first: cutlass.Constexpr):
    part = copy.get_slice(0)
    thrA = part.partition_S(gA)
    thrC = part.partition_S(gC)
    frgA = cute.make_fragment_like(thrA)
    frgC = cute.make_fragment_like(thrC)
    cute.copy(atom, thrA, frgA)  # expect-no-evidence: P8
    if is_first:  # expect: D1 branch
        frgC[0] = frgA[0]  # expect-no-evidence: P8
    cute.copy(atom, frgC, thrC)  # expect-first: P8
