#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/role_timeline.h"

namespace cutelab::profile {

/// The buffer that a kernel compiled with kernels/role_timeline.cuh stamps into: for each CTA one track per
/// role, a head of 64 bytes and `capacity` records of 16.
struct RoleBuffer {
  unsigned roles = 0;
  unsigned capacity = 0;
  unsigned ctas = 0;
  std::size_t bytes() const { return std::size_t{ctas} * roles * (64 + std::size_t{capacity} * 16); }
};

/// Room for as many records as `most_bytes` allow, at most 4096 a track.
RoleBuffer role_buffer(unsigned roles, unsigned ctas, std::size_t most_bytes);

/// Roles and names from the kernel's text (`role NAME`, `work NAME`, `wait NAME`, one a line). Errors (kind
/// input): another word, no role, no name.
Result<evidence::RoleTimeline> role_names(const std::string& text);

/// What the kernel stamped. SMs count cycles of their own; each SM's cycles are put on the device's common
/// timer by the median of its tracks' beginnings, at the median rate over the longer tracks. Errors (kind
/// input): nothing was stamped, or a record names what is not there.
Result<evidence::RoleTimeline> decode_roles(evidence::RoleTimeline names, const RoleBuffer& buffer,
                                            const std::vector<std::byte>& bytes);

/// One entry per role that ran.
std::vector<evidence::RoleSummary> summarize_roles(const evidence::RoleTimeline& timeline);

/// At most `most` CTAs, spread evenly over those that ran.
std::vector<int> sampled_ctas(const evidence::RoleTimeline& timeline, int most);

/// The sampled CTAs as a trace for ui.perfetto.dev: a process per CTA, a track per role, bubbles on a track
/// of their own below it.
std::string role_perfetto_json(const evidence::RoleTimeline& timeline, const std::vector<int>& ctas,
                               const std::string& title);

}  // namespace cutelab::profile
