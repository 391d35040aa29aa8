#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compiled/ir_reader.h"
#include "evidence/names.h"
#include "layout/parse.h"

namespace cutelab::compiled {
using evidence::Family;
namespace kind = evidence::kind;

namespace {

constexpr int most_steps = 256;

/// "214016:1" -> 214016 elements.
std::int64_t elements_of(std::string_view layout) {
  auto parsed = layout::parse_layout(layout);
  if (!parsed) return 0;
  const auto size = layout::cosize(*parsed);
  return size.known() ? size.value() : 0;
}

/// ["mainloop:96:0", "sA:98304:1024"]
std::vector<Member> members_of(std::string_view list) {
  std::vector<Member> members;
  for (const std::string_view entry : ir::parts_of(ir::bracketed(list))) {
    const std::string_view text = ir::quoted(entry);
    const auto second = text.rfind(':');
    const auto first = second == std::string_view::npos || second == 0 ? second : text.rfind(':', second - 1);
    if (first == std::string_view::npos) continue;
    const auto bytes = parse_integer(text.substr(first + 1, second - first - 1));
    const auto offset = parse_integer(text.substr(second + 1));
    if (bytes && offset) members.push_back({std::string(text.substr(0, first)), *bytes, *offset});
  }
  return members;
}

}  // namespace

/// Moves from a value to what it was made from. False: the way ends here.
bool IrReader::step(const ir::Operation& maker, Address& address, ir::Id& value) const {
  if (maker.name == "cute.memref.alloca") {
    address.allocation = module_.index_of(maker);
    return false;
  }
  const auto signature = ir::signature_of(maker);
  ir::Id next = module_.operand(maker, 0);
  if (maker.name == "cute.add_offset" || maker.name == "llvm.getelementptr") {
    const auto memory = signature.inputs.empty() ? std::nullopt : ir::memory_of(type(signature.inputs[0]));
    const auto count =
        signature.inputs.size() > 1 ? parse_integer(ir::quoted(type(signature.inputs[1]))) : std::nullopt;
    if (memory && count)
      address.offset += *count * ir::bits_of(memory->element) / 8;
    else
      address.exact = false;
  } else if (maker.name != "cute.get_iter" && maker.name != "cute.recast_iter" &&
             maker.name != "cute.make_view" && maker.name != "builtin.unrealized_conversion_cast") {
    address.exact = false;
    for (std::size_t i = signature.inputs.size(); i-- > 0;) {
      const std::string_view input = type(signature.inputs[i]);
      if (i < maker.operands && (input.find(", smem") != npos || input.find(", rmem") != npos))
        next = module_.operand(maker, i);
    }
  }
  value = next;
  return next != ir::none;
}

Address IrReader::address_of(ir::Id value) const {
  Address address;
  for (int steps = 0; value != ir::none && steps < most_steps; ++steps) {
    const ir::SsaValue& known = module_.values[value];
    if (known.argument) {
      address.exact = false;
      value = known.initial;
      continue;
    }
    const ir::Operation* maker = module_.maker(value);
    if (maker == nullptr || !step(*maker, address, value)) break;
  }
  return address;
}

const Member* IrReader::member_at(const Address& address) const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.operation != address.allocation) continue;
    for (const Member& member : buffer.members)
      if (address.offset >= member.offset && address.offset < member.offset + member.bytes) return &member;
  }
  return nullptr;
}

std::string IrReader::buffer_name(const Address& address) const {
  const Member* member = member_at(address);
  return member != nullptr ? member->name : std::string();
}

void IrReader::on_allocation(const ir::Operation& operation) {
  const auto memory = ir::memory_of(result_type(operation));
  if (memory && memory->space == "tmem")
    add(operation, {Family::D4, kind::tensor_memory_allocation, "", {}, "tensor memory asked for"});
  if (memory && memory->space == "rmem")  // a fact of its own where a gemm uses it
    add_lesser(operation, {Family::D4, "accumulator", "", {{"accumulator", stated("registers")}}, ""});
  if (!memory || memory->space != "smem") return;
  Buffer buffer;
  buffer.operation = module_.index_of(operation);
  buffer.bytes = elements_of(memory->layout) * ir::bits_of(memory->element) / 8;
  buffer.alignment = std::max<std::int64_t>(memory->alignment, 1);
  buffer.members = members_of(ir::attribute(operation.header, "smem.struct_fields"));
  const Values whole = {{"bytes", stated(buffer.bytes)}, {"alignment", stated(buffer.alignment)}};
  add(operation, {Family::H3, kind::allocation, "", whole,
                  fmt::format("{} bytes of shared memory, aligned to {}", with_thousands(buffer.bytes),
                              buffer.alignment)});
  if (!buffer.members.empty())
    add(operation, {Family::H3, kind::storage, "", whole,
                    fmt::format("struct of {} members in shared memory", buffer.members.size())});
  for (const Member& member : buffer.members)
    add(operation,
        {Family::H3,
         kind::storage_member,
         member.name,
         {{"bytes", stated(member.bytes)}, {"offset", stated(member.offset)}},
         fmt::format("{} bytes at offset {}", with_thousands(member.bytes), with_thousands(member.offset))});
  buffers_.push_back(std::move(buffer));
}

