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

constexpr std::string_view rows_note =
    "threads name 16-byte rows; those beyond the matrices' rows repeat them (thread stride 0)";
constexpr std::string_view bytes_note =
    "8-bit elements, transposed: threads name 16-byte rows of 16x16 (stmatrix: 16x8) matrices, each register "
    "holds four neighbours of a column";
constexpr std::string_view narrow_note =
    "16 elements of 4 bits and 64 bits of padding, or 16 of 6 bits and 32 of padding, are a 16-byte row of "
    "shared memory; each becomes a byte in the registers";

struct Copy {
  std::string_view name;       // after ldmatrix. or stmatrix.
  std::string_view memory;     // (thread, bit) on the side of shared memory
  std::string_view registers;  // (thread, bit) on the side of the registers
  std::string_view note = rows_note;
  bool load = true, store = true;
};
constexpr std::string_view x1 = "((8,4),128):((128,0),1)";
constexpr std::string_view x2 = "((16,2),128):((128,0),1)";
constexpr std::string_view x4 = "(32,128):(128,1)";
constexpr std::string_view one = "(32,32):(32,1)";
constexpr std::string_view two = "(32,(32,2)):(32,(1,1024))";
constexpr std::string_view four = "(32,(32,4)):(32,(1,1024))";
constexpr Copy matrix_copies[] = {
    {"x1", x1, one},
    {"x2", x2, two},
    {"x4", x4, four},
    {"x1.trans", x1, "((4,8),(16,2)):((256,16),(1,128))"},
    {"x2.trans", x2, "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    {"x4.trans", x4, "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    {"m16n16.x1.trans.b8", "((2,2,4,2),128):((128,1024,256,0),1)",
     "((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))", bytes_note, true, false},
    {"m16n16.x2.trans.b8", "((2,2,4,2),128):((128,1024,256,2048),1)",
     "((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))", bytes_note, true, false},
    {"m16n8.x1.trans.b8", x1, "((4,8),(8,2,2)):((256,8),(1,128,64))", bytes_note, false, true},
    {"m16n8.x2.trans.b8", x2, "((4,8),(8,2,2,2)):((256,8),(1,128,64,1024))", bytes_note, false, true},
    {"m16n8.x4.trans.b8", x4, "((4,8),(8,2,2,4)):((256,8),(1,128,64,1024))", bytes_note, false, true},
    {"m8n16.x1.b4x16_p64", x1, one, narrow_note, true, false},
    {"m8n16.x2.b4x16_p64", x2, two, narrow_note, true, false},
    {"m8n16.x4.b4x16_p64", x4, four, narrow_note, true, false},
    {"m8n16.x1.b6x16_p32", x1, one, narrow_note, true, false},
    {"m8n16.x2.b6x16_p32", x2, two, narrow_note, true, false},
    {"m8n16.x4.b6x16_p32", x4, four, narrow_note, true, false},
};

// A shape of tcgen05.ld and .st: lanes by bits per repeat.
struct TensorMemoryShape {
  std::string_view name;
  int lanes;
  int bits;  // of one lane per repeat
  int most_repeats;
};
constexpr TensorMemoryShape tensor_memory_shapes[] = {{"16x64b", 16, 64, 128},
                                                      {"16x128b", 16, 128, 64},
                                                      {"16x256b", 16, 256, 32},
                                                      {"32x32b", 32, 32, 128},
                                                      {"16x32bx2", 16, 64, 128}};

// (thread, bit) on the side of the registers; lanes follow one another every `row` bits.
std::string tensor_memory_registers(const TensorMemoryShape& s, int repeats) {
  const int row = s.bits * repeats;
  if (s.name == "16x32bx2") return fmt::format("((16,2),{}):(({},{}),1)", row / 2, row, row / 2);
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

// Bit to bit address: columns of 32 bits stand side by side, lanes 2^16 columns apart. Packed, a column's low
// half alone counts.
Layout tensor_memory_address(const TensorMemoryShape& s, int repeats, bool packed) {
  const int row = s.bits * repeats;
  if (packed) return written_copy(fmt::format("((16,{}),{}):((1,32),2097152)", row / 16, s.lanes));
  return written_copy(fmt::format("({},{}):(1,2097152)", row, s.lanes));
}

std::string tensor_memory_note(const TensorMemoryShape& s, int repeats, bool packed) {
  const int columns = s.bits * repeats / (packed ? 16 : 32);
  const int registers = s.lanes * s.bits * repeats / 1024;
  const int loads = (256 + columns - 1) / columns * (32 / s.lanes);
  std::string note = fmt::format(
      "every thread of the warp names the same tensor-memory address; {} repeat{}, {} register{} per thread, "
      "{} "
      "lanes x {} columns of 32 bits: a warp's 32 lanes of a 256-column accumulator take {} of them",
      repeats, repeats == 1 ? "" : "s", registers, registers == 1 ? "" : "s", s.lanes, columns, loads);
  if (packed) note += "; two columns' low 16 bits share a register";
  if (repeats == 1)
    note += fmt::format("; warning: x1 is the narrowest, a wider repeat (up to x{}) needs fewer instructions",
                        s.most_repeats);
  return note;
}

// "32x32b.x16" after tcgen05.ld. or tcgen05.st.
Result<CopyAtom> tensor_memory_atom(std::string_view name, std::string_view rest, bool store) {
  const auto parts = cutelab::split(rest, '.');
  const std::string_view packing = store ? "unpack16b" : "pack16b";
  const bool packed = parts.size() == 3 && parts[2] == packing;
  for (const TensorMemoryShape& s : tensor_memory_shapes) {
    if (parts.size() != (packed ? 3u : 2u) || parts[0] != s.name || parts[1].empty() || parts[1][0] != 'x')
      continue;
    const auto repeats = parse_integer(parts[1].substr(1));
    if (!repeats || *repeats < 1 || *repeats > s.most_repeats ||
        !std::has_single_bit(static_cast<unsigned>(*repeats)))
      return unknown_copy(name, fmt::format("there is no repeat `{}`", parts[1]),
                          fmt::format("{} has x1, x2, x4 … x{}", s.name, s.most_repeats));
    const int count = static_cast<int>(*repeats);
    const Layout memory = written_copy(fmt::format("(32,{}):(0,1)", s.lanes * s.bits * count));
    const Layout registers = written_copy(tensor_memory_registers(s, count));
    std::string note = tensor_memory_note(s, count, packed);
    return CopyAtom{std::string(name), store ? registers : memory, store ? memory : registers,
                    std::move(note), tensor_memory_address(s, count, packed)};
  }
  return unknown_copy(name, fmt::format("not SHAPE.xREPEATS or SHAPE.xREPEATS.{}", packing),
                      "shapes: 16x64b, 16x128b, 16x256b, 32x32b, 16x32bx2");
}

CopyAtom matrix_atom(std::string_view name, const Copy& copy, bool store) {
  const Layout memory = written_copy(std::string(copy.memory));
  const Layout registers = written_copy(std::string(copy.registers));
  return CopyAtom{std::string(name),
                  store ? registers : memory,
                  store ? memory : registers,
                  (store ? "the mirror of ldmatrix: " : "") + std::string(copy.note),
                  {}};
}

// "64x128.b16" after tma.load. and its like: a box of 64 contiguous by 128 elements of 16 bits.
Result<CopyAtom> box_atom(std::string_view name, std::string_view kind, std::string_view rest) {
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
  std::string note = fmt::format("one thread moves the whole box, {} bytes, through a descriptor", total / 8);
  if (kind == "multicast")
    note +=
        "; every CTA of the mask gets it at the same offset of its own shared memory, and its own barrier "
        "counts all of its bytes";
  if (kind == "reduce") note += "; global memory takes the sum (or min, max …) of what it holds and the box";
  return CopyAtom{std::string(name), bytes, bytes, std::move(note), {}};
}

}  // namespace

Result<CopyAtom> copy_atom(std::string_view name) {
  const auto after = [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
    return name.substr(prefix.size());
  };
  for (const bool store : {false, true})
    if (const auto rest = after(store ? "stmatrix." : "ldmatrix."))
      for (const Copy& copy : matrix_copies)
        if (copy.name == *rest && (store ? copy.store : copy.load)) return matrix_atom(name, copy, store);
  if (const auto rest = after("tcgen05.ld.")) return tensor_memory_atom(name, *rest, false);
  if (const auto rest = after("tcgen05.st.")) return tensor_memory_atom(name, *rest, true);
  for (const char* kind : {"load", "multicast", "store", "reduce"})
    if (const auto rest = after(fmt::format("tma.{}.", kind))) return box_atom(name, kind, *rest);
  const auto near = nearest(name, copy_atom_names());
  return unknown_copy(name, "there is no such copy",
                      near ? fmt::format("did you mean {}?", *near)
                           : "such as ldmatrix.x4, ldmatrix.m16n16.x2.trans.b8, stmatrix.x2.trans, "
                             "tcgen05.ld.32x32b.x32, tma.load.64x128.b16");
}

std::vector<std::string> copy_atom_names() {
  std::vector<std::string> out;
  for (const bool store : {false, true})
    for (const Copy& copy : matrix_copies)
      if (store ? copy.store : copy.load)
        out.push_back((store ? "stmatrix." : "ldmatrix.") + std::string(copy.name));
  for (const bool store : {false, true})
    for (const TensorMemoryShape& s : tensor_memory_shapes)
      for (const char* packing : {"", store ? ".unpack16b" : ".pack16b"})
        for (int repeats = 1; repeats <= s.most_repeats; repeats *= 2)
          out.push_back(fmt::format("tcgen05.{}.{}.x{}{}", store ? "st" : "ld", s.name, repeats, packing));
  for (const char* kind : {"load", "multicast", "store", "reduce"})
    out.push_back(fmt::format("tma.{}.64x128.b16", kind));
  return out;
}

}  // namespace cutelab::layout
