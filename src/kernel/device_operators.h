#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/operators.h"

namespace cutelab::kernel {

/// A tensor of a product as the operators of kernels/reference read it: (batch, row, column), strides in
/// elements.
struct DeviceMatrix {
  std::string tensor;
  DType dtype = DType::fp32;
  std::array<std::int64_t, 3> stride{};
};

/// d = activation(alpha · scale_a · scale_b · a · bᵀ + beta · c).
struct DeviceProduct {
  DeviceMatrix a, b;
  std::optional<DeviceMatrix> c;
  std::vector<DeviceMatrix> scales;  ///< of one element, at most one for each of a and b
  DeviceMatrix d;                    ///< fp32
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  double alpha = 1, beta = 1;
  int activation = 0;  ///< reference::Activation
};

/// What the operators of kernels/reference are given for these products, one call for each.
using DeviceArguments = std::function<std::vector<std::byte>(
    const std::vector<DeviceProduct>&, const Addresses& inputs, const Addresses& outputs)>;

/// That function, defined beside the operators and linked with the packages, as all_packages().
std::vector<std::byte> device_arguments(const std::vector<DeviceProduct>& products, const Addresses& inputs,
                                        const Addresses& outputs);

/// How the device's operators compute it; nullopt = they do not, or not in this form. Precondition:
/// check_operator.
std::optional<DeviceReference> device_reference_of(const Operator& op, const ExportedCall& call,
                                                   const DeviceArguments& arguments);

/// The same operator on a call of few elements: extents cut down, element types and orders of modes kept.
/// nullopt as above.
std::optional<OperatorProof> operator_proof_of(const Operator& op, const ExportedCall& call,
                                               const DeviceArguments& arguments);

}  // namespace cutelab::kernel
