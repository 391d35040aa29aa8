# A helper gives back parameters and grid: the grid is the second, what else it computes goes into it.
import cutlass
import cutlass.cute as cute


class Params:
    def __init__(self, tiles):
        self.tiles = tiles


class Kernel:
    @staticmethod
    def _compute_grid(tiles):
        params = Params(tiles)  # expect: H2 grid
        grid = tuple(range(2, 5))  # expect: H2 grid
        return params, grid  # expect: H2 grid grid=(2,3,4)

    @cute.jit
    def __call__(self, x):
        params, grid = self._compute_grid(6)  # expect: H2 grid grid=(2,3,4)
        self.kernel(x).launch(grid=grid, block=[32, 1, 1])

    @cute.kernel
    def kernel(self, x):
        x[0] = 1


Kernel()(None)
