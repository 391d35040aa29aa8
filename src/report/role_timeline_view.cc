#include "report/role_timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "render/svg.h"
#include "render/table.h"

namespace cutelab::report {

using evidence::RoleTimeline;
using evidence::RoleTrack;

std::string role_table(const std::vector<evidence::RoleSummary>& roles) {
  using render::Align;
  render::Table table{{{"Role"},
                       {"Tracks", Align::right},
                       {"Work %", Align::right},
                       {"Waits"},
                       {"Unaccounted %", Align::right},
                       {"Bubbles", Align::right},
                       {"Longest (us)"}},
                      {}};
  for (const auto& r : roles) {
    const auto share = [&](double ns) { return r.life_ns > 0 ? ns / r.life_ns * 100 : 0; };
    std::vector<std::string> waits;
    for (const auto& w : r.waits) waits.push_back(fmt::format("{} {:.1f} %", w.text, share(w.ns)));
    table.rows.push_back(
        {r.role, fmt::format("{}", r.tracks), fmt::format("{:.1f}", share(r.work_ns)),
         waits.empty() ? "-" : join(waits, ", "), fmt::format("{:.1f}", share(r.unaccounted_ns)),
         with_thousands(r.bubbles),
         r.bubbles ? fmt::format("{:.2f} (CTA {})", r.longest_bubble_ns * 1e-3, r.longest_bubble_cta) : "-"});
  }
  return render::markdown(table);
}

namespace {

constexpr double label_width = 200, chart_width = 1100, idle_width = 90;
constexpr double lane_height = 18, lane_step = 24, top_height = 64;

/// Colours of work spans, distinct in light and dark; the seventh name takes the first again.
constexpr char role_style[] =
    "<style>text{font:12px ui-monospace,monospace;fill:#111}.edge{fill:#777;font-size:11px}.grid{stroke:#ddd}"
    ".idle{fill:#d1242f;fill-opacity:.16}.w0{fill:#1f6feb}.w1{fill:#2da44e}.w2{fill:#bf8700}.w3{fill:#8250df}"
    ".w4{fill:#bf3989}.w5{fill:#1b7c83}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.edge{fill:#aaa}.grid{stroke:#333}"
    ".idle{fill-opacity:.34}}</style>";

std::string colour_of(int name) { return fmt::format("w{}", name % 6); }

double x_of(const RoleTimeline& t, double ns) {
  return label_width + (t.end_ns > 0 ? ns / t.end_ns : 0) * chart_width;
}

/// Work spans of one name that are closer than a fifth of a pixel become one rectangle.
void draw_work(render::Svg& svg, const RoleTimeline& t, const RoleTrack& track, double y) {
  const double least = t.end_ns / chart_width / 5;
  for (std::size_t i = 0; i < track.spans.size();) {
    const auto& first = track.spans[i];
    if (t.names[static_cast<std::size_t>(first.name)].waits) {
      ++i;
      continue;
    }
    double end = first.end_ns;
    std::size_t next = i + 1;
    while (next < track.spans.size() && track.spans[next].begin_ns - end < least) {
      const auto& span = track.spans[next];
      const bool waits = t.names[static_cast<std::size_t>(span.name)].waits;
      if (waits ? span.end_ns - span.begin_ns >= least : span.name != first.name) break;
      end = span.end_ns;
      ++next;
    }
    svg.rect(x_of(t, first.begin_ns), y, std::max(x_of(t, end) - x_of(t, first.begin_ns), 0.2), lane_height,
             colour_of(first.name),
             fmt::format("{}: {:.2f} us at {:.2f} us", t.names[static_cast<std::size_t>(first.name)].text,
                         (end - first.begin_ns) * 1e-3, first.begin_ns * 1e-3));
    i = next;
  }
}

double idle_share(const RoleTimeline& t, const RoleTrack& track) {
  double work = 0;
  for (const auto& span : track.spans)
    if (!t.names[static_cast<std::size_t>(span.name)].waits) work += span.end_ns - span.begin_ns;
  const double life = track.end_ns - track.begin_ns;
  return life > 0 ? std::clamp(1 - work / life, 0.0, 1.0) : 0;
}

void draw_scale(render::Svg& svg, const RoleTimeline& t, double bottom) {
  double step = std::pow(10, std::floor(std::log10(std::max(t.end_ns, 10.0) / 5)));
  while (t.end_ns / step > 12) step *= 2;
  for (int i = 0; i * step <= t.end_ns; ++i) {
    const double x = x_of(t, i * step);
    svg.line(x, top_height - 6, x, bottom, "grid");
    svg.text(x, top_height - 10, fmt::format("{:g}", i * step * 1e-3), "edge", "middle");
  }
  svg.text(label_width - 8, top_height - 10, "us", "edge", "end");
}

void draw_legend(render::Svg& svg, const RoleTimeline& t) {
  double x = label_width;
  for (std::size_t n = 0; n < t.names.size(); ++n) {
    if (t.names[n].waits) continue;
    svg.rect(x, 28, 10, 10, colour_of(static_cast<int>(n)));
    svg.text(x + 14, 37, t.names[n].text, "name");
    x += 30 + 7.3 * static_cast<double>(t.names[n].text.size());
  }
  svg.rect(x, 28, 10, 10, "idle");
  svg.text(x + 14, 37, "bubble", "name");
}

}  // namespace

std::string role_svg(const RoleTimeline& t, const std::vector<int>& ctas, const std::string& title) {
  std::vector<const RoleTrack*> shown;
  for (const RoleTrack& track : t.tracks)
    if (std::find(ctas.begin(), ctas.end(), track.cta) != ctas.end()) shown.push_back(&track);
  const double bottom = top_height + lane_step * static_cast<double>(shown.size());
  render::Svg svg;
  svg.text(8, 18, title, "name");
  draw_legend(svg, t);
  draw_scale(svg, t, bottom);
  double y = top_height;
  for (const RoleTrack* track : shown) {
    svg.text(8, y + 13, fmt::format("CTA {} {}", track->cta, t.roles[static_cast<std::size_t>(track->role)]),
             "name");
    svg.rect(x_of(t, track->begin_ns), y, x_of(t, track->end_ns) - x_of(t, track->begin_ns), lane_height,
             "idle");
    draw_work(svg, t, *track, y);
    svg.text(label_width + chart_width + idle_width, y + 13,
             fmt::format("idle {:.1f} %", idle_share(t, *track) * 100), "edge", "end");
    y += lane_step;
  }
  const std::string document = svg.document(label_width + chart_width + idle_width + 10, bottom + 10, "roles",
                                            "Role timeline of " + title);
  const auto after_open = document.find('>') + 1;
  return document.substr(0, after_open) + role_style + document.substr(after_open) + "\n";
}

}  // namespace cutelab::report
