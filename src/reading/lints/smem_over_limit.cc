#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "evidence/names.h"
#include "reading/lints/rule.h"
#include "reading/models/models.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;

/// Bytes of one kind of storage: at least `bytes`, exactly that when `complete`.
struct Size {
  std::int64_t bytes = 0;
  bool complete = true;
  std::vector<std::string> parts;  ///< "sA 98304"
  std::int64_t named = 0;          ///< bytes of the parts
  Places at;
};

void add(Size& size, const Fact& member, std::int64_t bytes) {
  if (const auto alignment = number_of(member, "alignment"); alignment && *alignment > 1 && size.complete)
    size.bytes = (size.bytes + *alignment - 1) / *alignment * *alignment;
  size.bytes += bytes;
  size.parts.push_back(fmt::format("{} {}", member.subject, bytes));
  size.named += bytes;
  if (bytes >= 1024) size.at.push_back(member.at);
}

/// A member without a count is one mbarrier or one word.
std::optional<std::int64_t> member_bytes(const Fact& member) {
  if (const auto bytes = number_of(member, "bytes")) return bytes;
  if (value_of(member, "bytes") || value_of(member, "count")) return std::nullopt;
  const std::string type = text_of(member, "type");
  const auto bits = models::bits_of_type(type.substr(type.rfind('.') + 1));
  return bits ? std::optional<std::int64_t>((*bits + 7) / 8) : std::nullopt;
}

Size size_of_struct(const Check& check, const Fact& storage) {
  Size size;
  size.at = {storage.at};
  if (const auto bytes = number_of(storage, "bytes")) {
    size.bytes = *bytes;
    size.parts = {fmt::format("{} {}", storage.subject, *bytes)};
    size.named = *bytes;
    return size;
  }
  for (const Fact* member : check.facts(evidence::kind::storage_member)) {
    if (text_of(*member, "struct") != storage.subject) continue;
    const auto bytes = member_bytes(*member);
    if (bytes)
      add(size, *member, *bytes);
    else
      size.complete = false;
  }
  return size;
}

/// An allocation of a struct takes the struct's bytes, which count by themselves.
bool of_a_struct(const Check& check, const Fact& allocation) {
  if (!value_of(allocation, "bytes")) return true;
  const std::string type = text_of(allocation, "type");
  const auto structs = check.facts(evidence::kind::storage);
  return std::any_of(structs.begin(), structs.end(), [&](const Fact* s) { return s->subject == type; });
}

Size allocations(const Check& check) {
  Size size;
  for (const Fact* allocation : check.facts(evidence::kind::allocation)) {
    if (of_a_struct(check, *allocation)) continue;
    const auto bytes = number_of(*allocation, "bytes");
    if (bytes)
      add(size, *allocation, *bytes);
    else
      size.complete = false;
  }
  return size;
}

/// A name for a number of stages, what it is, and what it counts the stages of.
struct StageCount {
  std::string name;
  std::int64_t stages = 0;
  std::string of;
};

/// Of pipelines by what they are given, else of the constants that the source calls stages.
std::vector<StageCount> stage_counts(const Check& check) {
  std::vector<StageCount> out;
  for (const Fact* pipeline : check.facts(evidence::kind::pipeline)) {
    const auto stages = number_of(*pipeline, "stages");
    if (!stages || *stages < 2 || value_of(*pipeline, "stages")->formula.empty()) continue;
    out.push_back({value_of(*pipeline, "stages")->formula, *stages, pipeline->subject});
  }
  for (const Fact* constant : check.facts(evidence::kind::stages))
    if (const auto stages = number_of(*constant, "stages"); stages && *stages >= 2)
      out.push_back({constant->subject, *stages, constant->subject});
  return out;
}

