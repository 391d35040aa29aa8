#include "layout/atoms.h"

#include <algorithm>

#include "base/text.h"
#include "layout/fault.h"
#include "layout/parse.h"

namespace cutelab::layout {
namespace {

struct Type {
  std::string_view name;
  int bits;
  int scaled = 0;  // elements of K that share a scale factor; 0: not block-scaled
};
constexpr Type types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32},    {"e4m3", 8},     {"e5m2", 8},
                          {"e3m2", 8}, {"e2m3", 8},  {"e2m1", 8},     {"s8", 8},       {"u8", 8},
                          {"s4", 4},   {"f64", 64},  {"mxf8", 8, 32}, {"mxf4", 4, 32}, {"nvf4", 4, 16}};

struct Name {
  std::string_view family;
  int m = 0, n = 0, k = 0;
  Type type{};
  bool register_a = false;  // .rs
  bool tmem_a = false;      // .ts
  bool pair = false;        // .cta2
};

Error unknown(std::string_view name, std::string wrong, std::string remedy) {
  return Error{ErrorKind::input, fmt::format("atom {}", name), std::move(wrong), "", std::move(remedy)};
}

// "m16n8k16" -> 16, 8, 16
bool read_shape(std::string_view text, Name& out) {
  const auto n = text.find('n');
  const auto k = text.find('k');
  if (text.empty() || text[0] != 'm' || n == std::string_view::npos || k == std::string_view::npos || k < n)
    return false;
  const auto m_value = parse_integer(text.substr(1, n - 1));
  const auto n_value = parse_integer(text.substr(n + 1, k - n - 1));
  const auto k_value = parse_integer(text.substr(k + 1));
  const auto sane = [](const std::optional<long long>& v) { return v && *v > 0 && *v <= 1024; };
  if (!sane(m_value) || !sane(n_value) || !sane(k_value)) return false;
  out.m = static_cast<int>(*m_value);
  out.n = static_cast<int>(*n_value);
  out.k = static_cast<int>(*k_value);
  return true;
}

Result<Name> read_name(std::string_view name) {
  const auto parts = split(name, '.');
  Name out;
  out.family = parts[0];
  if (parts.size() < 3 || !read_shape(parts[1], out))
    return unknown(name, "not FAMILY.mMnNkK.TYPE",
                   "such as wgmma.m64n128k16.f16; families: mma, wgmma, tcgen05");
  const auto type =
      std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return t.name == parts[2]; });
  if (type == std::end(types)) {
    std::vector<std::string> names;
    for (const Type& t : types) names.emplace_back(t.name);
    return unknown(name, fmt::format("there is no type `{}`", parts[2]), "types: " + join(names, ", "));
  }
  out.type = *type;
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (parts[i] == "rs")
      out.register_a = true;
    else if (parts[i] == "ts")
      out.tmem_a = true;
    else if (parts[i] == "cta2")
      out.pair = true;
    else
      return unknown(name, fmt::format("there is no variant `{}`", parts[i]), "variants: rs, ts, cta2");
  }
  return out;
}

// Shapes and strides written out; both are ours, so a failure is a fault of this table.
Layout written(const std::string& text) { return parse_layout(text)->layout(); }

// Fragments of mma.m16n8: a register holds 32/bits neighbours along K.
std::string warp_a(int per_register, int k_halves) {
  const int r = per_register;
  const std::string row = r > 1 ? fmt::format("{},", r) : "";
  const std::string row_stride = r > 1 ? "16," : "";
  if (k_halves == 1)
    return r > 1 ? fmt::format("((4,8),({}2)):(({},1),({}8))", row, 16 * r, row_stride)
                 : "((4,8),2):((16,1),8)";
  return fmt::format("((4,8),({}2,2)):(({},1),({}8,{}))", row, 16 * r, row_stride, 64 * r);
}

