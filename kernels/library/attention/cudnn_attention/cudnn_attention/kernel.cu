// cuDNN's attention through cudnn-frontend, behind the C door (launch_abi.h). Compiling needs the headers of
// both; the library is found with dlopen when it is launched.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace cudnn_attention {
/// The frontend asks for names that only development packages have; the driver's own is libcuda.so.1.
inline void* opened(const char* name, int flags) {
  if (void* library = dlopen(name, flags)) return library;
  return std::strcmp(name, "libcuda.so") == 0 ? dlopen("libcuda.so.1", flags) : nullptr;
}
}  // namespace cudnn_attention

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define dlopen(name, flags) ::cudnn_attention::opened(name, flags)
#include <cudnn_frontend.h>
#undef dlopen

#include "launch_abi.h"
#include "params.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;
}

namespace cudnn_attention {

namespace fe = cudnn_frontend;

// Codes beside cudaError_t, told apart by their size.
constexpr int no_library = 10000;
constexpr int no_such_plan = 10001;
constexpr int library_refused = 10002;

std::string& refusal() {
  static std::string text;
  return text;
}
int refused(std::string text) {
  refusal() = "cuDNN refused: " + std::move(text);
  return library_refused;
}

enum Tensor : std::int64_t { q = 1, k, v, o, lse };

/// One problem: its graph, and the plans that have been built.
struct Problem {
  fe::graph::Graph graph;
  std::array<bool, most_plans> built{};
  std::int64_t offered = 0;
  std::int64_t workspace_bytes = 0;  ///< of the plan that wants most
  /// Of each stream, since launches on two of them may run at once.
  struct Workspace {
    void* memory = nullptr;
    std::int64_t bytes = 0;
  };
  std::map<cudaStream_t, Workspace> workspaces;

  int describe(const Params& p, cudnnHandle_t handle) {
    graph.set_io_data_type(p.fp16 ? fe::DataType_t::HALF : fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    const auto tokens = [&](Tensor uid, std::int64_t heads, std::int64_t count) {
      return fe::graph::Tensor_attributes()
          .set_uid(uid)
          .set_dim({p.batch, heads, count, p.d})
          .set_stride({count * heads * p.d, p.d, heads * p.d, 1});
    };
    auto options = fe::graph::SDPA_attributes().set_name("attention").set_attn_scale(p.scale);
    options.set_generate_stats(p.lse != nullptr);
    if (p.causal && p.queries == p.keys) options.set_causal_mask(true);
    if (p.causal && p.queries != p.keys) options.set_causal_mask_bottom_right(true);
    auto [out, sums] =
        graph.sdpa(graph.tensor(tokens(q, p.heads, p.queries)), graph.tensor(tokens(k, p.heads_kv, p.keys)),
                   graph.tensor(tokens(v, p.heads_kv, p.keys)), options);
    const std::int64_t row = std::int64_t{p.heads} * p.d;
    out->set_output(true).set_uid(o).set_dim({p.batch, p.heads, p.queries, p.d});
    out->set_stride({p.queries * row, p.d, row, 1});
    if (p.lse) sums->set_output(true).set_uid(lse).set_data_type(fe::DataType_t::FLOAT);
    auto status = graph.validate();
    if (status.is_good()) status = graph.build_operation_graph(handle);
    if (status.is_good())
      status = graph.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
    if (!status.is_good()) return refused(status.get_message());
    offered = graph.get_execution_plan_count();
    return cudaSuccess;
  }

  int build(int plan) {
    auto status = graph.build_plan_at_index(plan);
    if (!status.is_good()) return refused(status.get_message());
    workspace_bytes = std::max(workspace_bytes, std::int64_t{graph.get_workspace_size_plan_at_index(plan)});
    built[plan] = true;
    return cudaSuccess;
  }

  cudaError_t hold(Workspace& workspace) const {
    if (workspace_bytes <= workspace.bytes) return cudaSuccess;
    cudaFree(workspace.memory);
    workspace = {};
    const cudaError_t error = cudaMalloc(&workspace.memory, workspace_bytes);
    if (error == cudaSuccess) workspace.bytes = workspace_bytes;
    return error;
  }
};

/// What stays between launches: the library's handle, graphs and built plans, so that a launch costs the host
/// no search.
struct State {
  cudnnHandle_t handle = nullptr;
  int opened = -1;
  using Key = std::array<int, 9>;
  std::map<Key, std::unique_ptr<Problem>> problems;
  std::mutex launching;

  int open() {
    for (const char* name : {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9"})
      if (!fe::cudnn_dlhandle) fe::cudnn_dlhandle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!fe::cudnn_dlhandle) return no_library;
    if (fe::detail::create_handle(&handle) != CUDNN_STATUS_SUCCESS) return refused("no handle");
    return cudaSuccess;
  }

  int launch(const Params& p, cudaStream_t stream) {
    const std::lock_guard<std::mutex> one(launching);
    if (opened < 0) opened = open();
    if (opened) return opened;
    const Key key = {p.batch, p.heads,  p.heads_kv, p.queries,       p.keys,
                     p.d,     p.causal, p.fp16,     p.lse != nullptr};
    auto& problem = problems[key];
    if (!problem) {
      auto described = std::make_unique<Problem>();
      if (const int bad = described->describe(p, handle)) return bad;
      problem = std::move(described);
    }
    if (p.plan < 0 || p.plan >= most_plans || p.plan >= problem->offered) return no_such_plan;
    if (!problem->built[p.plan])
      if (const int bad = problem->build(p.plan)) return bad;
    auto& workspace = problem->workspaces[stream];
    if (const cudaError_t error = problem->hold(workspace)) return error;
    if (fe::detail::set_stream(handle, stream) != CUDNN_STATUS_SUCCESS) return refused("the stream");
    std::unordered_map<std::int64_t, void*> at = {
        {q, const_cast<void*>(p.q)}, {k, const_cast<void*>(p.k)}, {v, const_cast<void*>(p.v)}, {o, p.o}};
    if (p.lse) at[lse] = p.lse;
    auto status = problem->graph.execute_plan_at_index(handle, at, workspace.memory, p.plan);
    return status.is_good() ? cudaSuccess : refused(status.get_message());
  }
};

}  // namespace cudnn_attention

extern "C" int cutelab_abi_version() { return CUTELAB_ABI_VERSION; }

extern "C" const char* cutelab_libraries() { return "libcudart.so.13\nlibcudnn.so.9"; }

extern "C" const char* cutelab_error_text(int code) {
  using namespace cudnn_attention;
  if (code == no_library)
    return "libcudnn.so.9 cannot be loaded: `cutelab setup cudnn`, or set LD_LIBRARY_PATH to where it is";
  if (code == no_such_plan) return "cuDNN offers fewer execution plans for this problem";
  if (code == library_refused) return refusal().c_str();
  return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int cutelab_launch(const void* params, unsigned long long params_bytes,
                              const cutelab_launch_shape* shape, void* stream) {
  using namespace cudnn_attention;
  if (!params || params_bytes != sizeof(Params) || !shape) return cudaErrorInvalidValue;
  static State* state = new State;  // never destroyed: the library may be gone by then
  try {
    return state->launch(*static_cast<const Params*>(params), static_cast<cudaStream_t>(stream));
  } catch (const std::exception& error) {
    return refused(error.what());
  }
}
