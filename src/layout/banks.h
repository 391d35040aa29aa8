#pragma once
#include <array>
#include <string>
#include <vector>

#include "layout/composed.h"

// What one warp instruction costs in shared memory: 32 banks of 4 bytes, one row of banks (128 bytes) per
// wavefront.

namespace cutelab::layout {

/// The unit in which a layout's swizzle acts: element offsets (a composed layout by itself) or byte addresses
/// (CuTe's shared-memory tensors, whose layouts still count elements).
enum class SwizzleUnit { elements, bytes };

enum class AccessKind { load, store, ldmatrix, stmatrix };

/// One instruction of a full warp.
struct WarpAccess {
  AccessKind kind = AccessKind::load;
  int bytes = 4;  ///< per thread 1, 2, 4, 8 or 16; for ldmatrix/stmatrix 16 × matrices rows
  std::array<std::int64_t, 32> address{};  ///< byte address that each thread names
};

/// Threads `threads(t)` for t = 0 … 31, as indices into `layout`'s coordinates, each moving `bytes` from
/// there on. ldmatrix and stmatrix take `bytes` = 4, 8 or 16 per thread (x1, x2, x4): thread t names the row
/// t mod 8·matrices.
/// 1. Pre: layout and threads are known and plain. 2. Pre: 32 threads (fewer: the rest repeat them, as for
/// ldmatrix x1 and x2).
/// 3. Pre: bytes is 1, 2, 4, 8 or 16 (ldmatrix: 4, 8, 16). 4. Pre: addresses are multiples of `bytes`
/// (ldmatrix: of 16).
/// 5. Pre: for byte swizzles bits is a multiple of 8. 6. Pre: the elements that one thread moves are adjacent
/// in storage.
Result<WarpAccess> warp_access(const ComposedLayout& layout, std::int64_t bits, SwizzleUnit unit,
                               LayoutView threads, AccessKind kind, int bytes);

/// One group of threads whose data moves together.
struct Phase {
  int first_thread = 0;
  int threads = 0;
  int wavefronts = 0;
  std::array<int, 32> words_per_bank{};  ///< different 4-byte words that the group wants of each bank
};

struct BankReport {
  int wavefronts = 0;
  int ideal = 0;      ///< wavefronts if no two words shared a bank
  int conflicts = 0;  ///< wavefronts - ideal
  int different_words = 0;
  std::vector<Phase> phases;
};

/// Wavefronts of an access: threads go in groups that ask for at most 128 bytes (all 32 up to 4 bytes each,
/// 16 of 8 bytes, 8 of 16 bytes or of one ldmatrix row), each group takes as many wavefronts as its busiest
/// bank has different words; equal words are read once. Held against counters of a device in bench/results
/// (see the test that reads them).
BankReport bank_conflicts(const WarpAccess& access);

/// 32-byte sectors of global memory that one warp access touches. 1. Pre: as warp_access.
struct SectorReport {
  int sectors = 0;
  int ideal = 0;        ///< for the same bytes, contiguous and aligned
  int cache_lines = 0;  ///< of 128 bytes
};
SectorReport global_sectors(const WarpAccess& access);

/// "2-way conflict: 8 wavefronts instead of 4", "no conflict: 4 wavefronts".
std::string sentence(const BankReport& report);

}  // namespace cutelab::layout
