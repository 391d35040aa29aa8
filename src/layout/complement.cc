#include "layout/algebra.h"
#include "layout/fault.h"
#include "layout/flat_modes.h"
#include "layout/known_modes.h"

namespace cutelab::layout {
namespace {

constexpr const char* complement_name = "complement";

Error unordered(const Int& a, const Int& b) {
  std::vector<std::string> symbols = a.symbols();
  for (std::string& s : b.symbols()) symbols.push_back(std::move(s));
  return undetermined(complement_name, fmt::format("which is larger, stride {} or {}?", a.text(), b.text()),
                      symbols);
}

// Takes the mode with the smallest stride out of `modes`; the first of equals, as CuTe does.
Result<Mode> take_smallest(FlatModes& modes) {
  std::size_t smallest = 0;
  for (std::size_t i = 1; i < modes.size(); ++i) {
    const auto order = compare(modes[i].stride, modes[smallest].stride);
    if (!order) return unordered(modes[i].stride, modes[smallest].stride);
    if (*order < 0) smallest = i;
  }
  Mode out = modes[smallest];
  modes.erase(smallest);
  return out;
}

Status check_strides(const FlatModes& modes) {
  for (const Mode& mode : modes) {
    if (!mode.stride.plain() || signum(mode.stride) <= 0)
      return fault(complement_name, 1, "stride {} is not a positive integer", mode.stride.text());
    if (mode.shape.is_zero()) return fault(complement_name, 1, "an extent is 0");
  }
  return {};
}

// The modes of ceil_div(cotarget, used), one after another, with compact strides from `used`.
Status append_rest(TupleView cotarget, const Int& used, FlatModes& out) {
  auto rest = ceil_div(cotarget, IntTuple(used));
  if (!rest) return rest.error();
  out.push(product(*rest), used);
  return {};
}

Result<Layout> complement_of(FlatModes modes, TupleView cotarget) {
  if (modes.size() == 1 && modes[0].stride.is_zero()) return Layout(IntTuple(product(cotarget)));
  if (auto status = check_strides(modes); !status) return status.error();
  FlatModes out;
  Int used = 1;
  while (!modes.empty()) {
    auto mode = take_smallest(modes);
    if (!mode) return mode.error();
    const auto order = compare(mode->stride, used);
    if (!order) return unordered(mode->stride, used);
    if (*order < 0)
      return fault(complement_name, 2,
                   "stride {} falls inside the {} elements below it: some value is taken twice",
                   mode->stride.text(), used.text());
    out.push(floor_div(mode->stride, used), used);
    used = mode->stride * mode->shape;
  }
  if (auto status = append_rest(cotarget, used, out); !status) return status.error();
  LayoutBuilder build;
  build.open();
  for (const Mode& mode : out) build.leaf(mode.shape, mode.stride);
  build.close(0, static_cast<int>(out.size()));
  return coalesce(build.take());
}

}  // namespace

Result<Layout> complement(LayoutView layout, TupleView cotarget) {
  KnownModes known;
  KnownModes target;
  KnownModes out;
  if (known.read(layout, true) && known.coalesce(false) && target.read(cotarget) &&
      complement_known(known, target, out))
    return out.layout();
  return complement_of(filtered(layout), cotarget);
}

Result<Layout> complement(LayoutView layout) {
  const FlatModes modes = filtered(layout);
  const IntTuple cotarget(cosize(modes.layout()));
  return complement_of(modes, cotarget);
}

}  // namespace cutelab::layout
