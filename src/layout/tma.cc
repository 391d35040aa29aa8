#include "layout/tma.h"

#include <algorithm>
#include <string_view>

#include "layout/fault.h"

namespace cutelab::layout {
namespace {

class Checker {
 public:
  explicit Checker(const TmaRequest& request) : request_(request) {
    for (int i = 0; i < request.global.rank(); ++i) {
      extents_.push_back(product(request.global.shape().view().mode(i)));
      const TupleView d = request.global.stride().view().mode(i);
      strides_.push_back(d.is_leaf() ? d.leaf() : Int::symbol("nested stride"));
      tile_.push_back(product(request.tile.view().mode(i)));
    }
  }

  TmaReport run() {
    const int rank = request_.global.rank();
    add("rank", rank >= 1 && rank <= 5, fmt::format("{} of 1 to 5 modes", rank));
    order_modes();
    global_rules();
    box_rules();
    if (request_.smem) smem_rules(*request_.smem);
    if (request_.address) address(*request_.address);
    alignment();
    return std::move(report_);
  }

 private:
  void add(const char* name, std::optional<bool> holds, std::string says) {
    report_.rules.push_back({name,
                             !holds   ? Verdict::undetermined
                             : *holds ? Verdict::holds
                                      : Verdict::broken,
                             std::move(says), field_of(name)});
  }
  static std::string field_of(std::string_view rule) {
    static constexpr std::pair<std::string_view, const char*> fields[] = {
        {"rank", "tensorRank"},     {"contiguous", "globalStrides"}, {"stride-16B", "globalStrides"},
        {"extent", "globalDim"},    {"box-extent", "boxDim"},        {"inner-16B", "boxDim"},
        {"swizzle-span", "boxDim"}, {"tile-inner", "boxDim"},        {"address", "globalAddress"}};
    for (const auto& [name, field] : fields)
      if (name == rule) return field;
    return "";
  }
  void address(std::uint64_t at) {
    add("address", at != 0 && at % 16 == 0,
        at == 0 ? "the address is 0: the tensor's pointer is null"
                : fmt::format("{:#x}, a multiple of 16 bytes?", at));
  }
  std::optional<bool> at_most(const Int& value, std::int64_t limit) const {
    const auto order = compare(value, limit);
    if (!order) return std::nullopt;
    return *order <= 0;
  }
  Int bytes(const Int& elements) const { return elements * Int(request_.bits); }  // in eighths

