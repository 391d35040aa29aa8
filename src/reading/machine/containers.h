#pragma once
#include <unordered_map>
#include <vector>

#include "reading/machine/machine.h"

namespace cutelab::reading::machine {

/// Whether Python takes a value as a key.
Machine::Truth has_hash(Machine& machine, const Value& key, int depth = 0);

/// Keys, of which an equal one is there already: 1, 1.0 and True are one key.
class Distinct {
 public:
  explicit Distinct(Machine& machine) : m_(machine) {}
  struct Place {
    std::size_t at = 0;
    bool there = false;
    bool maybe = false;  ///< whether it equals one that is there is not known
  };
  Place add(const Value& key);  ///< and adds it where it is not there
  bool refuses(const Value& key) { return m_.refuses_key(key); }

 private:
  Place find(const Value& key);
  Place look_through(const Value& key) const;
  Machine::Truth same(const Value& a, const Value& b) const;
  Machine& m_;
  std::vector<Value> keys_;
  bool all_hashed_ = true;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
};

/// Fills a new dict as Python does: a key that comes again keeps its first place and takes the last value.
class DictFiller {
 public:
  explicit DictFiller(Machine& machine) : dict_(machine.make<Dict>()), keys_(machine) {}
  void put(const Value& key, const Value& value);
  Dict* dict() { return dict_; }

 private:
  Dict* dict_;
  Distinct keys_;
};

/// Likewise a new set.
class SetFiller {
 public:
  explicit SetFiller(Machine& machine) : set_(machine.make<Set>()), keys_(machine) {}
  void put(const Value& key);
  Set* set() { return set_; }

 private:
  Set* set_;
  Distinct keys_;
};

}  // namespace cutelab::reading::machine
