#pragma once
#include <cstdint>
#include <vector>

#include "source/tree.h"

namespace cutelab::reading {

/// A stretch of a tree in preorder.
struct CppPart {
  const source::Tree* tree = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  ///< behind the last node
};

/// The nodes of several stretches, one after the other.
class CppNodes {
 public:
  class Iterator {
   public:
    Iterator(const std::vector<CppPart>* parts, std::size_t part) : parts_(parts), part_(part) { enter(); }
    source::Node operator*() const { return (*parts_)[part_].tree->at(at_); }
    Iterator& operator++() {
      if (++at_ < (*parts_)[part_].end) return *this;
      ++part_;
      enter();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return part_ != other.part_ || at_ != other.at_; }

   private:
    void enter() {
      while (part_ < parts_->size() && (*parts_)[part_].begin >= (*parts_)[part_].end) ++part_;
      at_ = part_ < parts_->size() ? (*parts_)[part_].begin : 0;
    }
    const std::vector<CppPart>* parts_;
    std::size_t part_;
    std::uint32_t at_ = 0;
  };
  explicit CppNodes(const std::vector<CppPart>& parts) : parts_(&parts) {}
  Iterator begin() const { return Iterator(parts_, 0); }
  Iterator end() const { return Iterator(parts_, parts_->size()); }

 private:
  const std::vector<CppPart>* parts_;
};

/// What a reading of trees[0] looks at: all of it, and of the other trees, which are its local headers, the
/// functions, structs, aliases, variables and macros that it names, itself or through others of them. A
/// definition of the same name in trees[0] hides those of the headers. `whole[t]`: tree t is no header but a
/// source that is included, read as if it were written there.
std::vector<CppPart> cpp_reached_parts(const std::vector<const source::Tree*>& trees,
                                       const std::vector<bool>& whole);

}  // namespace cutelab::reading
