#include "kernel/tile_program.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace cutelab::kernel {
namespace {

using TileJson = nlohmann::ordered_json;

TileJson tile_json(const TileParameter& p) {
  switch (p.kind) {
    case TileParameter::Kind::integer:
      return static_cast<std::int64_t>(p.number);
    case TileParameter::Kind::real:
      return p.number;
    case TileParameter::Kind::flag:
      return p.number != 0;
    case TileParameter::Kind::array:
      break;
  }
  return {{"array", name_of(p.dtype)},
          {"rank", p.shape.size()},
          {"contiguous", p.contiguous},
          {"divisible", p.divisible}};
}

/// Appends numbers to a block, and takes them from it.
class BlockWriter {
 public:
  template <class T>
  void put(T value) {
    const auto at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  std::vector<std::byte> bytes;
};

class BlockReader {
 public:
  explicit BlockReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    if (bytes_.size() - at_ < sizeof value) {
      whole_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::vector<std::byte> take_bytes(std::size_t count) {
    if (bytes_.size() - at_ < count) {
      whole_ = false;
      return {};
    }
    const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  bool whole() const { return whole_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
  bool whole_ = true;
};

constexpr std::uint32_t block_mark = 0x454c4954;  // "TILE"

void put_array(const TileParameter& p, const std::map<std::string, unsigned long long>& addresses,
               BlockWriter& out) {
  const auto found = addresses.find(p.tensor);
  const bool workspace = p.workspace >= 0;
  out.put(std::uint8_t{8});
  out.put(static_cast<std::uint8_t>(workspace));
  out.put(workspace ? static_cast<std::uint64_t>(p.workspace)
                    : std::uint64_t{found == addresses.end() ? 0 : found->second});
  for (const auto* numbers : {&p.shape, &p.strides})
    for (const std::int64_t number : *numbers) {
      out.put(std::uint8_t{4});
      out.put(std::uint8_t{0});
      out.put(static_cast<std::int32_t>(number));
    }
}

/// Scalars of the convention: a pointer, the extents, the strides of each array.
std::uint32_t values_of(const TileStep& step) {
  std::size_t count = 0;
  for (const TileParameter& p : step.parameters)
    if (p.kind == TileParameter::Kind::array) count += 1 + 2 * p.shape.size();
  return static_cast<std::uint32_t>(count);
}

/// Why an array is not as the compiled code takes it for granted; empty = it is.
std::string array_fault(const TileParameter& p) {
  for (std::size_t i = 0; i < p.shape.size(); ++i) {
    const bool unit = i == p.contiguous;
    if (p.shape[i] > INT32_MAX || p.strides[i] > INT32_MAX)
      return fmt::format("an extent or a stride of {} does not fit in 32 bits", p.tensor);
    if (unit && p.strides[i] != 1) return p.tensor + " is not contiguous where it should be";
    if ((unit ? p.shape[i] : p.strides[i]) % p.divisible != 0)
      return fmt::format("{} is not aligned to {} elements", p.tensor, p.divisible);
  }
  return "";
}

}  // namespace

Status check_tile_program(const TileProgram& program) {
  constexpr unsigned most_blocks = 65535;  // of a grid's second and third extent
  const auto refuse = [](const TileStep& step, std::string wrong) {
    return Error{ErrorKind::usage, "launch " + step.function, std::move(wrong), "",
                 "take a smaller or an aligned problem"};
  };
  for (const TileStep& step : program.steps) {
    if (step.grid[0] > INT32_MAX || step.grid[1] > most_blocks || step.grid[2] > most_blocks)
      return refuse(step, fmt::format("a grid of {}×{}×{} tile blocks is more than a device takes",
                                      step.grid[0], step.grid[1], step.grid[2]));
    for (const TileParameter& p : step.parameters)
      if (std::string fault = array_fault(p); !fault.empty()) return refuse(step, std::move(fault));
  }
  return {};
}

TileParameter TileParameter::dense(std::string tensor, DType dtype, std::vector<std::int64_t> shape,
                                   std::int64_t divisible) {
  TileParameter p;
  p.tensor = std::move(tensor);
  p.dtype = dtype;
  p.shape = std::move(shape);
  p.strides.assign(p.shape.size(), 1);
  for (std::size_t i = p.shape.size(); i > 1; --i) p.strides[i - 2] = p.strides[i - 1] * p.shape[i - 1];
  p.contiguous = p.shape.empty() ? 0 : p.shape.size() - 1;
  p.divisible = divisible;
  return p;
}

std::vector<std::string> tile_requests(const TileProgram& program) {
  std::vector<std::string> lines;
  for (const TileStep& step : program.steps) {
    TileJson parameters = TileJson::array();
    for (const TileParameter& p : step.parameters) parameters.push_back(tile_json(p));
    const TileJson line = {
        {"function", step.function}, {"warps", step.warps}, {"parameters", std::move(parameters)}};
    lines.push_back(line.dump());
  }
  return lines;
}

std::vector<std::byte> tile_arguments(const TileProgram& program,
                                      const std::map<std::string, unsigned long long>& addresses) {
  BlockWriter out;
  out.put(block_mark);
  out.put(static_cast<std::uint32_t>(program.steps.size()));
  out.put(program.workspace_bytes);
  for (const TileStep& step : program.steps) {
    for (const unsigned extent : step.grid) out.put(std::uint32_t{extent});
    out.put(values_of(step));
    for (const TileParameter& p : step.parameters)
      if (p.kind == TileParameter::Kind::array) put_array(p, addresses, out);
  }
  return std::move(out.bytes);
}

std::vector<TileLaunch> tile_launches(const std::vector<std::byte>& block, std::int64_t& workspace_bytes) {
  BlockReader in(block);
  if (in.take<std::uint32_t>() != block_mark) return {};
  const auto steps = in.take<std::uint32_t>();
  workspace_bytes = in.take<std::int64_t>();
  std::vector<TileLaunch> launches;
  for (std::uint32_t i = 0; i < steps && in.whole(); ++i) {
    TileLaunch launch;
    for (unsigned& extent : launch.grid) extent = in.take<std::uint32_t>();
    const auto values = in.take<std::uint32_t>();
    for (std::uint32_t v = 0; v < values && in.whole(); ++v) {
      const auto size = in.take<std::uint8_t>();
      if (in.take<std::uint8_t>() != 0) launch.in_workspace.push_back(v);
      launch.parameters.push_back(in.take_bytes(size));
    }
    launches.push_back(std::move(launch));
  }
  if (!in.whole() || !in.at_end()) return {};
  return launches;
}

}  // namespace cutelab::kernel
