#pragma once
#include "corpus/catalog.h"

namespace cutelab::corpus {

/// Fills patterns, constructs and dtypes from the signals.
void derive_from_signals(Example& e, const SignalTable& signals);

/// CuTe layer, from imports and folders.
Layer layer_of(const FileFacts& facts);

/// What the file's own constructs need. `minimum` is empty when none of them decides.
ArchNeed need_of(const Example& e, const SignalTable& signals, const ArchFacts& archs);

/// The fallbacks when no construct decides: a kernel that uses nothing special runs on the DSL's own minimum.
void settle_need(Example& e, const ArchFacts& archs);

}  // namespace cutelab::corpus