  void order_modes() {
    int contiguous = -1;
    for (int i = 0; i < static_cast<int>(strides_.size()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (strides_[at].is(1) && (contiguous < 0 || extents_[static_cast<std::size_t>(contiguous)].is(1)))
        contiguous = i;
    }
    add("contiguous", contiguous >= 0,
        contiguous >= 0 ? fmt::format("mode {} has stride 1", contiguous)
                        : "no mode has stride 1: TMA moves rows of adjacent elements");
    for (int i = 0; i < static_cast<int>(strides_.size()); ++i)
      if (i != contiguous) report_.order.push_back(i);
    std::stable_sort(report_.order.begin(), report_.order.end(), [&](int a, int b) {
      const auto order =
          compare(strides_[static_cast<std::size_t>(a)], strides_[static_cast<std::size_t>(b)]);
      return order && *order < 0;
    });
    if (contiguous >= 0) report_.order.insert(report_.order.begin(), contiguous);
  }

  void global_rules() {
    for (std::size_t i = 0; i < strides_.size(); ++i) {
      if (static_cast<int>(i) == report_.order[0] && strides_[i].is(1)) continue;
      if (extents_[i].is(1)) continue;
      add("stride-16B", multiple_of(bytes(strides_[i]), 128),
          fmt::format("mode {}: stride {} × {} bits", i, strides_[i].text(), request_.bits));
    }
    // Unknown extents are taken to fit: no tensor of this kind has 2^32 elements along one mode.
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (at_most(extents_[i], std::int64_t{1} << 32) == false)
        add("extent", false, fmt::format("mode {}: {} of at most 2^32", i, extents_[i].text()));
  }

  void box_rules() {
    const Int& inner = tile_[static_cast<std::size_t>(report_.order[0])];
    if (!inner.known())
      return add("swizzle-span", std::nullopt, fmt::format("the tile's row of {} elements", inner.text()));
    if (at_most(inner, std::int64_t{1} << 32) == false)
      return add("swizzle-span", false, fmt::format("the tile's row of {} elements", inner.text()));
    const std::int64_t row_bits = inner.value() * request_.bits;
    const std::int64_t span_bits = request_.swizzle_span * 8;
    add("inner-16B", row_bits % 128 == 0,
        fmt::format("a row of the tile has {} bits, {} multiple of 128", row_bits,
                    row_bits % 128 == 0 ? "a" : "no"));
    std::int64_t box_row = inner.value();
    const bool swizzled = request_.swizzle_span > 16;
    if (swizzled && row_bits > span_bits) {
      box_row = span_bits / request_.bits;
      add("tile-inner", row_bits % span_bits == 0,
          fmt::format("a row of {} bytes is cut into boxes of {}", row_bits / 8, request_.swizzle_span));
    } else if (swizzled) {
      add("swizzle-span", true,
          fmt::format("a row of {} of at most {} bytes", row_bits / 8, request_.swizzle_span));
    }
    std::vector<std::int64_t> box;
    std::int64_t boxes = (inner.value() + box_row - 1) / std::max<std::int64_t>(box_row, 1);
    for (std::size_t i = 0; i < report_.order.size(); ++i) {
      const Int& extent = i == 0 ? Int(box_row) : tile_[static_cast<std::size_t>(report_.order[i])];
      if (!extent.known())
        return add("box-extent", std::nullopt, fmt::format("mode {}: {}", report_.order[i], extent.text()));
      add("box-extent", extent.value() >= 1 && extent.value() <= 256,
          fmt::format("mode {}: {} of at most 256 elements", report_.order[i], extent.value()));
      box.push_back(extent.value());
    }
    std::int64_t elements = 1;
    for (const std::int64_t extent : box)
      if (__builtin_mul_overflow(elements, extent, &elements)) return;
    if (__builtin_mul_overflow(elements, request_.bits, &elements)) return;
    report_.box = std::move(box);
    report_.boxes = boxes;
    report_.box_bytes = elements / 8;
  }

  void smem_rules(const ComposedLayout& smem) {
    const LayoutView layout = smem.layout();
    if (layout.rank() != request_.global.rank())
      return add("smem-stride-16B", std::nullopt, "the shared-memory layout has other modes than the tensor");
    for (int i = 0; i < layout.rank(); ++i) {
      if (i == report_.order[0]) continue;
      const std::vector<Int> extents = leaves(layout.mode(i).shape);
      const std::vector<Int> strides = leaves(layout.mode(i).stride);
      for (std::size_t j = 0; j < extents.size(); ++j)
        if (!extents[j].is(1)) smem_step(i, extents[j], strides[j]);
    }
  }

  void smem_step(int mode, const Int& extent, const Int& stride) {
    const auto holds = multiple_of(bytes(stride), 128);
    add("smem-stride-16B", holds,
        fmt::format("mode {}: {} elements step by {} × {} bits{}", mode, extent.text(), stride.text(),
                    request_.bits, holds == false ? "; an error from nvidia-cutlass-dsl 4.6 on" : ""));
  }

  void alignment() {
    const int bytes_wanted = request_.swizzle_span > 16 ? static_cast<int>(8 * request_.swizzle_span) : 128;
    add("smem-alignment", true,
        fmt::format("the buffer has to start at a multiple of {} bytes", bytes_wanted));
  }

  const TmaRequest& request_;
  std::vector<Int> extents_, strides_, tile_;
  TmaReport report_;
};

}  // namespace

bool TmaReport::legal() const {
  return std::all_of(rules.begin(), rules.end(),
                     [](const TmaRule& r) { return r.verdict == Verdict::holds; });
}

Result<TmaReport> check_tma(const TmaRequest& request) {
  if (request.tile.rank() != request.global.rank())
    return fault("tma", 1, "the tile has {} modes, the tensor {}", request.tile.rank(),
                 request.global.rank());
  for (const Int& extent : leaves(request.tile))
    if (extent.known() && extent.value() < 1)
      return fault("tma", 2, "an extent of the tile {} is below 1", request.tile.text());
  const std::int64_t span = request.swizzle_span;
  if (request.bits < 4 || request.bits > 64 || (span != 16 && span != 32 && span != 64 && span != 128))
    return fault("tma", 1, "{}-bit elements with a swizzle span of {} bytes", request.bits, span);
  return Checker(request).run();
}

namespace {
// Does the mode step by 1? The extent of the leaf that does; leaves of extent 1 count only where they are the
// whole mode, as a DLPack consumer sees it.
std::optional<Int> extent_of_stride_one(LayoutView mode) {
  if (mode.is_leaf()) return mode.stride.leaf().is(1) ? std::optional<Int>(mode.shape.leaf()) : std::nullopt;
  const std::vector<Int> extents = leaves(mode.shape);
  const std::vector<Int> strides = leaves(mode.stride);
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (strides[i].is(1) && !extents[i].is(1)) return extents[i];
  return std::nullopt;
}
}  // namespace

LeadingMode leading_mode(LayoutView layout) {
  std::vector<int> candidates;
  std::string leaf;
  bool one = false;
  for (int i = 0; i < layout.rank(); ++i) {
    const auto extent = extent_of_stride_one(layout.mode(i));
    if (!extent) continue;
    candidates.push_back(i);
    one |= extent->is(1);
    if (!layout.mode(i).is_leaf()) leaf = fmt::format(" (its leaf of extent {})", extent->text());
  }
  if (candidates.size() == 1)
    return {candidates[0], fmt::format("mode {} has stride 1{}", candidates[0], leaf)};
  if (candidates.empty()) return {std::nullopt, "no mode has stride 1"};
  return {std::nullopt,
          fmt::format("modes {} and {} both have stride 1{}: pass the leading dimension explicitly",
                      candidates[0], candidates[1], one ? " (one has extent 1)" : "")};
}

Result<ComposedLayout> descriptor_units(const ComposedLayout& smem, std::int64_t bits) {
  if (bits <= 0 || 128 % bits != 0)
    return fault("descriptor_units", 1, "elements of {} bits do not divide 16 bytes", bits);
  auto layout = upcast(smem.layout(), 128 / bits);
  if (!layout) return layout.error();
  // The descriptor itself carries the swizzle; its iterator adds plain offsets.
  return ComposedLayout(std::move(*layout));
}

}  // namespace cutelab::layout
