#include <fmt/format.h>

#include <bit>

#include "base/text.h"
#include "layout/atoms.h"
#include "layout/parse.h"

namespace cutelab::layout {
namespace {

Error unknown_copy(std::string_view name, std::string wrong, std::string remedy) {
  return Error{ErrorKind::input, fmt::format("atom {}", name), std::move(wrong), "", std::move(remedy)};
}

// Shapes and strides written out; both are ours, so a failure is a fault of this table.
Layout written_copy(const std::string& text) { return parse_layout(text)->layout(); }

struct Copy {
  std::string_view name;
  std::string_view memory;     // (thread, bit) on the side of shared memory
  std::string_view registers;  // (thread, bit) on the side of the registers
};
constexpr Copy matrix_copies[] = {
    {"x1", "((8,4),128):((128,0),1)", "(32,32):(32,1)"},
    {"x2", "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))"},
    {"x4", "(32,128):(128,1)", "(32,(32,4)):(32,(1,1024))"},
    {"x1.trans", "((8,4),128):((128,0),1)", "((4,8),(16,2)):((256,16),(1,128))"},
    {"x2.trans", "((16,2),128):((128,0),1)", "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    {"x4.trans", "(32,128):(128,1)", "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
};

// A shape of tcgen05.ld and .st: lanes by bits per repeat.
struct TensorMemoryShape {
  std::string_view name;
  int lanes;
  int bits;  // of one lane per repeat
  int most_repeats;
};
constexpr TensorMemoryShape tensor_memory_shapes[] = {
    {"16x64b", 16, 64, 128}, {"16x128b", 16, 128, 64}, {"16x256b", 16, 256, 32}, {"32x32b", 32, 32, 128}};

// (thread, bit) on the side of the registers; lanes follow one another every `row` bits.
std::string tensor_memory_registers(const TensorMemoryShape& s, int repeats) {
  const int row = s.bits * repeats;
  if (s.lanes == 32) return fmt::format("(32,{}):({},1)", row, row);
  // Four threads share a lane (16x64b: two, and the others take the lanes 8 above); repeats stand side by
  // side.
  if (s.bits == 64)
    return repeats == 1 ? "((2,2,8),32):((512,32,64),1)"
                        : fmt::format("((2,2,8),(32,{})):(({},32,{}),(1,64))", repeats, 8 * row, row);
  const int chunk = s.bits / 4;
  if (repeats == 1) return fmt::format("((4,8),({},2)):(({},{}),(1,{}))", chunk, chunk, row, 8 * row);
  return fmt::format("((4,8),({},2,{})):(({},{}),(1,{},{}))", chunk, repeats, chunk, row, 8 * row, s.bits);
}

std::string tensor_memory_note(const TensorMemoryShape& s, int repeats) {
  const int columns = s.bits * repeats / 32;
  const int loads = (256 + columns - 1) / columns * (32 / s.lanes);
  std::string note = fmt::format(
      "every thread of the warp names the same tensor-memory address; {} repeat{}, {} register{} per thread, "
      "{} "
      "lanes x {} columns of 32 bits: a warp's 32 lanes of a 256-column accumulator take {} of them",
      repeats, repeats == 1 ? "" : "s", s.lanes * columns / 32, s.lanes * columns == 32 ? "" : "s", s.lanes,
      columns, loads);
  if (repeats == 1)
    note += fmt::format("; warning: x1 is the narrowest, a wider repeat (up to x{}) needs fewer instructions",
                        s.most_repeats);
  return note;
}

// "32x32b.x16" after tcgen05.ld. or tcgen05.st.
Result<CopyAtom> tensor_memory_atom(std::string_view name, std::string_view rest, bool store) {
  const auto parts = cutelab::split(rest, '.');
  for (const TensorMemoryShape& s : tensor_memory_shapes) {
    if (parts.size() != 2 || parts[0] != s.name || parts[1].empty() || parts[1][0] != 'x') continue;
    const auto repeats = parse_integer(parts[1].substr(1));
    if (!repeats || *repeats < 1 || *repeats > s.most_repeats ||
        !std::has_single_bit(static_cast<unsigned>(*repeats)))
      return unknown_copy(name, fmt::format("there is no repeat `{}`", parts[1]),
                          fmt::format("{} has x1, x2, x4 … x{}", s.name, s.most_repeats));
    const int count = static_cast<int>(*repeats);
    const Layout memory = written_copy(fmt::format("(32,{}):(0,1)", s.lanes * s.bits * count));
    const Layout registers = written_copy(tensor_memory_registers(s, count));
    return CopyAtom{std::string(name), store ? registers : memory, store ? memory : registers,
                    tensor_memory_note(s, count)};
  }
  return unknown_copy(name, "not SHAPE.xREPEATS", "shapes: 16x64b, 16x128b, 16x256b, 32x32b");
}

// "64x128.b16" after tma.load. and its like: a box of 64 contiguous by 128 elements of 16 bits.
Result<CopyAtom> box_atom(std::string_view name, std::string_view rest) {
  const auto parts = cutelab::split(rest, '.');
  const auto bits = parts.size() == 2 && parts[1].size() > 1 && parts[1][0] == 'b'
                        ? parse_integer(parts[1].substr(1))
                        : std::nullopt;
  if (!bits || *bits < 4 || *bits > 64)
    return unknown_copy(name, "not tma.KIND.BOX.bBITS",
                        "such as tma.load.64x128.b16, the contiguous extent first");
  long long total = *bits;
  const auto extents = cutelab::split(parts[0], 'x');
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto extent = parse_integer(extents[i]);
    if (!extent || *extent < 1 || *extent > 256 || extents.size() > 5)
      return unknown_copy(name, "a box has 1 to 5 extents of at most 256 elements",
                          "cut the tile into several boxes");
    if (i == 0 && *extent * *bits % 128 != 0)
      return unknown_copy(name,
                          fmt::format("a row of {} bits is not a multiple of 16 bytes", *extent * *bits), "");
    total *= *extent;
  }
  const Layout bytes = written_copy(fmt::format("(1,{}):(0,1)", total));
  return CopyAtom{std::string(name), bytes, bytes,
                  fmt::format("one thread moves the whole box, {} bytes, through a descriptor", total / 8)};
}

}  // namespace

Result<CopyAtom> copy_atom(std::string_view name) {
  const auto after = [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
    return name.substr(prefix.size());
  };
  for (const Copy& copy : matrix_copies) {
    const Layout memory = written_copy(std::string(copy.memory));
    const Layout registers = written_copy(std::string(copy.registers));
    if (after("ldmatrix.") == copy.name)
      return CopyAtom{
          std::string(name), memory, registers,
          "threads name 16-byte rows; those beyond the matrices' rows repeat them (thread stride 0)"};
    if (after("stmatrix.") == copy.name)
      return CopyAtom{std::string(name), registers, memory, "the mirror of ldmatrix"};
  }
  if (const auto rest = after("tcgen05.ld.")) return tensor_memory_atom(name, *rest, false);
  if (const auto rest = after("tcgen05.st.")) return tensor_memory_atom(name, *rest, true);
  for (const char* kind : {"tma.load.", "tma.multicast.", "tma.store.", "tma.reduce."})
    if (const auto rest = after(kind)) return box_atom(name, *rest);
  return unknown_copy(name, "there is no such copy", join(copy_atom_names(), ", "));
}

std::vector<std::string> copy_atom_names() {
  std::vector<std::string> out;
  for (const char* kind : {"ldmatrix.", "stmatrix."})
    for (const Copy& copy : matrix_copies) out.push_back(kind + std::string(copy.name));
  for (const char* kind : {"tcgen05.ld.", "tcgen05.st."})
    for (const TensorMemoryShape& s : tensor_memory_shapes)
      for (int repeats = 1; repeats <= s.most_repeats; repeats *= 2)
        out.push_back(fmt::format("{}{}.x{}", kind, s.name, repeats));
  for (const char* kind : {"load", "multicast", "store", "reduce"})
    out.push_back(fmt::format("tma.{}.64x128.b16", kind));
  return out;
}

}  // namespace cutelab::layout
