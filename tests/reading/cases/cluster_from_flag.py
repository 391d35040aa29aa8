# A flag can give a cluster of several CTAs; the default is one.
# expect-pattern: P7 present inactive
import argparse

import cutlass.cute as cute
from cutlass.pipeline import pipeline_init_arrive, pipeline_init_wait


class Kernel:
    def __init__(self, cluster_shape_mn):
        self.cluster_shape_mn = cluster_shape_mn

    @cute.jit
    def __call__(self, x):
        self.kernel(x).launch(
            grid=[8, 1, 1],
            block=[128, 1, 1],
            cluster=(*self.cluster_shape_mn, 1),  # expect: H2 cluster cluster=(1,1,1)
        )

    @cute.kernel
    def kernel(self, x):
        pipeline_init_arrive(cluster_shape_mn=self.cluster_shape_mn, is_relaxed=True)  # expect: D5 barrier
        pipeline_init_wait(cluster_shape_mn=self.cluster_shape_mn)  # expect: D5 barrier


def run(cluster_shape_mn):
    gemm = Kernel(cluster_shape_mn)
    gemm(None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster_shape_mn", default=(1, 1), help="cluster")  # expect: H2 shape-default default=(1,1)
    args = parser.parse_args()
    run(args.cluster_shape_mn)