void IrReader::on_view(const ir::Operation& operation) {
  const auto memory = ir::memory_of(result_type(operation));
  if (!memory || memory->layout.empty()) return;
  const Place& place = places_.of(operation.location);
  if (place.made_by("copy") || place.made_by("gemm")) return;  // regrouped inside the library
  if (memory->space == "tmem")
    add(operation, {Family::D4,
                    "accumulator",
                    "",
                    {{"accumulator", stated("tensor-memory")}, {"layout", stated_layout("", memory->layout)}},
                    "tensor memory seen through a layout",
                    true});
  if (memory->space != "smem") return;
  const Address address = address_of(module_.operand(operation, 0));
  Values values = {{"layout", stated_layout(memory->swizzle, memory->layout)},
                   {"element", stated(memory->element)}};
  if (!memory->swizzle.empty()) values["swizzle"] = stated(memory->swizzle);
  const std::string name = buffer_name(address);
  if (!name.empty()) values["buffer"] = stated(name);
  add(operation,
      {Family::D6, memory->swizzle.empty() ? "shared-view" : "swizzle-applied", name, std::move(values),
       memory->swizzle.empty() ? "shared memory seen through a layout"
                               : fmt::format("swizzled by {}", memory->swizzle)});
}

void IrReader::on_layout(const ir::Operation& operation) {
  const std::string_view result = result_type(operation);
  if (!result.starts_with("!cute.composed_layout<")) return on_plain_layout(operation);
  const std::string_view text = ir::quoted(result);
  Values values = {{"layout", stated_layout("", text)}};
  if (text.starts_with("S<")) values["swizzle"] = stated(text.substr(0, text.find('>') + 1));
  const bool atom = operation.name == "cute.make_composed_layout";
  const evidence::Value layout = values["layout"];
  const auto before = out_.facts.size();
  evidence::Fact* fact =
      add(operation, {Family::D6, kind::shared_layout, atom ? "atom" : "", std::move(values),
                      atom ? "swizzled layout atom" : "swizzled layout", atom});
  // One call of the library makes a layout in steps: the last is the result.
  if (fact == nullptr || atom || out_.facts.size() == before || before == 0) return;
  evidence::Fact& earlier = out_.facts[before - 1];
  if (earlier.kind != fact->kind || !earlier.subject.empty() || !(earlier.at == fact->at) ||
      !(earlier.values["through"].origins == fact->values["through"].origins))
    return;
  earlier.values["layout"] = layout;
  out_.facts.pop_back();
}

/// A layout without a swizzle, a swizzle alone, or a constant: the line made one. Inside a call of the
/// library it is a step of what that makes, and says nothing of the result.
void IrReader::on_plain_layout(const ir::Operation& operation) {
  const std::string_view result = result_type(operation);
  const bool swizzle = result.starts_with("!cute.swizzle<");
  if (!swizzle && !result.starts_with("!cute.layout<") && !result.starts_with("!cute.composed_layout<"))
    return;
  const Place& place = places_.of(operation.location);
  Values values;
  if (place.library.size() <= 1)
    values[swizzle ? "swizzle" : "layout"] =
        swizzle ? stated(ir::quoted(result)) : stated_layout("", ir::quoted(result));
  add_lesser(operation, {Family::D6, kind::shared_layout, "", std::move(values), ""});
}

/// The descriptor by which an MMA finds an operand in shared memory.
void IrReader::on_operand_layout(const ir::Operation& operation) {
  add_lesser(operation, {Family::D6, kind::shared_layout, "", {}, ""});
}

/// A pointer into shared memory read as another type or with a swizzle.
void IrReader::on_recast(const ir::Operation& operation) {
  if (result_type(operation).find(", smem") == npos) return;
  add_lesser(operation, {Family::D6, "swizzle-applied", "", {}, ""});
}

/// A part of a tensor for one thread: the helpers of accumulators give it back.
void IrReader::on_partition(const ir::Operation& operation) {
  const auto memory = ir::memory_of(result_type(operation));
  if (memory && memory->space == "tmem")
    add_lesser(operation, {Family::D4, "accumulator", "", {{"accumulator", stated("tensor-memory")}}, ""});
}

}  // namespace cutelab::compiled
