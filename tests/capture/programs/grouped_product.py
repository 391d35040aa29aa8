"""Products of a group, d[g] = a[g] · b[g]ᵀ, of which the kernel is given the addresses alone: one table for each operand, and the sizes."""
import argparse

import cutlass
import cutlass.cute as cute

THREADS = 128


@cute.kernel
def grouped_product_kernel(a_at: cute.Tensor, b_at: cute.Tensor, d_at: cute.Tensor, sizes: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, group = cute.arch.block_idx()
    n, k = sizes[group, 1], sizes[group, 2]
    count = sizes[group, 0] * n
    element = block * THREADS + thread
    if element < count:
        a = cute.make_tensor(cute.make_ptr(cutlass.Float32, a_at[group], cute.AddressSpace.gmem, assumed_align=4), cute.make_layout(sizes[group, 0] * k))
        b = cute.make_tensor(cute.make_ptr(cutlass.Float32, b_at[group], cute.AddressSpace.gmem, assumed_align=4), cute.make_layout(n * k))
        d = cute.make_tensor(cute.make_ptr(cutlass.Float32, d_at[group], cute.AddressSpace.gmem, assumed_align=4), cute.make_layout(count))
        row, column = element // n, element % n
        total = cutlass.Float32(0)
        for i in cutlass.range(k):
            total += a[row * k + i] * b[column * k + i]
        d[element] = total


@cute.jit
def grouped_product(a_at: cute.Tensor, b_at: cute.Tensor, d_at: cute.Tensor, sizes: cute.Tensor, blocks: cutlass.Int32):
    grouped_product_kernel(a_at, b_at, d_at, sizes).launch(grid=(blocks, 1, cute.size(a_at)), block=(THREADS, 1, 1))


def tuples(text):
    return tuple(tuple(int(n) for n in part.split(",")) for part in text.strip("()").split("),("))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--groups", type=int, default=2)
    parser.add_argument("--sizes", type=tuples, default=((48, 24, 16), (5, 7, 9)), help="m, n, k of each product")
    options = parser.parse_args()
    if len(options.sizes) != options.groups:
        parser.error("--sizes wants --groups tuples")
    import torch
    from cutlass.cute.runtime import from_dlpack

    matrices = [[torch.randn(rows, columns, device="cuda", dtype=torch.float32) for rows, columns in ((m, k), (n, k), (m, n))]
                for m, n, k in options.sizes]
    tables = [torch.tensor([group[i].data_ptr() for group in matrices], dtype=torch.int64, device="cuda") for i in range(3)]
    sizes = torch.tensor(options.sizes, dtype=torch.int32, device="cuda")
    blocks = max(-(-m * n // THREADS) for m, n, _ in options.sizes)
    arguments = (*(from_dlpack(table) for table in tables), from_dlpack(sizes), blocks)
    cute.compile(grouped_product, *arguments)(*arguments)
    torch.cuda.synchronize()
    for a, b, d in matrices:
        torch.testing.assert_close(d, a @ b.t())


if __name__ == "__main__":
    main()
