#include <algorithm>
#include <array>
#include <numeric>

#include "reading/models/models.h"

namespace cutelab::reading::models {
using Kind = Abstract::Kind;
using source::Node;
namespace {

std::string_view leaf(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

constexpr std::array<std::string_view, 28> known_leaves = {"len",
                                                           "min",
                                                           "max",
                                                           "int",
                                                           "bool",
                                                           "float",
                                                           "abs",
                                                           "sum",
                                                           "tuple",
                                                           "list",
                                                           "prod",
                                                           "ceil",
                                                           "gcd",
                                                           "lcm",
                                                           "const_expr",
                                                           "ceil_div",
                                                           "round_up",
                                                           "Int32",
                                                           "Int64",
                                                           "Uint32",
                                                           "size",
                                                           "get_smem_capacity_in_bytes",
                                                           "Boolean",
                                                           "isinstance",
                                                           "getattr",
                                                           "Constexpr",
                                                           "cluster_shape_to_tma_atom_A",
                                                           "cluster_shape_to_tma_atom_B"};

std::optional<std::int64_t> product(const Abstract& a) {
  if (a.is_number()) return a.number;
  if (!a.is(Kind::tuple)) return std::nullopt;
  std::int64_t out = 1;
  for (const Abstract& item : a.items) {
    const auto one = product(item);
    if (!one || __builtin_mul_overflow(out, *one, &out)) return std::nullopt;
  }
  return out;
}

/// ceil(a / b) for integers, item by item for tuples of equal length.
std::optional<Abstract> ceil_div(const Abstract& a, const Abstract& b, bool times_b) {
  if (a.is_number() && b.is_number() && b.number > 0) {
    const std::int64_t q = a.number / b.number + (a.number % b.number > 0 ? 1 : 0);
    return Abstract::integer(times_b ? q * b.number : q);
  }
  if (!a.is(Kind::tuple) || !b.is(Kind::tuple) || a.items.size() < b.items.size()) return std::nullopt;
  Abstract out = a;
  for (std::size_t i = 0; i < b.items.size(); ++i) {
    const auto one = ceil_div(a.items[i], b.items[i], times_b);
    if (!one) return std::nullopt;
    out.items[i] = *one;
  }
  return out;
}

std::optional<Abstract> extreme(const std::vector<Abstract>& arguments, bool smallest) {
  const std::vector<Abstract>& items =
      arguments.size() == 1 && arguments[0].is(Kind::tuple) ? arguments[0].items : arguments;
  if (items.empty()) return std::nullopt;
  for (const Abstract& a : items)
    if (!a.is_number()) return std::nullopt;
  const auto less = [](const Abstract& a, const Abstract& b) { return a.number < b.number; };
  return smallest ? *std::min_element(items.begin(), items.end(), less)
                  : *std::max_element(items.begin(), items.end(), less);
}

/// The load operation the library takes for an operand: multicast for A if the cluster's N is not 1, for B if
/// its M is more than the CTAs that one MMA spans (blackwell_helpers.py of the DSL). M of 2 may be one pair
/// of CTAs: not told here.
std::optional<Abstract> load_operation(char operand, const Abstract& cluster) {
  if (!cluster.is(Kind::tuple) || cluster.items.size() < 2) return std::nullopt;
  const Abstract& extent = cluster.items[operand == 'A' ? 1 : 0];
  if (!extent.is_number() || (operand == 'B' && extent.number == 2)) return std::nullopt;
  return Abstract::name(extent.number == 1 ? "cutlass.cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp"
                                           : "cutlass.cute.nvgpu.cpasync.CopyBulkTensorTileG2SMulticastOp");
}

std::optional<Abstract> total(const Abstract& a) {
  if (!a.is(Kind::tuple)) return std::nullopt;
  std::int64_t out = 0;
  for (const Abstract& item : a.items)
    if (!item.is_number() || __builtin_add_overflow(out, item.number, &out)) return std::nullopt;
  return Abstract::integer(out);
}

std::optional<Abstract> one_argument(std::string_view name, const Abstract& a) {
  if (name == "const_expr" || name == "Constexpr") return a;
  if (name == "len" && a.is(Kind::tuple)) return Abstract::integer(static_cast<std::int64_t>(a.items.size()));
  if ((name == "tuple" || name == "list") && a.is(Kind::tuple)) return a;
  if (name == "sum") return total(a);
  if (name == "prod" || name == "size") {
    const auto p = product(a);
    return p ? std::optional<Abstract>(Abstract::integer(*p)) : std::nullopt;
  }
  if ((name == "int" || name == "Int32" || name == "Int64" || name == "Uint32" || name == "ceil") &&
      a.is_number())
    return Abstract::integer(a.number);
  if (name == "int" && a.is(Kind::real) && a.real > -1e15 && a.real < 1e15)
    return Abstract::integer(static_cast<std::int64_t>(a.real));
  if ((name == "bool" || name == "Boolean") && a.is_number()) return Abstract::boolean(a.number != 0);
  if (name == "abs" && a.is_number() && a.number != INT64_MIN)
    return Abstract::integer(a.number < 0 ? -a.number : a.number);
  if (name == "get_smem_capacity_in_bytes" && a.is(Kind::text)) {
    const auto bytes = shared_memory_capacity(a.text);
    return bytes ? std::optional<Abstract>(Abstract::integer(*bytes)) : std::nullopt;
  }
  return std::nullopt;
}
}  // namespace

bool knows(const std::string& path) {
  if (path == "os.getenv" || path == "os.environ.get") return true;
  return std::find(known_leaves.begin(), known_leaves.end(), leaf(path)) != known_leaves.end();
}

std::optional<Abstract> call(const std::string& path, const std::vector<Abstract>& arguments, Node) {
  const std::string_view name = leaf(path);
  // The reading is one for every environment: nothing is set in it.
  if ((name == "getenv" || path == "os.environ.get") && !arguments.empty() && arguments.size() <= 2)
    return arguments.size() == 2 ? arguments[1] : Abstract::none();
  if (name == "min" || name == "max") return extreme(arguments, name == "min");
  if (arguments.size() == 2) {
    if (name == "ceil_div") return ceil_div(arguments[0], arguments[1], false);
    if (name == "round_up") return ceil_div(arguments[0], arguments[1], true);
    if (name.starts_with("cluster_shape_to_tma_atom_")) return load_operation(name.back(), arguments[0]);
    if ((name == "gcd" || name == "lcm") && arguments[0].is_number() && arguments[1].is_number())
      return Abstract::integer(
          name == "gcd" ? std::gcd(arguments[0].number, arguments[1].number)
                        : std::lcm(arguments[0].number & 0xFFFFFFF, arguments[1].number & 0xFFFFFFF));
  }
  if (arguments.size() == 1) return one_argument(name, arguments[0]);
  return std::nullopt;
}

std::optional<int> bits_of_type(std::string_view name) {
  struct Entry {
    std::string_view name;
    int bits;
  };
  static constexpr std::array<Entry, 25> types = {
      {{"Float64", 64},      {"Float32", 32},     {"TFloat32", 32},
       {"Float16", 16},      {"BFloat16", 16},    {"Float8E4M3FN", 8},
       {"Float8E5M2", 8},    {"Float8E4M3", 8},   {"Float8E4M3B11FNUZ", 8},
       {"Float8E8M0FNU", 8}, {"Float6E2M3FN", 6}, {"Float6E3M2FN", 6},
       {"Float4E2M1FN", 4},  {"Int64", 64},       {"Int32", 32},
       {"Int16", 16},        {"Int8", 8},         {"Int4", 4},
       {"Uint64", 64},       {"Uint32", 32},      {"Uint16", 16},
       {"Uint8", 8},         {"Boolean", 8},      {"Int128", 128},
       {"Uint4", 4}}};
  const std::string_view last = leaf(name);
  for (const Entry& e : types)
    if (e.name == last) return e.bits;
  return std::nullopt;
}

std::optional<Abstract> attribute_of_name(const std::string& path, const std::string& attribute) {
  if (attribute != "width") return std::nullopt;
  const auto bits = bits_of_type(path);
  return bits ? std::optional<Abstract>(Abstract::integer(*bits)) : std::nullopt;
}

std::optional<std::int64_t> shared_memory_capacity(std::string_view arch) {
  // CUDA programming guide, "Technical specifications per compute capability": opt-in maximum per thread
  // block.
  struct Entry {
    std::string_view arch;
    std::int64_t bytes;
  };
  static constexpr std::array<Entry, 10> capacities = {{{"sm_80", 166912},
                                                        {"sm_86", 101376},
                                                        {"sm_87", 166912},
                                                        {"sm_89", 101376},
                                                        {"sm_90", 232448},
                                                        {"sm_100", 232448},
                                                        {"sm_103", 232448},
                                                        {"sm_110", 232448},
                                                        {"sm_120", 101376},
                                                        {"sm_121", 101376}}};
  while (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) arch.remove_suffix(1);
  for (const Entry& e : capacities)
    if (e.arch == arch) return e.bytes;
  return std::nullopt;
}

}  // namespace cutelab::reading::models
