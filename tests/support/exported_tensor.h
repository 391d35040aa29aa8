#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/exported_call.h"

namespace cutelab::kernel::testing {

inline ExportedCall::Tensor exported_tensor(const std::string& name, std::vector<std::int64_t> shape,
                                            std::vector<std::int64_t> stride, int buffer,
                                            const std::string& dtype = "Float32") {
  ExportedCall::Tensor made;
  made.name = name;
  made.dtype = dtype;
  made.shape = std::move(shape);
  made.stride = std::move(stride);
  made.buffer = buffer;
  made.bytes = 4;
  for (const auto extent : made.shape) made.bytes *= extent;
  return made;
}

}  // namespace cutelab::kernel::testing
