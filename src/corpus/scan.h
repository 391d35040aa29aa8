#pragma once
#include <string>
#include <string_view>

#include "corpus/file_facts.h"
#include "corpus/signals.h"

namespace cutelab::corpus {

/// One pass over a Python source. Broken code gives what could be seen; nothing throws.
FileFacts scan_python(std::string_view text, const SignalTable& signals);

/// One pass over a CUDA C++ source or header.
FileFacts scan_cuda(std::string_view text, const SignalTable& signals);

/// The code cells of a Jupyter notebook as one Python source (cells separated by blank lines), and its first
/// heading as summary. Not a notebook: language `other`.
FileFacts scan_notebook(std::string_view json, const SignalTable& signals);

/// By the file's extension.
FileFacts scan(std::string_view path, std::string_view text, const SignalTable& signals);

}  // namespace cutelab::corpus
