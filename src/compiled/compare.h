#pragma once
#include <vector>

#include "compiled/read_ir.h"
#include "evidence/comparison.h"

namespace cutelab::compiled {

/// Both readings of one source.
struct Merged {
  evidence::Comparison comparison;
  evidence::Reading
      reading;  ///< the source's, undetermined values filled and what only the compiler says added
  std::vector<evidence::Fact> compiled;  ///< the compiler's alone, each once
};

/// Holds what a source's reading claims against what its compiled modules say, line by line. A compiled fact
/// answers to the source's fact of its kind whose statement holds its line, or a line of its call chain;
/// members and structs of shared memory, and barriers made elsewhere, are found by name; facts without a line
/// by kind and order, where both sides have equally many of the kind. Post-conditions:
///   1. Every fact of the source that the compiler could know, and every compiled fact, is in exactly one
///      entry's agreement.
///   2. A value of the source that is determined is never changed in the merged reading.
///   3. Filled and added values, and added facts, are `known_by` compiled (or recorded, as they came).
Merged compare(const evidence::Reading& source, const std::vector<IrReading>& modules);

}  // namespace cutelab::compiled
