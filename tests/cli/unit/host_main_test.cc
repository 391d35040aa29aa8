// Programs in CUDA C++ as `cutelab import` follows them: our own small ones.
#include "cli/host_main.h"

#include <gtest/gtest.h>

#include "cli/host_exports.h"
#include "cli/host_unit.h"
#include "kernel/record_launches.h"

namespace cutelab::cli {
namespace {

/// A product behind a BLAS-like function, its problem on the command line.
const char* const product = R"(
#include <thrust/device_vector.h>
namespace mine {
template <class TA, class TC>
void product(char transA, int m, int k, float alpha, TA const* A, int ldA, float beta, TC* C, int ldC,
             cudaStream_t stream = 0) {
  if (transA == 'N') kernel<<<1, 32, 0, stream>>>(A, C);
}
}
int main(int argc, char** argv) {
  cudaDeviceProp props;
  if (props.major < 8) { return 0; }
  int m = 512;
  if (argc >= 2)
    sscanf(argv[1], "%d", &m);
  int k = argc > 2 ? atoi(argv[2]) : 64;
  char transA = 'N';
  if (argc >= 4) sscanf(argv[3], "%c", &transA);
  using TA = cute::half_t;
  using TI = float;
  TI alpha = 1.0;  // the sum as it is
  TI beta = static_cast<TI>(BETA);
  thrust::host_vector<TA> h_A(m*k);
  thrust::device_vector<TA> d_A = h_A;
  thrust::device_vector<float> d_C(m * k);
  for (int i = 0; i < m; ++i) h_A[i] = TA(i);
  int ldA = 0;
  if (transA == 'N') { ldA = m; } else if (transA == 'T') ldA = k; else { assert(false); }
#if defined(SOMETHING)
  mine::product(transA, m, k, alpha, d_A.data().get(), ldA, beta, thrust::raw_pointer_cast(d_C.data()), m);
#else
  return 1;
#endif
}
)";

std::string with_beta(const char* beta) {
  std::string text = product;
  return text.replace(text.find("BETA"), 4, beta);
}

kernel::ExportedCall exported(const std::string& text, const std::vector<std::string>& flags = {}) {
  auto host = read_host_call("a.cu", text, flags);
  EXPECT_TRUE(host) << (host ? "" : host.error().wrong);
  auto call = host ? exported_host_call("a.cu", *host) : Result<kernel::ExportedCall>(host.error());
  return call ? *call : kernel::ExportedCall();
}

std::string refusal(const std::string& text, const std::vector<std::string>& flags = {}) {
  auto host = read_host_call("a.cu", text, flags);
  if (!host) return host.error().wrong;
  auto call = exported_host_call("a.cu", *host);
  return call ? "" : call.error().wrong;
}

TEST(HostMain, WhatIsChangedInPlaceIsNotKnown) {
  for (const char* change :
       {"m += 4;", "m++;", "--m;", "while (m < 600) m *= 2;", "for (; m < 600; ++m) {}"}) {
    std::string text = with_beta("0.0f");
    const std::string before = "  int ldA = 0;";
    text.insert(text.find(before), std::string("  ") + change + "\n");
    EXPECT_NE(refusal(text), "") << change;
  }
}

TEST(HostMain, TheBranchOfThePreprocessorThatIsTakenIsTold) {
  auto host = read_host_call("a.cu", with_beta("0.0f"), {});
  ASSERT_TRUE(host);
  std::string told;
  for (const std::string& line : host->skipped) told += line + "\n";
  EXPECT_NE(told.find("the first branch of `#if defined(SOMETHING)`"), std::string::npos) << told;
  const auto call = exported_host_call("a.cu", *host);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->notes, host->skipped) << "from where the package's README takes it";
}

TEST(HostMain, FollowsExtentsLeadingDimensionsAndTheCommandLine) {
  const auto call = exported(with_beta("0.0f"));
  ASSERT_EQ(call.tensors.size(), 2u);
  EXPECT_EQ(call.tensors[0].name, "A");
  EXPECT_EQ(call.tensors[0].dtype, "Float16");
  EXPECT_EQ(call.tensors[0].shape, (std::vector<std::int64_t>{512, 64}));
  EXPECT_EQ(call.tensors[0].stride, (std::vector<std::int64_t>{1, 512}));
  EXPECT_TRUE(call.tensors[0].read && !call.tensors[0].written);
  EXPECT_TRUE(!call.tensors[1].read && call.tensors[1].written);
  ASSERT_EQ(call.flags.size(), 3u);
  EXPECT_EQ(call.flags[1].destination, "k");
  EXPECT_EQ(call.flags[1].value, "64");
  EXPECT_EQ(call.flags[2].choices, (std::vector<std::string>{"N", "T"}));
  EXPECT_EQ(call.number("alpha"), 1.0);
}

TEST(HostMain, TurnsAMatrixThatIsPassedTransposed) {
  const auto call = exported(with_beta("0.0f"), {"argv[1]=256", "argv[2]=128", "argv[3]=T"});
  ASSERT_EQ(call.tensors.size(), 2u);
  EXPECT_EQ(call.tensors[0].shape, (std::vector<std::int64_t>{256, 128}));
  EXPECT_EQ(call.tensors[0].stride, (std::vector<std::int64_t>{128, 1}));
}

TEST(HostMain, AResultThatIsAddedToIsUndetermined) {
  EXPECT_TRUE(exported(with_beta("0.0f")).undetermined.empty());
  const auto call = exported(with_beta("0.5f"));
  ASSERT_EQ(call.undetermined.size(), 1u);
  EXPECT_EQ(call.undetermined[0], "what C holds before the call takes part: no reference has it");
}

