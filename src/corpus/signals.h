#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "base/text_table.h"

namespace cutelab::corpus {

/// An identifier that shows what a kernel uses (data/signals.json).
struct Signal {
  std::string word;                   ///< "PipelineTmaAsync"; a leading or trailing * matches the rest
  std::string feature;                ///< id in architectures.json; empty = any architecture
  std::string construct;              ///< name people search for
  std::string dtype;                  ///< "fp16"
  std::vector<std::string> patterns;  ///< "P1" …
  bool weak = false;                  ///< supports, but never decides the architecture alone
};

class SignalTable {
 public:
  static Result<SignalTable> load(const FileSource& files, const std::string& data_folder);
  explicit SignalTable(std::vector<Signal> signals);

  /// Index of the signal that `identifier` is, or -1. Exact words win over patterns, longer patterns over
  /// shorter ones.
  int find(std::string_view identifier) const;
  /// Whether some signal names what follows this word and a dot ("warpgroup" of "warpgroup.fence").
  bool is_qualifier(std::string_view word) const {
    return qualifier_shapes_.may_hold(word) && qualifiers_.find(word) != qualifiers_.end();
  }
  const Signal& operator[](int i) const { return signals_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(signals_.size()); }
  /// Changes when the table's words change: indexes made with another table are rebuilt.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  /// Most words of a source are none of a table's: first letter and length alone say so.
  class Shapes {
   public:
    void add(std::string_view word) { held_[letter(word)] |= bit(word); }
    bool may_hold(std::string_view word) const { return (held_[letter(word)] & bit(word)) != 0; }

   private:
    static std::size_t letter(std::string_view word) {
      return word.empty() ? 0 : static_cast<unsigned char>(word.front());
    }
    static std::uint64_t bit(std::string_view word) { return std::uint64_t{1} << (word.size() % 64); }
    std::uint64_t held_[256] = {};
  };
  int match(std::string_view identifier) const;
  std::vector<Signal> signals_;
  TextTable<int> exact_;
  TextTable<int> qualifiers_;
  Shapes exact_shapes_, qualifier_shapes_;          ///< of the words in them
  std::vector<int> prefixes_, suffixes_, infixes_;  ///< pattern signals, longest word first
  bool first_letter_[256] = {};                     ///< of the prefix patterns
  bool last_letter_[256] = {};                      ///< of the suffix patterns
  std::uint64_t fingerprint_ = 0;
};

/// FNV-1a, 64 bits: cache keys and checksums (not a cryptographic hash).
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed = 14695981039346656037ull);

}  // namespace cutelab::corpus