std::string warp_b(int per_register, int k_halves) {
  const int r = per_register;
  if (k_halves == 1) return r > 1 ? fmt::format("((4,8),{}):(({},1),8)", r, 8 * r) : "((4,8),1):((8,1),0)";
  if (r == 1) return "((4,8),2):((8,1),32)";
  return fmt::format("((4,8),({},2)):(({},1),(8,{}))", r, 8 * r, 32 * r);
}

Result<MmaAtom> warp_atom(std::string_view name, const Name& n) {
  MmaAtom out;
  const int per_register = 32 / n.type.bits;
  const int k_register = per_register * 4;  // K that one register per thread covers
  if (n.type.name == "f64" && n.m == 8 && n.n == 8 && n.k == 4) {
    out.a = out.b = written("((4,8),1):((8,1),0)");
    out.c = written("((4,8),2):((16,1),8)");
  } else if (n.type.bits == 8 && n.m == 8 && n.n == 8 && n.k == 16) {
    out.a = out.b = written("((4,8),4):((32,1),8)");
    out.c = written("((4,8),2):((16,1),8)");
  } else if (n.m == 16 && n.n == 8 && n.type.bits <= 32 && (n.k == k_register || n.k == 2 * k_register)) {
    out.a = written(warp_a(per_register, n.k / k_register));
    out.b = written(warp_b(per_register, n.k / k_register));
    out.c = written("((4,8),(2,2)):((32,1),(16,8))");
  } else {
    return unknown(name, "no warp instruction has this shape",
                   fmt::format("m16n8k{} or m16n8k{} for {}", k_register, 2 * k_register, n.type.name));
  }
  out.a_source = "registers";
  out.threads = written("32:1");
  out.note = "every operand lies in the registers of one warp";
  if (n.type.scaled)
    out.note += fmt::format("; one scale factor per {} elements of K, in registers too", n.type.scaled);
  return out;
}

Result<MmaAtom> warpgroup_atom(std::string_view name, const Name& n) {
  if (n.type.scaled || n.m != 64 || n.n % 8 != 0 || n.n > 256 || n.k * n.type.bits != 256)
    return unknown(
        name, "wgmma is m64, n a multiple of 8 up to 256, K is 32 bytes, and its types are not block-scaled",
        fmt::format("m64n128k{}", 256 / n.type.bits));
  MmaAtom out;
  out.a = written(fmt::format("(128,(64,{})):(0,(1,64))", n.k));
  out.b = written(fmt::format("(128,({},{})):(0,(1,{}))", n.n, n.k, n.n));
  out.c = written(fmt::format("((4,8,4),(2,2,{})):((128,1,16),(64,8,512))", n.n / 8));
  out.a_source = n.register_a ? "registers" : "smem";
  out.note =
      "A and B are read from shared memory through descriptors, so every thread addresses the whole tile "
      "(thread "
      "stride 0); only C is distributed over the threads";
  if (n.register_a) {
    const int r = 32 / n.type.bits;
    out.a = written(r > 1 ? fmt::format("((4,8,4),({},2,2)):(({},1,16),(64,8,{}))", r, 64 * r, 256 * r)
                          : std::string("((4,8,4),(2,2)):((64,1,16),(8,256))"));
    out.note =
        "B is read from shared memory through a descriptor (thread stride 0); A and C are distributed over "
        "the threads";
  }
  out.threads = written("128:1");
  return out;
}

