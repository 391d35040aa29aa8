#pragma once
#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// The fields of a dataclass, whose line is made: none without a value behind one with a value, none that is
/// shared and changes. Else an error is under way.
void hold_fields(Machine& machine, Class* klass, source::Node at);

}  // namespace cutelab::reading::machine
