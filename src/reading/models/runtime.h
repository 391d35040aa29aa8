#pragma once
#include "reading/models/arguments.h"

/// Parts of add_runtime.
namespace cutelab::reading::machine {

/// Calls what benchmark, compile and the like were given, unless that has been done with the same arguments.
Value run_once(Call& call, const Value& callable, std::vector<Value> arguments,
               std::vector<std::pair<Symbol, Value>> keywords);

void add_compilation(Natives& natives);       ///< cute.compile and what it returns
void add_testing(Natives& natives);           ///< cutlass.testing
void add_device_functions(Natives& natives);  ///< cute.arch, ranges, const_expr
void add_pipelines(Natives& natives);         ///< cutlass.pipeline
void add_tensor_maps(Natives& natives);
void add_task_scheduling(Natives& natives);  ///< cutlass.experimental.task_scheduling
void add_arrays(Natives& natives);           ///< cutlass.Array

}  // namespace cutelab::reading::machine
