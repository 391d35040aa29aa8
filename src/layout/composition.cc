#include "layout/algebra.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"
#include "layout/known_modes.h"

namespace cutelab::layout {
namespace {

constexpr const char* composition_name = "composition";

std::vector<std::string> symbols_of(const Int& a, const Int& b) {
  std::vector<std::string> names = a.symbols();
  for (std::string& s : b.symbols())
    if (std::find(names.begin(), names.end(), s) == names.end()) names.push_back(std::move(s));
  return names;
}

Error stride_fault(const Int& stride, const Int& extent) {
  return fault(composition_name, 1, "stride {} and extent {} do not divide one another", stride.text(),
               extent.text());
}

// How far the modes of the right-hand side together reach into each mode of the left-hand side. Composition
// treats them one by one; where their sum leaves an extent, a carry into the next mode is lost.
class Carry {
 public:
  void reach(std::size_t mode, const Int& distance) {
    while (reached_.size() <= mode) reached_.emplace_back(0);
    reached_[mode] = reached_[mode] + distance;
  }
  void step_over() { stepped_over_ = true; }
  /// nullopt: depends on symbols.
  std::optional<bool> free(const FlatModes& lhs) const {
    if (stepped_over_) return false;
    std::optional<bool> all = true;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const auto order = compare(reached_[i], lhs[i].shape);
      if (order && *order >= 0) return false;
      if (!order) all = std::nullopt;
    }
    return all;
  }

 private:
  std::vector<Int> reached_;
  bool stepped_over_ = false;
};

// One integral mode (shape : stride) of the right-hand side, laid over the flat modes of the left-hand side.
class ModeComposer {
 public:
  ModeComposer(const FlatModes& lhs, Int shape, Int stride, Carry* carry)
      : lhs_(lhs), rest_shape_(std::move(shape)), rest_stride_(std::move(stride)), carry_(carry) {}

  Status into(LayoutBuilder& build) {
    if (rest_stride_.is_zero()) {
      build.leaf(rest_shape_, rest_stride_);
      return {};
    }
    if (lhs_.size() == 1) {
      build.leaf(rest_shape_, rest_stride_ * lhs_[0].stride);
      return {};
    }
    for (std::size_t i = 0; i + 1 < lhs_.size(); ++i)
      if (auto status = step(i); !status) return status;
    finish(build);
    return {};
  }

 private:
  Status step(std::size_t i) {
    const Int& extent = lhs_[i].shape;
    const Int magnitude = abs(rest_stride_);
    const auto whole = multiple_of(magnitude, extent);
    const auto order = compare(magnitude, extent);
    const auto least = extent.lower_bound();  // a stride that no extent undercuts is smaller or divides
    const bool fits = magnitude.known() && least && magnitude.value() <= least->value();
    if (whole != true && order != std::strong_ordering::less && !fits) {
      if (whole.has_value() || order.has_value()) return stride_fault(rest_stride_, extent);
      return undetermined(composition_name,
                          fmt::format("does {} divide {}?", extent.text(), magnitude.text()),
                          symbols_of(extent, magnitude));
    }
    const Int reach = ceil_div(extent, magnitude);
    const Int next_stride = ceil_div(magnitude, extent) * Int(signum(rest_stride_));
    if (!reach.is(1) && !rest_shape_.is(1))
      if (auto status = take(reach, i, magnitude); !status) return status;
    rest_stride_ = next_stride;
    return {};
  }

  // Takes min(reach, rest) elements from the current mode.
  Status take(const Int& reach, std::size_t i, const Int& magnitude) {
    Int taken = min(reach, rest_shape_);
    if (!compare(reach, rest_shape_)) {
      if (multiple_of(rest_shape_, reach) == true)
        taken = reach;
      else if (multiple_of(reach, rest_shape_) == true)
        taken = rest_shape_;
      else
        return undetermined(composition_name,
                            fmt::format("is {} less than {}?", reach.text(), rest_shape_.text()),
                            symbols_of(reach, rest_shape_));
    }
    const auto even = multiple_of(rest_shape_, taken);
    if (!even)
      return undetermined(composition_name,
                          fmt::format("does {} divide {}?", taken.text(), rest_shape_.text()),
                          symbols_of(taken, rest_shape_));
    if (!*even)
      return fault(composition_name, 2, "extent {} is not a multiple of {}", rest_shape_.text(),
                   taken.text());
    const Int rest = *exact_div(rest_shape_, taken);
    if (carry_) {
      carry_->reach(i, (taken - 1) * magnitude);
      // Going on past a mode whose extent the stride does not divide steps over its end.
      if (!rest.is(1) && multiple_of(lhs_[i].shape, magnitude) != true) carry_->step_over();
    }
    result_.push(taken, rest_stride_ * lhs_[i].stride);
    rest_shape_ = rest;
    return {};
  }

