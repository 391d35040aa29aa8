# with: dsl-sources
from dataclasses import dataclass, field
from typing import Any

import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
from cutlass.experimental.task_scheduling.memory import SmemAllocation, SmemAllocator
from cutlass.experimental.task_scheduling.resources import MemoryResource, PipelineConfig, consumer_work, producer_work
from cutlass.experimental.task_scheduling.schedule_builder import domain_loop, schedule
from cutlass.experimental.task_scheduling.task import Task
from cutlass.experimental.task_scheduling.task_manager import TaskManager

stages = 3
tile = 100


@dataclass
class Tiles(MemoryResource):
    values: Any = field(init=False, default=None)
    _region: cutlass.Constexpr = field(init=False, default=None)

    def __init__(self, dtype, **kwargs):
        super().__init__(**kwargs)
        self._region = SmemAllocation("tiles", dtype=dtype, count=stages * tile, alignment=128)

    def get_smem_requirements(self):
        return [self._region]

    @producer_work
    @cute.jit
    def fill(self, stage_info):
        self.values = stage_info.context.smem_base

    @consumer_work
    @cute.jit
    def drain(self, stage_info):
        return self.values


@dataclass
class Sink(MemoryResource):
    scratch: Any = field(init=False, default=None)


class DrainTask(Task):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)


@cute.kernel
def copy_kernel():
    ring = PipelineConfig.create_tma_async_pipeline_cfg(
        num_stages=stages,
        num_bytes=2 * tile,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    )
    tiles = Tiles(cutlass.Float16, name="tiles", pipeline_config=ring)
    sink = Sink(name="sink")
    early, late = SmemAllocation("early", 64, alignment=16), SmemAllocation("late", 48, alignment=32)

    allocator = SmemAllocator()
    slot = allocator.add_tmem_ptr(SmemAllocation("slot", dtype=cutlass.Int32, alignment=4))
    allocator.add_resource(tiles)
    allocator.add_alias_group([[early], [late]])
    allocator.compute_layout()

    @schedule
    def fill_schedule(tiles):
        with domain_loop(0, 8, 1):
            tiles.acquire()
            tiles.fill()
            tiles.commit()

    @schedule
    def drain_schedule(tiles, sink):
        with domain_loop(0, 8, 1):
            tiles.wait()
            tiles.drain()
            tiles.release()

    fill = Task(src_resources=[], dst_resources=[tiles], warp_idx=0, num_warps=1, schedule=fill_schedule(tiles))
    drain = DrainTask(
        src_resources=[tiles], dst_resources=[sink], warp_idx=1, num_warps=3, schedule=drain_schedule(tiles, sink)
    )
    manager = TaskManager(tasks=[fill, drain], resource_dependency_graph={sink: [tiles]}, smem_allocator=allocator)
    manager.setup_resources_and_tasks()
    manager.smem_allocator.get(slot)
    manager.run()


@cute.kernel
def own_barriers_kernel():
    ring = PipelineConfig.create_async_async_pipeline_cfg(
        num_stages=stages,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    )
    tiles = Tiles(cutlass.Float16, name="tiles", pipeline_config=ring)
    sink = Sink(name="sink")

    @schedule
    def fill_schedule(tiles):
        with domain_loop(0, 8, 1):
            tiles.fill()

    fill = Task([sink], [tiles], 0, 1, schedule=fill_schedule(tiles))
    manager = TaskManager(tasks=[fill], resource_dependency_graph={tiles: [sink]})
    manager.setup_resources_and_tasks()
    manager.run()


@cute.jit
def host():
    # 600 of tiles, the shared phase of 64 from 608, 4 for the slot, then 2 * 3 barriers of 8 bytes from 680
    copy_kernel().launch(grid=[1, 1, 1], block=[128, 1, 1])  # expect: H2 launch smem_bytes=728
    # no allocator: each pipeline takes its own barriers
    own_barriers_kernel().launch(grid=[1, 1, 1], block=[128, 1, 1])  # expect: H2 launch smem_bytes=48


if __name__ == "__main__":
    cute.compile(host)()
