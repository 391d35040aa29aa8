#pragma once
#include <string>
#include <vector>

#include "evidence/value.h"

namespace cutelab::evidence {

/// How one entry of a knowledge base stands to a reading.
struct KnownEntry {
  std::string relation;  ///< confirms, refines, contradicts, lacks, warns, undetermined
  std::string id;
  std::string title;
  std::string path;                   ///< of the entry
  std::vector<std::string> patterns;  ///< P1 … P10 that it is about
  std::vector<std::string> details;   ///< what the reading adds, which term fails, what it depends on
  std::vector<Location> at;           ///< statements that decided
};

/// A reading held against a knowledge base.
struct Knowledge {
  std::string folder;
  std::vector<KnownEntry> entries;
  std::vector<std::string> fresh;  ///< patterns that are present and that no entry covers
};

}  // namespace cutelab::evidence
