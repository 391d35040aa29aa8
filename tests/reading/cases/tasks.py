# expect-pattern: P2 present
from cutlass.experimental.task_scheduling.task import Task, schedule
import cutlass.cute as cute


@cute.jit
def create_load_task(smem, queue):
    @schedule
    def load_schedule(smem):
        smem.acquire()
        smem.commit()

    return Task(warp_idx=4, num_warps=1, schedule=load_schedule(smem), num_registers=40, name="LoadTask")  # expect: D1 role warps=4 warp_count=1 registers=40


@cute.jit
def create_mma_task(smem, queue):
    @schedule
    def mma_schedule(smem):
        smem.wait()

    return Task(warp_idx=5, num_warps=1, schedule=mma_schedule(smem))  # expect: D1 role warps=5
