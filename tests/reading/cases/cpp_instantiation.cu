// Template parameters are what the file itself instantiates them with.
using namespace cute;

template <class T, class L>
struct TileStorage {                      // expect: H3 storage bytes=8192
  cute::ArrayEngine<T, cosize_v<L>> tile;  // expect: H3 storage-member bytes=8192 offset=0
};

template <class T, class L, class Mma>
__global__ __launch_bounds__(decltype(size(Mma{}))::value) void copy_tile(T const* in, L layout, Mma mma) {  // expect: H4 launch-keyword max_threads=128
  extern __shared__ char raw[];
}

template <class T>
void run(T const* in, char mode, int m) {
  auto tile = make_layout(make_shape(Int<64>{}, Int<64>{}));
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  int bytes = sizeof(TileStorage<T, decltype(tile)>);
  if (mode == 'T') {
    copy_tile<T, decltype(tile), decltype(mma)><<<ceil_div(m, 64), size(mma), bytes>>>(in, tile, mma);  // expect: H2 launch grid=8 threads=128 smem_bytes=8192
  } else {
    auto wide = make_layout(make_shape(Int<128>{}, Int<64>{}));
    copy_tile<T, decltype(wide), decltype(mma)><<<1, 128, 0>>>(in, wide, mma);
  }
}

int main(int argc, char** argv) {
  int m = 512;
  if (argc >= 2) sscanf(argv[1], "%d", &m);
  thrust::device_vector<cutlass::half_t> data(m);
  run(data.data().get(), 'T', m);
}
