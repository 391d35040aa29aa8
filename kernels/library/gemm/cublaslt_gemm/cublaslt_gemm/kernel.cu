// cuBLASLt behind the C door (launch_abi.h). The library is found with dlopen, so that compiling needs
// neither its headers nor it; the few declarations are its stable C interface (cuBLAS documentation, "Using
// the cuBLASLt API").
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <library_types.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "launch_abi.h"
#include "params.h"

namespace cublaslt_gemm {

constexpr int compute_32f = 68;  // cublasComputeType_t
constexpr int desc_transa = 3;   // cublasLtMatmulDescAttributes_t
constexpr int desc_transb = 4;
constexpr int desc_a_scale = 17;  // device pointers
constexpr int desc_b_scale = 18;
constexpr int desc_fast_sums = 25;
constexpr int layout_batch_count = 5;  // cublasLtMatrixLayoutAttribute_t
constexpr int layout_batch_offset = 6;
constexpr int preference_workspace = 1;  // cublasLtMatmulPreferenceAttributes_t
constexpr std::size_t workspace_bytes = 64u << 20;

// Codes beside cudaError_t, told apart by their size.
constexpr int no_library = 10000;
constexpr int no_such_heuristic = 10001;
constexpr int library_status = 10100;  // plus a cublasStatus_t

struct Algorithm {
  std::uint64_t data[8];
};
struct Proposal {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

struct Library {
  void* handle = nullptr;
  int (*create)(void**) = nullptr;
  int (*desc_create)(void**, int, int) = nullptr;
  int (*desc_set)(void*, int, const void*, std::size_t) = nullptr;
  int (*layout_create)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*layout_set)(void*, int, const void*, std::size_t) = nullptr;
  int (*preference_create)(void**) = nullptr;
  int (*preference_set)(void*, int, const void*, std::size_t) = nullptr;
  int (*heuristics)(void*, void*, void*, void*, void*, void*, void*, int, Proposal*, int*) = nullptr;
  int (*matmul)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*,
                void*, void*, void*, const Algorithm*, void*, std::size_t, cudaStream_t) = nullptr;

