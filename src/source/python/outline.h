#pragma once
#include <string>
#include <string_view>

namespace cutelab::source::python {

/// A Python text with the bodies of its functions blanked in place, `pass` standing for each: what it defines
/// and imports at module and class level is all there, on its own lines and at its own bytes. A body on the
/// line of its `def` stays, and so does one whose first line is shorter than `pass`.
std::string outline(std::string text);

}  // namespace cutelab::source::python
