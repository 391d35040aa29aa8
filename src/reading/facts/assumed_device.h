// What a launch takes from the device, which is a stand-in while a program is read.
#pragma once

#include "reading/facts/context.h"
#include "reading/machine/machine.h"

namespace cutelab::reading {

/// Notes at launches which device the reading assumed: where the program asks for its capability
/// (`assumed_device`), and where a persistent grid follows its number of multiprocessors
/// (`assumed_multiprocessors`). Needs the checklist's verdict on P3 in `context.reading`.
void note_assumed_device(FactContext& context, machine::Machine& machine);

}  // namespace cutelab::reading
