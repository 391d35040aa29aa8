#pragma once
#include "base/isolated.h"
#include "base/result.h"
#include "evidence/run.h"

namespace cutelab::profile {

/// What an error of the CUDA driver or runtime means for a run, by its number: out-of-memory, kernel-fault
/// (illegal address, illegal instruction, assertion …), time-limit (the driver's own), device-lost, else
/// unavailable.
evidence::Run::Outcome outcome_of(const Error& error);

/// How a child that did a run's work ended: done, time-limit, or crashed with the signal's name.
evidence::Run::Outcome outcome_of(const IsolatedEnd& end);

/// done: ok; kernel-fault, time-limit and crashed: kernel_fault; the rest: unavailable.
ExitCode exit_code_of(const evidence::Run::Outcome& outcome);

}  // namespace cutelab::profile
