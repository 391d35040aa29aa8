#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiled/ir.h"
#include "evidence/value.h"

namespace cutelab::compiled {

/// Where an operation comes from.
struct Place {
  evidence::Location at;           ///< innermost line of the program's own; unknown if there is none
  std::string function;            ///< the program's function there: "kernel", without "<locals>"
  std::string outermost_function;  ///< the one that all of it is called from: the kernel's
  std::vector<evidence::Location>
      callers;                            ///< further lines of the program's own, outwards, up to the launch
  std::vector<evidence::Location> inner;  ///< lines of the program's own that the library called from inside
  evidence::Location launch;  ///< where the kernel around is launched, if the chain reaches that far
  std::vector<std::string>
      library;  ///< functions of the library inside the line, outermost first, plumbing left out
  bool made_by(std::string_view function) const;  ///< one of `library` is this
};

/// Places of a module's locations, each computed once.
class Places {
 public:
  Places(const ir::Module& module, const std::vector<std::string>& files) : module_(module) {
    for (std::size_t i = 0; i < files.size(); ++i) files_.emplace(files[i], static_cast<int>(i));
  }
  const Place& of(ir::Id location);
  /// File and line of the program's own in all locations, in order, each once.
  std::vector<std::pair<int, int>> lines() const;

 private:
  Place computed(ir::Id location) const;

  const ir::Module& module_;
  std::unordered_map<std::string_view, int> files_;
  std::unordered_map<ir::Id, Place> known_;
};

}  // namespace cutelab::compiled