/// The stages that fit: bytes of members whose size names the stage count against what the rest leaves.
std::string largest_that_fits(const Check& check, std::int64_t bytes, std::int64_t limit) {
  for (const StageCount& count : stage_counts(check)) {
    std::int64_t each = 0;
    for (const Fact* member : check.facts(evidence::kind::storage_member)) {
      const auto whole = number_of(*member, "bytes");
      const evidence::Value* elements = value_of(*member, "count");
      const bool grows = elements && elements->formula.find(count.name) != std::string::npos;
      if (grows && whole && *whole >= 1024 && *whole % count.stages == 0) each += *whole / count.stages;
    }
    const std::int64_t rest = bytes - each * count.stages;
    if (each > 0 && rest >= 0 && limit > rest)
      return fmt::format("; at {} bytes a stage {} of the {} stages of {} fit", with_thousands(each),
                         (limit - rest) / each, count.stages, count.of);
  }
  return "";
}

/// The largest struct; complete when every struct is.
Size largest_struct(const Check& check) {
  Size out;
  bool complete = true;
  for (const Fact* found : check.facts(evidence::kind::storage)) {
    Size one = size_of_struct(check, *found);
    complete = complete && one.complete;
    if (out.at.empty() || one.bytes > out.bytes) out = std::move(one);
  }
  out.complete = complete;
  return out;
}

/// The most that a launch statement asks for, in any of its launches.
std::optional<std::int64_t> requested(const Fact& launch) {
  auto most = number_of(launch, "smem_bytes");
  const evidence::Value* each = value_of(launch, "smem_bytes_by_launch");
  if (each && each->list())
    for (const evidence::Value& one : *each->list())
      if (const auto n = one.integer(); n && *n > most.value_or(0)) most = n;
  return most;
}

/// What the launches ask for; nullptr where none says.
const Fact* largest_request(const Check& check) {
  const Fact* out = nullptr;
  for (const Fact* launch : check.facts(evidence::kind::launch))
    if (const auto n = requested(*launch); n && (!out || *n > *requested(*out))) out = launch;
  return out;
}

void hold_limit(Check& check) {
  Size storage = largest_struct(check);
  Size loose;
  if (const Fact* launch = largest_request(check)) {
    // Every allocation of the kernel is in it; the struct's parts only explain it.
    storage.bytes = std::max(storage.bytes, *requested(*launch));
    storage.complete = true;
    storage.at.push_back(launch->at);
  } else if (check.kernels().size() <= 1) {
    loose = allocations(check);
  }
  storage.bytes += loose.bytes;
  storage.complete = storage.complete && loose.complete;
  storage.parts.insert(storage.parts.end(), loose.parts.begin(), loose.parts.end());
  storage.named += loose.named;
  if (storage.bytes > storage.named)
    storage.parts.push_back(fmt::format("{}{}", storage.parts.empty() ? "allocated " : "padding and others ",
                                        storage.bytes - storage.named));
  storage.at.insert(storage.at.end(), loose.at.begin(), loose.at.end());
  if (storage.at.empty()) return;
  const auto limit = models::shared_memory_capacity(check.arch());
  if (!limit) return check.undecided("the limit of the target is not known", {"--arch"}, storage.at.front());
  if (storage.bytes > *limit)
    return check.fire(
        fmt::format("{} bytes of shared memory{}; {} lets a CTA have {}{}", with_thousands(storage.bytes),
                    storage.complete ? "" : " at least", check.arch(), with_thousands(*limit),
                    largest_that_fits(check, storage.bytes, *limit)),
        fmt::format("{} = {} > {}", cutelab::join(storage.parts, " + "), storage.bytes, *limit), storage.at);
  if (storage.complete) return check.passed();
  for (const Fact* member : check.facts(evidence::kind::storage_member))
    if (!member_bytes(*member)) return check.undecided(*member, "bytes");
  check.undecided("the bytes of an allocation are not determined", {}, storage.at.front());
}
}  // namespace

Rule smem_over_limit() {
  return {"smem-over-limit", "shared memory of a CTA stays within what the target lets it opt in to",
          "take fewer stages or a smaller tile; the launch fails or, with older wheels, does nothing. Stages "
          "beyond those that hide the loads only cost CTAs per SM and a longer prologue",
          evidence::Severity::error, hold_limit};
}

}  // namespace cutelab::reading::lints
