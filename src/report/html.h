#pragma once
#include <string>
#include <vector>

#include "evidence/comparison.h"
#include "evidence/known.h"
#include "evidence/reading.h"

namespace cutelab::report {

/// A reading as one page that needs nothing else: no network, no other file, and it works (without filters)
/// without scripts. Left the overview, checklist, drawings and facts; right the source with line numbers,
/// syntax colours and a margin note on each line that carries a fact. A fact leads to its line (#L<line>,
/// #L<file>-<line> in a helper), a note back to its fact (#F<index>). `texts` are the contents of
/// Reading::files in the same order; missing ones leave the page without that source. Post-conditions:
///   1. Text of the source or the reading never becomes markup, whatever it holds.
///   2. Every fact with a place in a given text has an anchor there, and every link inside the page has its
///   goal.
/// `knowledge`: the reading held against a knowledge base; null = not shown. `comparison`: of a merged
/// reading, how it came to be: each note then bears the mark of the agreement, and what the compiler states
/// (layouts, drawn once each; bytes, offsets, boxes, counts) stands beside the lines; null = not shown.
std::string html(const evidence::Reading& reading, const std::vector<std::string>& texts,
                 const evidence::Knowledge* knowledge = nullptr,
                 const evidence::Comparison* comparison = nullptr);

}  // namespace cutelab::report
