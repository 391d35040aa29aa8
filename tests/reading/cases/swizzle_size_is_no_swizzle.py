# swizzle_size and raster order are about tiles, not about shared memory.
# expect-pattern: P6 absent
# expect-pattern: P3 present default_active kind=static
import cutlass.cute as cute
import cutlass.utils as utils


class Kernel:
    def __init__(self):
        self.swizzle_size = 4

    @cute.kernel
    def kernel(self, params):
        tile_sched = utils.StaticPersistentTileScheduler.create(params, (1, 1, 1), (8, 1, 1))  # expect: S1 scheduler
        work_tile = tile_sched.initial_work_tile_info()  # expect: S1 work-tile
        while work_tile.is_valid_tile:  # expect: S1 tile-loop
            tile_sched.advance_to_next_work()  # expect: S1 next-tile
            work_tile = tile_sched.get_current_work()  # expect: S1 work-tile
