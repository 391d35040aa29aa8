// A product of matrices as the reference operators take it.
#include "kernel/device_operators.h"

#include <algorithm>

#include "calls.h"

namespace {
namespace ops = cutelab_reference;
using cutelab::kernel::Addresses;
using cutelab::kernel::DeviceMatrix;
using cutelab::kernel::DeviceProduct;

ops::Operand operand_of(const DeviceMatrix& matrix, const Addresses& at) {
  ops::Operand o{};
  o.data = ops::address_of(at.at(matrix.tensor));
  o.dtype = static_cast<int>(matrix.dtype);
  std::copy(matrix.stride.begin(), matrix.stride.end(), o.strides);
  return o;
}

/// One scale for the whole operand.
void take_scale(ops::Operand& o, const DeviceMatrix& scale, long long extent, const Addresses& at) {
  ops::scale_operand(o, ops::address_of(at.at(scale.tensor)), scale.dtype, 1, 1, extent, extent);
  o.scale_strides[0] = o.scale_strides[1] = 0;
}

ops::Call call_of(const DeviceProduct& product, const Addresses& in, const Addresses& out) {
  ops::Call call{};
  call.op = ops::Call::gemm_op;
  ops::Gemm& g = call.gemm;
  g.a = operand_of(product.a, in);
  g.b = operand_of(product.b, in);
  if (product.c) g.c = operand_of(*product.c, in);
  const long long extent = std::max({product.m, product.n, product.k, std::int64_t{1}});
  for (std::size_t i = 0; i < product.scales.size(); ++i)
    take_scale(i == 0 ? g.a : g.b, product.scales[i], extent, in);
  g.out = reinterpret_cast<float*>(out.at(product.d.tensor));
  std::copy(product.d.stride.begin(), product.d.stride.end(), g.out_strides);
  g.m = product.m, g.n = product.n, g.k = product.k, g.batch = product.batch;
  g.alpha = product.alpha, g.beta = product.beta;
  g.activation = product.activation;
  return call;
}

}  // namespace

std::vector<std::byte> cutelab::kernel::device_arguments(const std::vector<DeviceProduct>& products,
                                                         const Addresses& inputs, const Addresses& outputs) {
  std::vector<std::byte> all;
  for (const DeviceProduct& product : products) {
    const auto one = ops::bytes_of(call_of(product, inputs, outputs));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}
