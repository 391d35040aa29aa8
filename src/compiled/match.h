#pragma once
#include <string>
#include <vector>

#include "compiled/read_ir.h"
#include "evidence/reading.h"

namespace cutelab::compiled {

/// A compiled fact, and what of its module it came from.
struct Candidate {
  evidence::Fact fact;
  bool lesser = false;  ///< answers a statement of the source, and is nothing of its own
};

/// Which compiled facts answer to which facts of the source.
struct Answers {
  std::vector<std::vector<std::size_t>> of_source;  ///< by fact of the source: indices of candidates
  std::vector<std::string> joined;  ///< by fact of the source: how, where no line joins them; else empty
  std::vector<std::string> only;    ///< by fact of the source: the one value that is answered; "" = all
  std::vector<bool> used;           ///< by candidate
  bool states_no_lines = false;     ///< a kernel's form in the compiler has no locations
};

/// A compiled fact answers to the source's fact of its kind whose statement holds its line, or a line of its
/// call chain; then to one of a related kind. What has no operation where it is written is answered by the
/// object that it makes:
///   - members and structs of shared memory, and pipelines for stores, by name;
///   - a named barrier by its number, an MMA's operation by the atom made of it, an allocator by what it
///   allocates;
///   - a number that the source names by what states it where the name is passed on.
/// Facts without a line are joined by kind and order, where both sides have equally many of the kind.
Answers match(const evidence::Reading& source, const std::vector<Candidate>& compiled);

/// Whether both values can be held against each other: a text that stands where the source only repeats an
/// expression cannot.
bool comparable(const std::string& name, const evidence::Value& source, const evidence::Value& compiled);
/// Whether they say the same: extents of a launch may leave out ones at the end, a text may name
/// alternatives.
bool equal(const std::string& name, const evidence::Value& source, const evidence::Value& compiled);
/// The text of a value; "" = the fact has none of this name.
std::string text_of(const evidence::Fact& fact, const char* name);

}  // namespace cutelab::compiled
