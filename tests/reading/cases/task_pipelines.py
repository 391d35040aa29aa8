# expect-style: task-scheduling
from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
from cutlass.experimental.task_scheduling.memory import MemoryResource, SmemAllocation
from cutlass.experimental.task_scheduling.resources import PipelineConfig
from cutlass.experimental.task_scheduling.task import Task, schedule


class Tile(MemoryResource):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.buffer = SmemAllocation("tile", 128 * 64 * 2, alignment=128)  # expect: H3 allocation bytes=16384 alignment=128
        self.flag = SmemAllocation("flag", dtype=cutlass.Int32)  # expect: H3 allocation bytes=4


def create_tile():
    config = PipelineConfig.create_tma_umma_pipeline_cfg(num_stages=3, num_bytes=16384)  # expect: D2 pipeline class=PipelineTmaUmma stages=3
    return Tile(pipeline_config=config, name="Tile")


def create_load_task(tile):
    @schedule
    def load_schedule(smem):
        smem.try_acquire()  # expect: D2 pipeline-peek
        smem.acquire()  # expect: D2 acquire pipeline=config class=PipelineTmaUmma
        smem.commit()  # expect: D2 commit pipeline=config

    return Task(
        warp_idx=4,
        num_warps=1,
        schedule=load_schedule(tile),
        num_registers=40,  # expect: D1 register-budget registers=40 action=change
        name="LoadTask",
    )


def create_store_task(tile):
    @schedule
    def store_schedule(smem):
        smem.wait()  # expect: D2 wait pipeline=config class=PipelineTmaUmma
        smem.release()  # expect: D2 release pipeline=config

    return Task(warp_idx=0, num_warps=4, schedule=store_schedule(tile), name="StoreTask")  # expect: D1 role warps=(0,1,2,3) warp_count=4 threads=128


@cute.kernel
def kernel():
    tile = create_tile()
    create_load_task(tile)
    create_store_task(tile)
