#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/reading.h"

namespace cutelab::reading {

/// One row of data/constructs.json: which call reveals which fact.
struct Construct {
  std::string leaf;
  evidence::Family family = evidence::Family::H1;
  std::string kind;
  std::string says;
  std::vector<std::string> path;  ///< one of these occurs in the qualified path; empty = any
  std::vector<std::string> no;    ///< none of these occurs in it
  bool optional = false;
  bool also = false;  ///< a second fact of the same call: looked at after a row of the leaf has matched
};

/// The embedded construct table, by last part of the name.
const std::unordered_map<std::string, std::vector<Construct>>& construct_table();

}  // namespace cutelab::reading
