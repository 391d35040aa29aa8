#pragma once
#include <optional>
#include <string>

#include "base/file_source.h"
#include "corpus/release.h"

namespace cutelab::corpus {

/// The release that a CUTLASS checkout's own header states (include/cutlass/version.h); nothing if it is no
/// checkout.
std::optional<Release> header_release(const FileSource& files, const std::string& root);

/// The CuTe DSL version that a checkout pins (python/CuTeDSL/requirements.txt). It may differ from the
/// header's: several releases pin the wheel of the one before.
std::optional<Release> pinned_dsl(const FileSource& files, const std::string& root);

/// The folder that holds a corpus's CuTe DSL example tree: "examples/python/CuTeDSL" of a checkout, "" if
/// there is none.
std::string dsl_example_root(const FileSource& files, const std::string& root);

}  // namespace cutelab::corpus
