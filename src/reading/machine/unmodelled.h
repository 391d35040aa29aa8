#pragma once
#include "reading/machine/value.h"

namespace cutelab::reading::machine {

/// A value that is not compared with others: a slice, and an attribute that no model knows, which stands for
/// whatever Python has there.
inline bool unmodelled_part(const Value& v) {
  const Method* method = v.as<Method>();
  return v.as<Slice>() || (method && !method->function.bound() && !method->self.as<Instance>());
}

}  // namespace cutelab::reading::machine
