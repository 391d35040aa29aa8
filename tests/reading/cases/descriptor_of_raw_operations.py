import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync


class Kernel:
    @cute.jit
    def make_paged_tma_atom(self, load_op, gmem: cute.Tensor, layout):
        from cutlass._mlir.dialects import cute_nvgpu

        res = cute_nvgpu.atom_make_non_exec_tiled_tma_load(gmem.value, layout.value, None, load_op)  # expect: H1 tma-descriptor tensor=gmem.value
        return cute.CopyAtom(load_op, cpasync.CopyBulkTensorTileG2SNonExecTrait(res[0])), res[1]

    @cute.jit
    def __call__(self, k: cute.Tensor, v: cute.Tensor, layout):
        load_op = cpasync.CopyBulkTensorTileG2SOp()
        tma_atom_k, tma_tensor_k = self.make_paged_tma_atom(load_op, k, layout)  # expect: H1 tma-descriptor direction=load tensor=k multicast=false
        tma_atom_v, tma_tensor_v = self.make_paged_tma_atom(load_op, v, layout)  # expect: H1 tma-descriptor direction=load tensor=v
        self.kernel(tma_atom_k, tma_tensor_k, tma_atom_v, tma_tensor_v).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, atom_k, k: cute.Tensor, atom_v, v: cute.Tensor):
        gK = cute.local_tile(k, (64, 64), (0, 0))
