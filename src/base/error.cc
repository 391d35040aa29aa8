#include "base/error.h"

namespace cutelab {

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return ExitCode::usage;
    case ErrorKind::unavailable:
      return ExitCode::unavailable;
    case ErrorKind::check:
      return ExitCode::failed_check;
    case ErrorKind::fault:
      return ExitCode::kernel_fault;
    case ErrorKind::internal:
      return ExitCode::internal;
  }
  return ExitCode::internal;
}

std::string Error::message() const {
  std::string out = "error: ";
  if (!asked.empty()) out += asked + ": ";
  out += wrong;
  if (!where.empty()) out += "\n  at: " + where;
  if (!remedy.empty()) out += "\n  try: " + remedy;
  return out;
}

}  // namespace cutelab