  /// 0, or why it cannot be used.
  int open() {
    void* library = nullptr;
    for (const char* name :
         {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
          "/usr/local/cuda/lib64/libcublasLt.so.12"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return no_library;
    bool all = true;
    const auto find = [&](auto& slot, const char* name) {
      void* symbol = dlsym(library, name);
      std::memcpy(&slot, &symbol, sizeof symbol);
      all = all && symbol;
    };
    find(create, "cublasLtCreate");
    find(desc_create, "cublasLtMatmulDescCreate");
    find(desc_set, "cublasLtMatmulDescSetAttribute");
    find(layout_create, "cublasLtMatrixLayoutCreate");
    find(layout_set, "cublasLtMatrixLayoutSetAttribute");
    find(preference_create, "cublasLtMatmulPreferenceCreate");
    find(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    find(heuristics, "cublasLtMatmulAlgoGetHeuristic");
    find(matmul, "cublasLtMatmul");
    if (!all) return no_library;
    if (const int status = create(&handle)) return library_status + status;
    return cudaSuccess;
  }
};

/// One problem as the library sees it: its matrices are column-major, so it computes Dᵀ (n, m) = B · Aᵀ.
struct Problem {
  void* desc = nullptr;
  void* first = nullptr;   // B: (n, k), or (k, n) to be transposed where k is contiguous
  void* second = nullptr;  // A: (k, m), or (m, k) to be transposed where m is contiguous
  void* out = nullptr;     // (n, m), n contiguous
  std::array<Proposal, most_heuristics> proposals{};
  int offered = 0;

  int describe(const Library& lt, const Params& p) {
    const int out_type = p.fp16 ? CUDA_R_16F : CUDA_R_16BF;
    const int type = p.e4m3 ? CUDA_R_8F_E4M3 : out_type;
    const int trans_b = p.b_k_major ? 1 : 0;
    const int trans_a = p.a_k_major ? 0 : 1;
    int bad = lt.desc_create(&desc, compute_32f, CUDA_R_32F);
    if (!bad) bad = lt.desc_set(desc, desc_transa, &trans_b, sizeof trans_b);
    if (!bad) bad = lt.desc_set(desc, desc_transb, &trans_a, sizeof trans_a);
    if (!bad && p.e4m3) bad = scales(lt, p);
    if (!bad) bad = matrix(lt, &first, type, p.b_k_major ? p.k : p.n, p.b_k_major ? p.n : p.k, p.batch);
    if (!bad) bad = matrix(lt, &second, type, p.a_k_major ? p.k : p.m, p.a_k_major ? p.m : p.k, p.batch);
    if (!bad) bad = matrix(lt, &out, out_type, p.n, p.m, p.batch);
    void* preference = nullptr;
    if (!bad) bad = lt.preference_create(&preference);
    if (!bad)
      bad = lt.preference_set(preference, preference_workspace, &workspace_bytes, sizeof workspace_bytes);
    if (!bad)
      bad = lt.heuristics(lt.handle, desc, first, second, out, out, preference, most_heuristics,
                          proposals.data(), &offered);
    return bad;
  }

  /// The library's first operand is B.
  int scales(const Library& lt, const Params& p) const {
    const std::int8_t fast = p.fast_sums ? 1 : 0;
    int bad = lt.desc_set(desc, desc_a_scale, &p.scale_b, sizeof p.scale_b);
    if (!bad) bad = lt.desc_set(desc, desc_b_scale, &p.scale_a, sizeof p.scale_a);
    return bad ? bad : lt.desc_set(desc, desc_fast_sums, &fast, sizeof fast);
  }

  static int matrix(const Library& lt, void** layout, int type, int rows, int columns, int batch) {
    int bad = lt.layout_create(layout, type, static_cast<std::uint64_t>(rows),
                               static_cast<std::uint64_t>(columns), rows);
    const std::int64_t offset = std::int64_t{rows} * columns;
    if (!bad) bad = lt.layout_set(*layout, layout_batch_count, &batch, sizeof batch);
    return bad ? bad : lt.layout_set(*layout, layout_batch_offset, &offset, sizeof offset);
  }
};

/// What stays between launches: the library's handle and what it proposed for each problem, so that a launch
/// costs the host no search; and memory for each stream, since launches on two of them may run at once.
struct State {
  Library lt;
  std::map<cudaStream_t, void*> workspaces;
  std::mutex launching;
  int opened = -1;
  using Key = std::array<int, 9>;
  std::map<Key, Problem> problems;

  int launch(const Params& p, cudaStream_t stream) {
    const std::lock_guard<std::mutex> one(launching);
    if (opened < 0) opened = lt.open();
    if (opened) return opened;
    const Key key = {p.m, p.n, p.k, p.batch, p.fp16, p.a_k_major, p.b_k_major, p.e4m3, p.fast_sums};
    auto known = problems.find(key);
    if (known == problems.end()) {
      Problem problem;
      if (const int bad = problem.describe(lt, p)) return library_status + bad;
      known = problems.emplace(key, problem).first;
    }
    const Problem& problem = known->second;
    if (p.e4m3)  // the scales' places may have changed
      if (const int bad = problem.scales(lt, p)) return library_status + bad;
    if (p.heuristic < 0 || p.heuristic >= problem.offered) return no_such_heuristic;
    const Proposal& proposal = problem.proposals[static_cast<std::size_t>(p.heuristic)];
    void*& workspace = workspaces[stream];
    if (!workspace)
      if (const int bad = cudaMalloc(&workspace, workspace_bytes)) return bad;
    const void* c = p.beta != 0 ? p.c : p.d;
    const int bad =
        lt.matmul(lt.handle, problem.desc, &p.alpha, p.b, problem.first, p.a, problem.second, &p.beta, c,
                  problem.out, p.d, problem.out, &proposal.algorithm, workspace, workspace_bytes, stream);
    return bad ? library_status + bad : cudaSuccess;
  }
};

}  // namespace cublaslt_gemm

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_error_text(int code) {
  using namespace cublaslt_gemm;
  if (code == no_library)
    return "libcublasLt.so.13 or .12 cannot be loaded: install CUDA's libraries, or set LD_LIBRARY_PATH";
  if (code == no_such_heuristic) return "cuBLASLt offers fewer algorithms for this problem";
  if (code >= library_status) return "cuBLASLt refused (the code less 10100 is its cublasStatus_t)";
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  if (!params || params_bytes != sizeof(cublaslt_gemm::Params) || !shape) return cudaErrorInvalidValue;
  static cublaslt_gemm::State state;
  return state.launch(*static_cast<const cublaslt_gemm::Params*>(params), static_cast<cudaStream_t>(stream));
}
