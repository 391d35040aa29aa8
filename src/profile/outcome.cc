#include "profile/outcome.h"

#include <fmt/format.h>

#include <cstring>

#include "base/text.h"

namespace cutelab::profile {
namespace {

/// CUresult and cudaError_t share these numbers (driver API reference, CUresult).
const char* kind_of(int code) {
  switch (code) {
    case 2:
      return "out-of-memory";
    case 46:   // device unavailable
    case 100:  // no device
    case 101:  // invalid device
    case 214:  // uncorrectable ECC error
    case 220:  // uncorrectable NVLink error
      return "device-lost";
    case 702:
      return "time-limit";
    case 700:  // illegal address
    case 710:  // assertion
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
    case 721:  // contained error
      return "kernel-fault";
    default:
      return "unavailable";
  }
}

}  // namespace

evidence::Run::Outcome outcome_of(const Error& error) {
  return {kind_of(error.code), replace_all(error.asked + ": " + error.wrong, "\n", " ")};
}

evidence::Run::Outcome outcome_of(const IsolatedEnd& end) {
  const std::string during = end.phase.empty() ? "" : " during " + end.phase;
  switch (end.how) {
    case IsolatedEnd::How::returned:
      return {};
    case IsolatedEnd::How::time_limit:
      return {"time-limit", fmt::format("no end after {:.0f} s{}: the kernel hangs, or --time-limit is too "
                                        "short for it; its process was ended",
                                        end.phase_seconds, during)};
    case IsolatedEnd::How::left:
      return {"crashed", fmt::format("the process that ran it was ended{} by code that called exit", during)};
    case IsolatedEnd::How::signal:
      break;
  }
  const char* name = end.signal ? strsignal(end.signal) : nullptr;
  return {"crashed",
          fmt::format("the process that ran it ended{}: {}", during, name ? name : "an exception")};
}

ExitCode exit_code_of(const evidence::Run::Outcome& outcome) {
  if (outcome.kind == "done") return ExitCode::ok;
  const bool own =
      outcome.kind == "kernel-fault" || outcome.kind == "time-limit" || outcome.kind == "crashed";
  return own ? ExitCode::kernel_fault : ExitCode::unavailable;
}

}  // namespace cutelab::profile
