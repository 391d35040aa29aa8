// Shared-memory layouts of a tcgen05 kernel: what the instruction, the CTA pair and the tile make of them.
using namespace cute;
using Half = cutlass::half_t;

template <class LayoutA, class LayoutB>
struct SharedStorage {  // expect: H3 storage bytes=32896
  alignas(128) cute::ArrayEngine<Half, cosize_v<LayoutA>> A;  // expect: H3 storage-member bytes=16384
  alignas(128) cute::ArrayEngine<Half, cosize_v<LayoutB>> B;  // expect: H3 storage-member bytes=16384
  alignas(16) cute::uint64_t barrier;
  alignas(16) cute::uint32_t tmem_pointer;
};

template <class Storage>
__global__ void kernel(float* out) {}

void host() {
  TiledMMA mma = make_tiled_mma(SM100_MMA_F16BF16_2x1SM_SS<Half, Half, float, 256, 256, UMMA::Major::K, UMMA::Major::K>{});
  auto bM = tile_size<0>(mma);
  auto bN = tile_size<1>(mma);
  auto bK = tile_size<2>(mma) * Int<4>{};
  auto tiler = make_shape(bM, bN, bK);
  auto shape_a = partition_shape_A(mma, make_shape(size<0>(tiler), size<2>(tiler)));
  auto shape_b = partition_shape_B(mma, make_shape(size<1>(tiler), size<2>(tiler)));
  auto sA = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<Half>{}, shape_a);  // expect: D6 shared-layout layout=Sw<3,4,3>o0o((128,16),1,4):((64,1),0,16)
  auto sB = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<Half>{}, shape_b);
  using Storage = SharedStorage<decltype(sA), decltype(sB)>;
  auto cluster_shape = make_shape(Int<4>{}, Int<4>{}, Int<1>{});
  Layout cluster_vmnk = tiled_divide(make_layout(cluster_shape), make_tile(typename decltype(mma)::AtomThrID{}));
  int m = 512, n = 1024;
  dim3 dimCluster(size<0>(cluster_shape), size<1>(cluster_shape), size<2>(cluster_shape));  // expect: H2 cluster cluster=(4,4,1)
  dim3 dimGrid(size(ceil_div(m, bM * size<1>(cluster_vmnk))) * dimCluster.x, size(ceil_div(n, bN * size<2>(cluster_vmnk))) * dimCluster.y);  // expect: H2 grid grid=(4,4,1)
  kernel<Storage><<<dimGrid, 128, sizeof(Storage)>>>(nullptr);  // expect: H2 launch smem_bytes=32896
}
