# A module's name that a function sets through globals(): the compiler gives the barrier 160 threads, the first
# value that the module binds is 0.
import cutlass.cute as cute
import cutlass.pipeline as pipeline

barrier_threads = 0
barrier_id = 0
scheduler_stages = 1
mode = "first"


def refresh():
    globals()["barrier_threads"] = 32 * (1 + 4)
    globals().update(barrier_id=globals()["barrier_threads"] // 80)


def choose():
    global mode, scheduler_stages
    mode = "second"
    scheduler_stages = 3


refresh()
choose()


@cute.kernel
def kernel(x):
    named = pipeline.NamedBarrier(barrier_id=barrier_id, num_threads=barrier_threads)  # expect: D5 barrier id=2 threads=160
    cute.arch.barrier(barrier_id=barrier_id, number_of_threads=barrier_threads)  # expect: D5 barrier id=2 threads=160


@cute.jit
def run(x):
    kernel(x).launch(grid=[scheduler_stages, 1, 1], block=[barrier_threads, 1, 1])  # expect: H2 launch grid=(3,1,1) threads=160


if __name__ == "__main__":
    run(None)