TEST(HostMain, SaysWhyItCannotBeFollowed) {
  EXPECT_EQ(refusal("void f() {}"), "it has no main");
  EXPECT_EQ(refusal("int main() { return 0; }"),
            "main calls no function of the file with memory on the device that could be followed");
  EXPECT_EQ(refusal("int main() { thrust::device_vector<float> d(8); kern<<<1, 2>>>(d.data().get()); }"),
            "main launches kern itself (line 1); a host function that launches is wanted");
  EXPECT_EQ(refusal(with_beta("0.0f"), {"argv[3]=X"}), "main refuses it: assert(false)");
  EXPECT_EQ(refusal(with_beta("0.0f"), {"argv[9]=1"}), "main reads no argv[9]");
  EXPECT_EQ(refusal(with_beta("0.0f"), {"--m=1"}), "'--m=1' is no argument of it");
  EXPECT_EQ(refusal("void f(float* x, int n) {} int main() { float* x; cudaMalloc(&x, 4 * sizeof(float)); "
                    "f(x, secret()); }"),
            "the value of argument n of f is not to be told from main: it gives `secret()`");
  EXPECT_EQ(
      refusal(
          "void f(float* x) {} int main() { thrust::device_vector<float> d(many()); f(d.data().get()); }"),
      "the number of elements of argument x of f is not to be told from main: it gives `d.data().get()`");
}

TEST(HostMain, BrokenTextIsNoCrash) {
  const std::string whole = with_beta("0.0f");
  for (std::size_t length = 0; length < whole.size(); length += 7) (void)refusal(whole.substr(0, length));
  (void)refusal("int main() { int a = " + std::string(5000, '(') + "1; }");
}

TEST(HostUnit, IncludesTheProgramByPathAndCastsToItsTypes) {
  auto host = read_host_call("a.cu", with_beta("0.0f"), {});
  ASSERT_TRUE(host);
  auto unit = host_unit("/tmp/über dir/a.cu", *host);
  ASSERT_TRUE(unit);
  EXPECT_NE(unit->find("#define main cutelab_program_main\n#include \"/tmp/über dir/a.cu\"\n"),
            std::string::npos);
  EXPECT_NE(unit->find("::mine::product(static_cast<char>("), std::string::npos);
  EXPECT_NE(unit->find("*static_cast<cute::half_t* const*>(at["), std::string::npos);
  EXPECT_NE(unit->find("stream);"), std::string::npos);
  EXPECT_FALSE(host_unit("/tmp/a\"b.cu", *host));
}

TEST(HostUnit, LayoutsKeepWhatIsFixedInThem) {
  const auto host = read_host_call("a.cu", R"(
    template <class T, class L> void f(T* x, L layout) {}
    int main() {
      int rows = 8, columns = 4;
      auto layout = cute::make_layout(make_shape(rows, columns), make_stride(columns, Int<1>{}));
      thrust::device_vector<float> d(rows * columns);
      f(d.data().get(), layout);
    })",
                                   {});
  ASSERT_TRUE(host);
  auto call = exported_host_call("a.cu", *host);
  auto unit = host_unit("/a.cu", *host);
  ASSERT_TRUE(call && unit);
  EXPECT_EQ(call->tensors[0].stride, (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(call->arguments.size(), 4u);  // the pointer, two extents and the stride that is not fixed
  EXPECT_NE(unit->find("cute::Int<1>{}"), std::string::npos);
}

TEST(HostExports, AccumulatorsByTheNameOfTheKernel) {
  EXPECT_EQ(accumulator_bits("_Z4gemmN4SM904GMMA25MMA_64x64x16_F16F16F16_SSILi1EE"), 10);
  EXPECT_EQ(accumulator_bits("_Z4gemmN4SM904GMMA25MMA_64x64x16_F32F16F16_SSILi1EE"), 0);
  EXPECT_EQ(accumulator_bits("_Z4gemmN4cute12UniversalFMAIN7cutlass6half_tES3_S3_EE"), 10);
  EXPECT_EQ(accumulator_bits("_Z4gemmN4cute12UniversalFMAIfffEE"), 0);
  EXPECT_EQ(cpp_target("MMA_Atom<SM100_MMA_F16BF16_SS<T>> a;"), "sm_100a");
  EXPECT_EQ(cpp_target("// SM100 is another\nSM80_CP_ASYNC<T> a;"), "sm_90a");
}

TEST(RecordedLaunches, AreTakenFromBehindTheProgramsOwnWords) {
  const auto launches =
      kernel::launches_from("Grid launched: 1\nlaunches:\n_Z1k 4 5 1 128 1 1 2 1 1 98432\n");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].symbol, "_Z1k");
  EXPECT_EQ(launches[0].grid, (std::array<unsigned, 3>{4, 5, 1}));
  EXPECT_EQ(launches[0].cluster[0], 2u);
  EXPECT_EQ(launches[0].dynamic_smem_bytes, 98432u);
  EXPECT_TRUE(kernel::launches_from("nothing of the kind").empty());
}

TEST(RecordedLaunches, ACallComesBackFromItsText) {
  auto call = exported(with_beta("0.0f"));
  call.launches = kernel::launches_from("launches:\n_Z1k 4 5 1 128 1 1 2 1 1 98432\n");
  call.launches[0].preferred_cluster = {2, 4, 1};
  call.device_code = "kernel.cubin";
  call.notes = {"the first branch"};
  const auto back = kernel::exported_call_from_json(kernel::to_json(call));
  ASSERT_TRUE(back);
  EXPECT_EQ(kernel::to_json(*back), kernel::to_json(call));
  EXPECT_TRUE(back->exported() && back->has_door());
  EXPECT_EQ(back->launches[0].cluster[0], 2u);
  EXPECT_EQ(back->launches[0].preferred_cluster[1], 4u);
}

}  // namespace
}  // namespace cutelab::cli
