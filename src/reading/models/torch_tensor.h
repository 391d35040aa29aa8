#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "reading/models/arguments.h"

/// A torch tensor (or numpy array): Record "torch" with fields shape, strides (tuples, elements, outermost
/// first), dtype (a torch dtype), device (Record "torch.device"), and values (a flat list in row-major order)
/// where a small tensor's elements are known.
namespace cutelab::reading::machine {

/// Elements in row-major order, or none known.
class Elements {
 public:
  Elements() = default;
  Elements(std::nullopt_t) {}                                             // NOLINT: implicit on purpose
  Elements(std::vector<Value> v) : items_(std::move(v)), known_(true) {}  // NOLINT
  explicit operator bool() const { return known_; }
  std::vector<Value>& operator*() { return items_; }
  const std::vector<Value>& operator*() const { return items_; }
  std::vector<Value>* operator->() { return &items_; }
  const std::vector<Value>* operator->() const { return &items_; }
  void reset() {
    items_.clear();
    known_ = false;
  }

 private:
  std::vector<Value> items_;
  bool known_ = false;
};

struct TorchTensor {
  std::vector<Value> shape;
  std::vector<Value> strides;  ///< empty with a shape of rank > 0 = contiguous
  Value dtype;
  Value device;  ///< unbound = the host
  Elements values;
};

constexpr std::size_t most_torch_values = 4096;

/// nullopt = not a tensor whose shape is known.
std::optional<TorchTensor> torch_tensor_of(Machine& machine, const Value& value);
Value make_torch(Call& call, TorchTensor tensor);
/// The same tensor with other elements.
Value like_torch(Call& call, const TorchTensor& tensor);

std::vector<Value> row_major_strides(Machine& machine, const std::vector<Value>& shape);
/// Strides of a new tensor that keeps the order of a given one's modes (torch's preserve_format).
std::vector<Value> preserved_strides(Machine& machine, const TorchTensor& tensor);
bool is_contiguous(Machine& machine, const TorchTensor& tensor);
/// Mode number from 0; nullopt = not known or out of range.
std::optional<std::size_t> mode_of(const Value& index, std::size_t rank);
Value torch_device(Machine& machine, std::string_view type, std::int64_t index = -1);
/// The dtype and device that a factory's keywords name.
Value dtype_argument(Call& call, std::string_view otherwise);
Value device_argument(Call& call);
/// A tensor whose shape is not known.
Value unknown_torch(Call& call, std::string reason);

void add_torch_views(Natives& natives);
void add_torch_factories(Natives& natives);
void add_torch_functions(Natives& natives);
void add_torch_devices(Natives& natives);
void add_torch_ranks(Natives& natives);
void add_numpy(Natives& natives);

}  // namespace cutelab::reading::machine
