#pragma once
#include <utility>
#include <vector>

#include "reading/machine/machine.h"

/// namedtuple of collections, NamedTuple of typing, and classes that derive from one. The line of such a
/// class is made.
namespace cutelab::reading::machine {

/// The class that names the fields: the others of the line derive from it.
const Class* owner_of_fields(const Class& klass);
/// _fields; _field_defaults
Value fields_of_named(Machine& machine, const Class& klass, bool names);
/// What a call of the class makes, or its error.
Value make_named_tuple(const Call& call, Class* klass);

}  // namespace cutelab::reading::machine
