import cutlass.cute as cute
import cutlass.pipeline as pipeline


@cute.kernel
def kernel(x):
    named = pipeline.NamedBarrier(barrier_id=1, num_threads=128)  # expect: D5 barrier
    named.arrive_and_wait()  # expect: D5 barrier
    order = pipeline.PipelineOrder.create(depth=1, length=2)  # expect: D2 pipeline class=PipelineOrder
    order.wait()  # expect: D5 barrier
    order.arrive()  # expect: D5 barrier
    cute.arch.fence_proxy("async.shared", space="cta")  # expect: D5 fence
    cute.arch.mbarrier_init_fence()  # expect: D5 fence
    cute.arch.cluster_arrive()  # expect: D5 barrier
    cute.arch.cluster_wait()  # expect: D5 barrier
    cute.arch.griddepcontrol_wait()  # expect: D5 dependent-launch
