"""A kernel of our own that launches with torch tensors: the capture's own test program. `--n`: elements; `--torch_free`: no torch."""
import argparse

import cutlass
import cutlass.cute as cute

@cute.kernel
def scale_kernel(source: cute.Tensor, target: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    size, _, _ = cute.arch.block_dim()
    element = source[block * size + thread]
    target[block * size + thread] = element + element


@cute.jit
def scale(source: cute.Tensor, target: cute.Tensor, threads: cutlass.Constexpr):
    scale_kernel(source, target).launch(grid=(cute.ceil_div(cute.size(source), threads), 1, 1), block=(threads, 1, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=4096)
    options = parser.parse_args()
    import torch
    from cutlass.cute.runtime import from_dlpack

    source = torch.randn(options.n, device="cuda", dtype=torch.float16)
    target = torch.empty_like(source)
    scale(from_dlpack(source), from_dlpack(target), 128)
    torch.cuda.synchronize()
    torch.testing.assert_close(target, source * 2)


if __name__ == "__main__":
    main()
