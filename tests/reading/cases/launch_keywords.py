import cutlass.cute as cute


class Kernel:
    def __init__(self, occupancy: int = 2):
        self.warps = (0, 1, 2, 3)
        self.threads = 32 * len((*self.warps, 4, 5))
        self.cluster = (2, 1)
        self.occupancy = occupancy

    @cute.jit
    def __call__(self, a, stream):
        self.kernel(a).launch(  # expect: H2 launch threads=192 cluster=(2,1,1)
            grid=(8, 4, 1),  # expect: H2 grid grid=(8,4,1)
            block=[self.threads, 1, 1],  # expect: H2 block block=(192,1,1)
            cluster=(*self.cluster, 1),  # expect: H2 cluster cluster=(2,1,1)
            min_blocks_per_mp=self.occupancy,  # expect: H4 launch-keyword min_blocks_per_mp=2
            use_pdl=True,  # expect: H4 launch-keyword use_pdl=true
            stream=stream,  # expect: H4 launch-keyword
        )

    @cute.kernel
    def kernel(self, a):
        cute.arch.griddepcontrol_wait()
        pass


kernel = Kernel()
