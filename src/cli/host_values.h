#pragma once
#include <string>
#include <vector>

#include "cli/host_expression.h"

namespace cutelab::cli {

bool is_whole_number(const HostValue& value);
/// What a binary operator gives; unknown where it overflows, divides by zero or takes what is unknown.
HostValue joined_values(const std::string& sign, const HostValue& a, const HostValue& b);
/// make_shape(...): integers and tuples, flat.
HostValue tuple_of(const std::vector<HostValue>& values);
/// make_layout(shape) or make_layout(shape, stride); without strides the first mode is the fastest.
HostValue layout_of(const std::vector<HostValue>& values);

}  // namespace cutelab::cli
