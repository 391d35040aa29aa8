#pragma once
#include <string>
#include <vector>

namespace cutelab::evidence {

/// What one warp role of one CTA did: spans that its kernel stamped, in the order of their beginnings. Times
/// are nanoseconds from the kernel's first stamp.
struct RoleTrack {
  struct Span {
    int name = 0;  ///< of RoleTimeline::names
    double begin_ns = 0;
    double end_ns = 0;
  };
  int cta = 0;  ///< linear
  int role = 0;
  int sm = 0;
  double begin_ns = 0;
  double end_ns = 0;
  std::vector<Span> spans;
  int dropped = 0;  ///< spans that the buffer had no room for
};

/// One launch, role by role.
struct RoleTimeline {
  struct Name {
    std::string text;
    bool waits = false;  ///< a span of this name is no work
  };
  std::vector<std::string> roles;
  std::vector<Name> names;
  std::vector<RoleTrack> tracks;  ///< by CTA, then role; roles that never ran have none
  double ns_per_cycle = 0;
  double end_ns = 0;  ///< the last stamp
};

/// How a role spent its time, over all its tracks; work, waits and what is unaccounted for add up to the
/// life.
struct RoleSummary {
  struct Wait {
    std::string text;
    double ns = 0;
  };
  std::string role;
  int tracks = 0;
  double life_ns = 0;  ///< from a track's first to its last stamp
  double work_ns = 0;
  std::vector<Wait> waits;
  double unaccounted_ns = 0;  ///< in no span
  int bubbles = 0;            ///< stretches without work
  double longest_bubble_ns = 0;
  int longest_bubble_cta = -1;
  int dropped = 0;
  double idle_ns() const { return life_ns - work_ns; }
};

}  // namespace cutelab::evidence
