#pragma once
#include <string>

#include "capture/program.h"

namespace cutelab::capture {

/// Schema `cutelab.capture`, version 1 (docs/capture.md).
std::string to_json(const Capture& capture);

/// What to_json wrote. Error (kind input): not such a document.
Result<Capture> capture_from_json(const std::string& text);

/// The lines that the recorder and the harness wrote for one run, put together: launches with their
/// functions, each distinct one once. Lines that are not whole are passed over: a program may have ended in
/// the middle of one.
void add_events(const std::string& events, const std::string& kernels, Capture& capture);

}  // namespace cutelab::capture
