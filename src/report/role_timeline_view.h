#pragma once
#include <string>
#include <vector>

#include "evidence/role_timeline.h"

namespace cutelab::report {

/// How each role spent its time, over all CTAs; work, waits and the unaccounted rest add up to 100 %.
/// ```
/// | Role       | Tracks | Work % | Waits                        | Unaccounted % | Bubbles | Longest (us) |
/// |------------|-------:|-------:|------------------------------|--------------:|--------:|--------------|
/// | loader     |    132 |   12.1 | for a free stage 85.0 %      |           2.9 |  51,200 | 1.93 (CTA 7) |
/// | consumer 0 |    132 |   58.3 | for its turn 37.2 %, …       |           0.4 |     512 | 12.4 (CTA 0) |
/// ```
std::string role_table(const std::vector<evidence::RoleSummary>& roles);

/// One SVG that stands alone, light and dark: a row per role of each of `ctas`, work in the colour of its
/// name, waits and unstamped time as gaps, and beside each row what share of it was idle.
std::string role_svg(const evidence::RoleTimeline& timeline, const std::vector<int>& ctas,
                     const std::string& title);

}  // namespace cutelab::report
