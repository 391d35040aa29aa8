#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "layout/parse.h"

namespace cutelab::layout {

/// An operation of the expression language, by CuTe's name.
struct Operation {
  std::string_view name;
  std::string_view parameters;  ///< "layout, tiler"; optional ones in brackets
  int least = 1;                ///< number of arguments
  int most = 1;                 ///< -1 = any number
  std::string_view says;        ///< one line for help
  Result<Value> (*run)(const std::vector<Value>& arguments);
};

const std::vector<Operation>& operations();
const Operation* find_operation(std::string_view name);
Result<Slicer> as_slicer(const Value& value);

}  // namespace cutelab::layout
