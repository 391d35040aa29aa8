import cutlass
import cutlass.cute as cute
import cutlass.utils.blackwell_helpers as sm100_utils
from cutlass.cute.nvgpu import cpasync, tcgen05


class Kernel:
    def __init__(self):
        self.cluster = (1, 1)

    @staticmethod
    def load_operation(sms, multicast):
        if sms == 2 and multicast:
            return cpasync.CopyBulkTensorTileG2SMulticastOp(tcgen05.CtaGroup.TWO)
        elif sms == 2 and not multicast:
            return cpasync.CopyBulkTensorTileG2SOp(tcgen05.CtaGroup.TWO)
        elif sms == 1 and multicast:
            return cpasync.CopyBulkTensorTileG2SMulticastOp(tcgen05.CtaGroup.ONE)
        elif sms == 1 and not multicast:
            return cpasync.CopyBulkTensorTileG2SOp(tcgen05.CtaGroup.ONE)
        raise ValueError("no such operation")

    @cute.jit
    def __call__(self, a: cute.Tensor):
        sms = len(self.cluster) - 1
        op = self.load_operation(cute.size(cute.make_layout(sms)), self.cluster[1] > 1)
        tma_atom, tma_tensor = cute.nvgpu.make_tiled_tma_atom_A(op, a, None, None, None)  # expect: H1 tma-descriptor direction=load multicast=false
        self.kernel(tma_atom, tma_tensor).launch(grid=(1, 1, 1), block=(32, 1, 1))

    @cute.kernel
    def kernel(self, atom, tensor: cute.Tensor):
        gA = cute.local_tile(tensor, (64, 64), (0, 0))


if __name__ == "__main__":
    Kernel()(None)