  void finish(LayoutBuilder& build) {
    if (result_.empty() || !rest_shape_.is(1)) result_.push(rest_shape_, rest_stride_ * lhs_.back().stride);
    if (result_.size() == 1) return build.leaf(result_[0].shape, result_[0].stride);
    const auto at = build.open();
    for (const Mode& mode : result_) build.leaf(mode.shape, mode.stride);
    build.close(at, static_cast<int>(result_.size()));
  }

  const FlatModes& lhs_;
  Int rest_shape_;
  Int rest_stride_;
  Carry* carry_;
  FlatModes result_;
};

Status check_extents(LayoutView lhs) {
  for (std::size_t i = 0; i < lhs.shape.span(); ++i)
    if (lhs.shape.node()[i].is_leaf() && lhs.shape.node()[i].leaf.is_zero())
      return fault(composition_name, 4, "the left-hand side {} has an extent of 0", Layout(lhs).text());
  return {};
}

class Composer {
 public:
  explicit Composer(LayoutView lhs) : lhs_(lhs), whole_(coalesced_beyond(lhs)) {}
  std::optional<bool> carry_free() const { return carry_.free(whole_); }
  void watch() { watched_ = true; }

  Status into(LayoutView rhs, LayoutBuilder& build) {
    if (rhs.is_leaf()) return leaf(rhs.shape.leaf(), rhs.stride.leaf(), build);
    const auto at = build.open();
    LayoutView m = rhs.first();
    for (int i = 0; i < rhs.rank(); ++i, m = m.next())
      if (auto status = into(m, build); !status) return status;
    build.close(at, rhs.rank());
    return {};
  }

 private:
  Status leaf(const Int& shape, const Int& stride, LayoutBuilder& build) {
    if (stride.plain() || stride.is_zero())
      return ModeComposer(whole_, shape, stride.scale(), watched_ ? &carry_ : nullptr).into(build);
    LayoutView at = lhs_;
    for (int i = 0; i < stride.basis().depth(); ++i) {
      const int index = stride.basis()[i];
      if (index >= at.rank() || (at.is_leaf() && index > 0))
        return fault(composition_name, 3, "{} has no mode for the basis stride {}", Layout(lhs_).text(),
                     stride.text());
      at = at.mode(index);
    }
    const FlatModes part = coalesced_beyond(at);
    return ModeComposer(part, shape, stride.scale(), nullptr).into(build);
  }

  LayoutView lhs_;
  FlatModes whole_;
  Carry carry_;
  bool watched_ = false;
};

}  // namespace

Status compose_into(LayoutView lhs, LayoutView rhs, LayoutBuilder& build) {
  if (KnownModes whole; whole.read(lhs) && whole.coalesce(true)) {
    const std::size_t mark = build.count();
    if (compose_known(whole, rhs, build)) return {};
    build.rewind(mark);
  }
  if (auto status = check_extents(lhs); !status) return status;
  return Composer(lhs).into(rhs, build);
}

Result<Layout> composition(LayoutView lhs, LayoutView rhs) {
  LayoutBuilder build;
  if (auto status = compose_into(lhs, rhs, build); !status) return status.error();
  return build.take();
}

std::optional<bool> carry_free(LayoutView lhs, LayoutView rhs) {
  for (std::size_t i = 0; i < rhs.stride.span(); ++i)
    if (const Int& d = rhs.stride.node()[i].leaf; !d.plain() || signum(d) < 0) return std::nullopt;
  if (!check_extents(lhs)) return std::nullopt;
  Composer composer(lhs);
  composer.watch();
  LayoutBuilder ignored;
  if (!composer.into(rhs, ignored)) return std::nullopt;
  return composer.carry_free();
}

Result<Layout> composition(LayoutView lhs, const Tiler& tiler) {
  switch (tiler.kind()) {
    case Tiler::Kind::all:
      return Layout(lhs);
    case Tiler::Kind::layout:
      return composition(lhs, tiler.layout().view());
    case Tiler::Kind::integer:
      // n stands for n:1, also when n is 1.
      return composition(lhs, Layout::unchecked(tiler.layout().shape(), IntTuple(1)).view());
    case Tiler::Kind::tuple:
      break;
  }
  if (tiler.rank() > lhs.rank())
    return fault(composition_name, 1, "the tiler {} has {} modes, the layout {}", tiler.text(), tiler.rank(),
                 lhs.rank());
  std::vector<Layout> modes;
  for (int i = 0; i < tiler.rank(); ++i) {
    auto mode = composition(lhs.mode(i), tiler.modes()[static_cast<std::size_t>(i)]);
    if (!mode) return mode.error();
    modes.push_back(std::move(*mode));
  }
  return Layout::concat(modes);
}

}  // namespace cutelab::layout
