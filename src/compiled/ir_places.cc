#include "compiled/ir_places.h"

#include <algorithm>

namespace cutelab::compiled {
namespace {

/// Frames by which the DSL passes a call on: they say nothing about it.
bool plumbing(std::string_view function) {
  for (const char* part :
       {"wrapper", "<locals>", "if_generate", "BaseDSL.", "<lambda>", "_executor", "_selector", "Executor.",
        "cached_func", "<listcomp>", "<genexpr>", "_execute_dynamic", "_builder", "wrapped"})
    if (function.find(part) != std::string_view::npos) return true;
  return function.empty();
}

evidence::Location location_of(const ir::Frame& frame, int file) {
  evidence::Location at;
  at.file = file;
  at.span.line = at.span.end_line = frame.line;
  at.span.column = std::max(frame.column, 1u);
  return at;
}

/// "kernel.<locals>.if_region_4.<locals>.then_block_5" -> "kernel"
std::string_view outermost(std::string_view function) {
  return function.substr(0, function.find(".<locals>"));
}

}  // namespace

bool Place::made_by(std::string_view wanted) const {
  return std::find(library.begin(), library.end(), wanted) != library.end();
}

const Place& Places::of(ir::Id location) {
  const auto known = known_.find(location);
  if (known != known_.end()) return known->second;
  return known_.emplace(location, computed(location)).first->second;
}

std::vector<std::pair<int, int>> Places::lines() const {
  std::vector<std::pair<int, int>> lines;
  module_.locations.visit_files([&](std::string_view path, std::uint32_t line) {
    if (const auto file = files_.find(path); file != files_.end() && line > 0)
      lines.emplace_back(file->second, static_cast<int>(line));
  });
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

Place Places::computed(ir::Id location) const {
  Place place;
  bool launched = false;
  for (const ir::Frame& frame : module_.locations.chain(location)) {
    if (frame.function == "KernelLauncher.launch") launched = true;
    if (frame.function.starts_with("BaseDSL.generate_") || frame.function.starts_with("CompileCallable."))
      break;
    // The program may have put a function of its own in place of the library's: what counts is the line that
    // calls the pipeline.
    if (!launched && place.at.known() && frame.function.starts_with("Pipeline")) {
      std::vector<evidence::Location> inner = std::move(place.inner);
      inner.push_back(place.at);
      inner.insert(inner.end(), place.callers.begin(), place.callers.end());
      place = Place{};
      place.inner = std::move(inner);
    }
    const auto file = files_.find(frame.path);
    if (file == files_.end() || frame.line == 0) {
      if (!place.at.known() && !plumbing(frame.function)) place.library.emplace_back(frame.function);
      continue;
    }
    const evidence::Location at = location_of(frame, file->second);
    if (launched) {
      place.launch = at;
      break;
    }
    place.outermost_function = outermost(frame.function);
    if (!place.at.known()) {
      place.at = at;
      place.function = outermost(frame.function);
    } else if (at.line() != place.at.line() || at.file != place.at.file) {
      if (place.callers.empty() || !(place.callers.back() == at)) place.callers.push_back(at);
    }
  }
  std::reverse(place.library.begin(), place.library.end());
  return place;
}

}  // namespace cutelab::compiled