Result<MmaAtom> tcgen05_atom(std::string_view name, const Name& n) {
  const bool shape = n.pair ? n.m == 128 || n.m == 256 : n.m == 64 || n.m == 128;
  const int step = n.m == 64 || n.type.scaled ? 8 : 16;
  if (n.type.scaled && (n.tmem_a || n.m != (n.pair ? 256 : 128)))
    return unknown(name, "a block-scaled tcgen05.mma is m128 (m256 with .cta2) with A in shared memory",
                   fmt::format("tcgen05.m128n128k{}.{}", 256 / n.type.bits, n.type.name));
  if (!shape || n.n % step != 0 || n.n > 256 || n.k * n.type.bits != 256 || (n.pair && n.n % 32 != 0))
    return unknown(name,
                   "tcgen05.mma is m64 or m128 (m128 or m256 with .cta2), n a multiple of 8 or 16 up to 256, "
                   "and K is 32 bytes",
                   fmt::format("m128n128k{}", 256 / n.type.bits));
  MmaAtom out;
  const auto operand = [&](int rows, int columns) {
    return n.pair ? written(fmt::format("(2,({},{})):({},(1,{}))", rows / 2, columns, rows / 2, rows))
                  : written(fmt::format("(1,({},{})):(0,(1,{}))", rows, columns, rows));
  };
  out.a = operand(n.m, n.k);
  out.b = operand(n.n, n.k);
  out.c = operand(n.m, n.n);
  out.a_source = n.tmem_a ? "tmem" : "smem";
  out.threads = written(n.pair ? "2:1" : "1:0");
  out.note = n.pair ? "one thread of the CTA pair issues it; the \"threads\" are the two CTAs, each holds "
                      "half of A's rows and of B's"
                    : "one thread issues it; A and B come from shared memory, C lies in tensor memory";
  if (n.tmem_a) out.note = "one thread issues it; A and C lie in tensor memory, B comes from shared memory";
  if (n.type.scaled)
    out.note +=
        fmt::format("; one scale factor per {} elements of K, read from tensor memory", n.type.scaled);
  return out;
}

}  // namespace

Result<MmaAtom> mma_atom(std::string_view name) {
  auto read = read_name(name);
  if (!read) return read.error();
  Result<MmaAtom> atom =
      unknown(name, fmt::format("there is no family `{}`", read->family), "families: mma, wgmma, tcgen05");
  if (read->family == "mma") atom = warp_atom(name, *read);
  if (read->family == "wgmma") atom = warpgroup_atom(name, *read);
  if (read->family == "tcgen05") atom = tcgen05_atom(name, *read);
  if (!atom) return atom;
  atom->name = std::string(name);
  atom->m = read->m;
  atom->n = read->n;
  atom->k = read->k;
  atom->a_bits = read->type.bits;
  return atom;
}

std::vector<std::string> mma_atom_names() {
  return {"mma.m16n8k8.f16",
          "mma.m16n8k16.f16",
          "mma.m16n8k16.bf16",
          "mma.m16n8k4.tf32",
          "mma.m16n8k8.tf32",
          "mma.m16n8k16.s8",
          "mma.m16n8k32.s8",
          "mma.m16n8k32.e4m3",
          "mma.m16n8k64.s4",
          "mma.m8n8k4.f64",
          "mma.m8n8k16.s8",
          "wgmma.m64n8k16.f16",
          "wgmma.m64n64k16.f16",
          "wgmma.m64n128k16.bf16",
          "wgmma.m64n256k16.f16",
          "wgmma.m64n128k8.tf32",
          "wgmma.m64n128k32.e4m3",
          "wgmma.m64n128k32.s8",
          "wgmma.m64n128k16.f16.rs",
          "wgmma.m64n128k8.tf32.rs",
          "wgmma.m64n64k32.s8.rs",
          "tcgen05.m64n64k16.f16",
          "tcgen05.m128n256k16.f16",
          "tcgen05.m128n128k32.e4m3",
          "tcgen05.m128n128k8.tf32",
          "tcgen05.m256n128k16.f16.cta2",
          "tcgen05.m256n256k32.e4m3.cta2",
          "tcgen05.m128n128k16.f16.ts",
          "tcgen05.m128n128k32.mxf8",
          "tcgen05.m128n128k64.mxf4",
          "tcgen05.m128n192k64.nvf4",
          "tcgen05.m256n256k64.nvf4.cta2",
          "mma.m16n8k64.nvf4",
          "mma.m16n8k32.mxf8"};
}

}  // namespace cutelab::layout
