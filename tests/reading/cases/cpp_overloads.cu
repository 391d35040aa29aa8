// Of two functions of one name the call takes the less general one: the other's launch is left out.
using namespace cute;

template <class Layout>
__global__ void kernel(float* out, Layout layout) {
  __shared__ float tile[cosize_v<Layout>];  // expect: H3 allocation bytes=4124
  Tensor sT = make_tensor(make_smem_ptr(tile), layout);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <class T>
void run(int m, T const* A, float* out) {
  auto s_plain = make_layout(Int<8>{});
  kernel<<<m / 2, 64>>>(out, s_plain);  // expect: H2 launch active=false
}

void run(int m, cute::half_t const* A, float* out) {
  auto sA = make_layout(make_shape(Int<128>{}, Int<8>{}), make_stride(Int<1>{}, Int<129>{}));  // expect: D6 shared-layout layout=(128,8):(1,129)
  kernel<<<m, 128>>>(out, sA);  // expect: H2 launch grid=64 threads=128 static_smem_bytes=4124
}

int main() {
  int m = 64;
  thrust::device_vector<cute::half_t> d_A(m);
  run(m, d_A.data().get(), nullptr);
}
