#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "kernel/error_report.h"
#include "kernel/parameters.h"
#include "kernel/tensor.h"
#include "kernel/tile_program.h"

namespace cutelab::kernel {

/// Named host tensors; order is the kernel's own.
struct TensorSet {
  std::vector<Tensor> tensors;
  const Tensor* find(const std::string& name) const;
};
using Inputs = TensorSet;
using Outputs = TensorSet;

/// One way to solve a problem: compile-time numbers by name. Rejected ones keep the reason and are never
/// launched.
struct Config {
  std::map<std::string, std::int64_t> values;
  std::string rejected_because;  ///< empty = legal
  bool legal() const { return rejected_because.empty(); }
  std::int64_t value(const std::string& name) const { return values.at(name); }
  std::string text() const;  ///< "ctas_per_sm=4 elements_per_thread=32 …"
};

/// What the algorithm must do, whatever the kernel: the roofline's two numbers.
struct Work {
  std::map<std::string, double> flops;  ///< by unit: "fp32", "bf16-tensor", …
  Bytes compulsory;                     ///< each input read once, each output written once
  std::string formula;                  ///< "2·b·h·2 + h·2"
};

/// How a kernel is launched, as the plan expects it.
struct LaunchShape {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  std::array<unsigned, 3> cluster = {1, 1, 1};
  unsigned dynamic_smem_bytes = 0;
  std::string text() const;  ///< "grid 396×1×1, block 256×1×1, cluster 1×1×1, 0 B dynamic shared memory"
};

/// Device addresses of the tensors by name.
using Addresses = std::map<std::string, unsigned long long>;

/// A word of a tensor that holds the address of another one.
struct AddressWord {
  std::string tensor;
  std::size_t at = 0;  ///< byte in its content
  unsigned long long address = 0;
};

/// A launchable: what to compile, how to launch it, and its arguments once the tensors have addresses.
struct CuteKernel {
  std::vector<std::string>
      defines;  ///< "RMSNORM_PREFETCH=1"; with the package's sources they fix the compiled code
  std::string exported_folder;                 ///< of an imported kernel: its object and what belongs to it
  std::optional<TileProgram> tile;             ///< of a cuTile kernel: what of kernel.py is compiled
  std::vector<std::string> remarks;            ///< what has to be said of it with every result
  std::string device_function;                 ///< part of the mangled name of the kernel that does the work
  std::function<LaunchShape(int sms)> launch;  ///< for a device of that many multiprocessors
  std::function<std::vector<std::byte>(const Addresses&)> arguments;  ///< the package's Params, by value
  /// What has to be written into inputs once all tensors have addresses; null: nothing.
  std::function<std::vector<AddressWord>(const Addresses&)> address_words;
};

/// How the operators of kernels/reference compute a plan's reference on a GPU.
struct DeviceReference {
  double operations = 0;  ///< multiply-adds or elements read: what decides whether the host is fast enough
  Inputs inputs;          ///< of its own beside the kernel's: lengths, tables
  Outputs outputs;        ///< fp32, named as the kernel's
  /// The operators' argument, one or several calls of them. `inputs` holds the kernel's inputs and its own,
  /// `outputs` its own.
  std::function<std::vector<std::byte>(const Addresses& inputs, const Addresses& outputs)> arguments;
};

/// A small problem of the same kind, on which the device's operators are held against the host's.
struct OperatorProof {
  std::string problem;
  Inputs inputs;
  DeviceReference device;
  Outputs expected;
};

/// One kernel version. Free of CUDA: everything here runs on a machine without a GPU and is printable.
class KernelPlan {
 public:
  virtual ~KernelPlan() = default;
  virtual std::vector<ParameterSpec> parameters() const = 0;
  /// Legality across parameters (a combination that no configuration can run). Errors: kind usage.
  virtual Status check(const Params& params) const = 0;
  virtual Inputs prepare_inputs(const Params& params, Fill fill, Seed seed) const = 0;
  /// Output tensors of the right shape and type, all NaN.
  virtual Outputs prepare_outputs(const Params& params) const = 0;
  /// In double precision, stored as fp32 or wider than the output's type.
  virtual Outputs reference_fn(const Params& params, const Inputs& inputs) const = 0;
  /// The same by the operators of kernels/reference; nullopt = they do not know it.
  virtual std::optional<DeviceReference> device_reference(const Params&) const { return std::nullopt; }
  /// For plans whose ragged problems are not sure to be small; nullopt = it is proven on one of those.
  virtual std::optional<OperatorProof> operator_proof(const Params&) const { return std::nullopt; }
  virtual Tolerance tolerance(const Params& params) const = 0;
  /// Of one output, where they are held to different ones.
  virtual Tolerance tolerance_of(const Params& params, const std::string&) const { return tolerance(params); }
  /// Candidates in the order of preference, legal ones first; rejected ones carry their reason.
  virtual std::vector<Config> autotune_configs(const Params& params) const = 0;
  virtual Work algorithmic_flops_bytes(const Params& params) const = 0;
  /// Small problems that code compiled for `config` must solve too: ragged extents, one row, one more than a
  /// tile.
  virtual std::vector<Params> ragged_params(const Params& params, const Config& config) const = 0;
  /// Errors (kind usage): the configuration is not legal for these parameters.
  virtual Result<CuteKernel> plan(const Params& params, const Config& config) const = 0;
  /// Why it can be compiled but must not be run: what an import left undetermined. Empty = it can.
  virtual std::string cannot_run_because() const { return ""; }
};

}  // namespace cutelab::kernel
