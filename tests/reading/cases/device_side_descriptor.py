import cutlass
import cutlass.cute as cute
import cutlass.utils as utils


@cute.kernel
def kernel(tma_atom, pointer):
    manager = utils.TensorMapManager(utils.TensorMapUpdateMode.GMEM, 128)
    manager.init_tensormap_from_atom(tma_atom, pointer, 0)  # expect: H1 device-descriptor; D3 tensormap-update
    manager.fence_tensormap_initialization()  # expect: D5 fence
    manager.fence_tensormap_update(pointer)  # expect: D5 fence; D3 tensormap-update
