# A scheduler that is told not to be persistent hands out one tile; its loop runs once.
# expect-pattern: P3 present inactive condition=is_persistent
import cutlass.cute as cute


def make_scheduler_arguments(tiles, is_persistent):
    return (tiles, is_persistent)


class Kernel:
    @cute.jit
    def __call__(self, x):
        arguments = make_scheduler_arguments(x, is_persistent=False)
        self.kernel(arguments).launch(grid=(4, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, scheduler):
        work_tile = scheduler.initial_work_tile_info()
        while work_tile.is_valid_tile:
            scheduler.advance_to_next_work()
            work_tile = scheduler.get_current_work()
