#include "layout/banks.h"

#include <algorithm>
#include <set>

#include "layout/fault.h"
#include "layout/smem.h"

namespace cutelab::layout {
namespace {

constexpr const char* name = "banks";

bool is_matrix(AccessKind kind) { return kind == AccessKind::ldmatrix || kind == AccessKind::stmatrix; }

// Byte address of the element at an index, in eighths of a byte to cover 4-bit elements.
class BitAddress {
 public:
  static Result<BitAddress> of(const ComposedLayout& layout, std::int64_t bits, SwizzleUnit unit) {
    if (bits <= 0 || bits > most_element_bits)
      return fault(name, 1, "elements of {} bits: 1 to {} are possible", bits, most_element_bits);
    if (unit == SwizzleUnit::bytes && !layout.plain()) {
      auto bytes = byte_form(layout, bits);
      if (!bytes) return bytes.error();
      return of(*bytes, 8, SwizzleUnit::elements);
    }
    auto known = KnownComposed::of(layout);
    if (!known) return known.error();
    return BitAddress(std::move(*known), bits);
  }
  std::int64_t operator()(std::int64_t index) const { return layout_(index) * bits_; }
  std::int64_t size() const { return layout_.size(); }

 private:
  BitAddress(KnownComposed layout, std::int64_t bits) : layout_(std::move(layout)), bits_(bits) {}
  KnownComposed layout_;
  std::int64_t bits_;
};

// Bits that one thread moves have to be adjacent; `contiguous` in the order of whichever mode has stride 1.
Status check_adjacent(const ComposedLayout& layout, std::int64_t elements) {
  if (elements <= 1) return {};
  std::int64_t run = 1;
  for (std::size_t i = 0; i < layout.shape().node_count(); ++i) {
    const Node& d = layout.layout().stride().begin()[i];
    if (d.is_leaf() && d.leaf.is(1)) run = std::max(run, layout.shape().begin()[i].leaf.value());
  }
  if (run % elements == 0 || elements % run == 0) return {};
  return fault(name, 6, "{} elements are not adjacent in {}", elements, layout.text());
}

}  // namespace

Result<WarpAccess> warp_access(const ComposedLayout& layout, std::int64_t bits, SwizzleUnit unit,
                               LayoutView threads, AccessKind kind, int bytes) {
  const bool matrix = is_matrix(kind);
  const bool allowed = bytes == 4 || bytes == 8 || bytes == 16 || (!matrix && (bytes == 1 || bytes == 2));
  if (!allowed)
    return fault(name, 3, "{} bytes per thread: {} are possible", bytes,
                 matrix ? "4, 8 and 16" : "1, 2, 4, 8 and 16");
  auto address = BitAddress::of(layout, bits, unit);
  if (!address) return address.error();
  auto thread = KnownLayout::of(threads);
  if (!thread) return thread.error();
  if (thread->size() <= 0 || 32 % thread->size() != 0)
    return fault(name, 2, "{} threads: a warp has 32", thread->size());
  const int moved = matrix ? 16 : bytes;
  if (auto status = check_adjacent(layout, moved * 8 / bits); !status) return status.error();
  WarpAccess out;
  out.kind = kind;
  out.bytes = bytes;
  for (std::size_t t = 0; t < 32; ++t) {
    const std::int64_t index = (*thread)(static_cast<std::int64_t>(t) % thread->size());
    if (index < 0 || index >= address->size())
      return fault(name, 2, "thread {} names the element {} of {}", t, index, address->size());
    const std::int64_t bit = (*address)(index);
    if (bit < 0 || bit % (moved * 8) != 0)
      return fault(name, 4, "thread {} names the address {} bits, no multiple of {} bytes", t, bit, moved);
    out.address[t] = bit / 8;
  }
  return out;
}

namespace {

Phase phase_of(const WarpAccess& access, int first, int threads, int bytes) {
  Phase out;
  out.first_thread = first;
  out.threads = threads;
  std::array<std::set<std::int64_t>, 32> words;
  for (int t = first; t < first + threads; ++t) {
    const std::int64_t begin = access.address[static_cast<std::size_t>(t)];
    for (std::int64_t word = begin / 4; word * 4 < begin + bytes; ++word)
      words[static_cast<std::size_t>(word % 32)].insert(word);
  }
  for (std::size_t bank = 0; bank < 32; ++bank) {
    out.words_per_bank[bank] = static_cast<int>(words[bank].size());
    out.wavefronts = std::max(out.wavefronts, out.words_per_bank[bank]);
  }
  return out;
}

}  // namespace

namespace {

// Wide loads of neighbours that ask for the same address need half the data: two groups then go together.
bool merges(const WarpAccess& access, int first, int threads) {
  if (access.kind != AccessKind::load || access.bytes < 8) return false;
  for (const int other : {1, 2}) {
    bool same = true;
    for (int t = first; t < first + threads; ++t)
      same &=
          access.address[static_cast<std::size_t>(t)] == access.address[static_cast<std::size_t>(t ^ other)];
    if (same) return true;
  }
  return false;
}

}  // namespace

BankReport bank_conflicts(const WarpAccess& access) {
  const bool matrix = is_matrix(access.kind);
  const int moved = matrix ? 16 : access.bytes;
  const int group = std::min(32, 128 / moved);
  const int active = matrix ? 2 * access.bytes : 32;  // x1, x2, x4: 8, 16, 32 row addresses count
  BankReport out;
  for (int first = 0; first < active;) {
    const bool pair =
        first % (2 * group) == 0 && first + 2 * group <= active && merges(access, first, 2 * group);
    out.phases.push_back(phase_of(access, first, pair ? 2 * group : group, moved));
    first += pair ? 2 * group : group;
    const Phase& phase = out.phases.back();
    out.wavefronts += phase.wavefronts;
    for (const int words : phase.words_per_bank) out.different_words += words;
  }
  out.ideal = static_cast<int>(out.phases.size());
  out.conflicts = out.wavefronts - out.ideal;
  return out;
}

SectorReport global_sectors(const WarpAccess& access) {
  std::set<std::int64_t> sectors;
  std::set<std::int64_t> lines;
  std::set<std::int64_t> touched;
  for (const std::int64_t begin : access.address)
    for (std::int64_t byte = begin; byte < begin + access.bytes; ++byte) {
      touched.insert(byte);
      sectors.insert(byte / 32);
      lines.insert(byte / 128);
    }
  SectorReport out;
  out.sectors = static_cast<int>(sectors.size());
  out.ideal = static_cast<int>((touched.size() + 31) / 32);
  out.cache_lines = static_cast<int>(lines.size());
  return out;
}

std::string sentence(const BankReport& report) {
  if (report.conflicts == 0)
    return fmt::format("no conflict: {} wavefront{}", report.wavefronts, report.wavefronts == 1 ? "" : "s");
  int ways = 0;
  for (const Phase& phase : report.phases) ways = std::max(ways, phase.wavefronts);
  return fmt::format("{}-way conflict: {} wavefronts instead of {}", ways, report.wavefronts, report.ideal);
}

}  // namespace cutelab::layout
