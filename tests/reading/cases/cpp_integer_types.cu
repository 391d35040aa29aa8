// Integers have types: they wrap, compare and promote as the language says.
namespace numbers {
constexpr unsigned char narrow = 300;
constexpr bool flag = 7;
constexpr unsigned most = -1;
using Small = short;
constexpr Small low = 65537;
constexpr float real = 3;
enum Plain { A = 3, B, C = 10, D };
enum class Scoped : unsigned char { X = 2, Y };

__global__ void kernel() {}

void launch() {
  kernel<<<narrow, flag, most>>>();                         // expect: H2 launch grid=44 block=1 smem_bytes=4294967295
  kernel<<<1u - 2u > 0 ? 4 : 8, -1 < 1u ? 4 : 8, low>>>();  // expect: H2 launch grid=4 block=8 smem_bytes=1
  kernel<<<int(3u - 4u) + 2, ~0u >> 31, unsigned(-1) / 2>>>();  // expect: H2 launch grid=1 block=1 smem_bytes=2147483647
  kernel<<<B, D, (int)Scoped::Y>>>();                       // expect: H2 launch grid=4 block=11 smem_bytes=3
  kernel<<<sizeof(Scoped), static_cast<unsigned char>(511), 7 & ~2>>>();  // expect: H2 launch grid=1 block=255 smem_bytes=5
  kernel<<<real / 2, 2147483647 + 1, 0x80000000>>>();       // expect: H2 launch grid=? block=? smem_bytes=2147483648
}
}  // namespace numbers
