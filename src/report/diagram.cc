#include "report/diagram.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/columns.h"
#include "render/svg.h"

namespace cutelab::report {
namespace {

constexpr double wide_lane = 118;  ///< between the lanes' centres, as long as few lanes share the panel
constexpr double narrow_lane = 92;
constexpr std::size_t few_lanes = 4;
constexpr double head_height = 42;  ///< of a role's box
constexpr double name_line = 14;    ///< more for a second line of a role's name
constexpr double letter = 7.2;      ///< width of a letter of the names, which are bold
constexpr double label_reach = 75;  ///< a label this far from the edge is not cut
constexpr double row_height = 46;   ///< per pipeline
constexpr double margin = 8;

class RoleDiagram {
 public:
  explicit RoleDiagram(const KernelModel& model) : model_(model) {
    for (const RoleRow& role : model.roles) lanes_.push_back(role.name);
    for (const PipelineRow& row : model.pipelines) {
      add_lanes(row.producers);
      add_lanes(row.consumers);
      if (row.producers.empty() || row.consumers.empty()) add_lanes({unknown});
    }
  }

  std::string text() {
    width_ = 2 * margin + lane_box() + lane_gap() * static_cast<double>(lanes_.size() - 1);
    for (const std::string& name : lanes_)
      if (name_lines(name).size() > 1) head_ = head_height + name_line;
    const double bottom = margin + head_ + 14 + row_height * static_cast<double>(model_.pipelines.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) lane(i, bottom);
    for (std::size_t i = 0; i < model_.pipelines.size(); ++i)
      pipeline(model_.pipelines[i], margin + head_ + 34 + row_height * static_cast<double>(i));
    return svg_.document(width_, bottom + margin, "roles",
                         fmt::format("roles and pipelines of {}", model_.name));
  }

 private:
  static constexpr const char* unknown = "?";

  void add_lanes(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (std::find(lanes_.begin(), lanes_.end(), name) == lanes_.end()) lanes_.push_back(name);
  }

  double lane_gap() const { return lanes_.size() > few_lanes ? narrow_lane : wide_lane; }
  double lane_box() const { return lane_gap() - 12; }
  double x_of(std::size_t lane) const {
    return margin + lane_box() / 2 + lane_gap() * static_cast<double>(lane);
  }
  double x_of(const std::string& name) const {
    const auto at = std::find(lanes_.begin(), lanes_.end(), name) - lanes_.begin();
    return x_of(static_cast<std::size_t>(at));
  }

  void lane(std::size_t i, double bottom) {
    const double x = x_of(i);
    const RoleRow* role = i < model_.roles.size() ? &model_.roles[i] : nullptr;
    svg_.line(x, margin + head_, x, bottom, "lane");
    if (role) svg_.begin_link(fmt::format("#F{}", role->fact), role->name);
    svg_.rect(x - lane_box() / 2, margin, lane_box(), head_, role ? "role" : "role other");
    double y = margin + 18;
    for (const std::string& line : name_lines(lanes_[i])) {
      svg_.text(x, y, line, "name", "middle");
      y += name_line;
    }
    svg_.text(x, margin + head_ - 9,
              render::clip(role ? details(*role) : "", static_cast<int>(lane_box() / 5.4)), "small",
              "middle");
    if (role) svg_.end_link();
  }

  /// A role's name in one line, or in two cut at an underscore where one is too short.
  std::vector<std::string> name_lines(const std::string& lane) const {
    const std::string name = render::one_line(short_name(lane));
    const auto room = static_cast<std::size_t>(lane_box() / letter);
    if (name.size() <= room) return {name};
    const std::size_t cut = name.rfind('_', room - 1);
    if (cut == std::string::npos || cut == 0) return {render::clip(name, static_cast<int>(room))};
    return {name.substr(0, cut + 1), render::clip(name.substr(cut + 1), static_cast<int>(room))};
  }

  static std::string details(const RoleRow& role) {
    std::string out = role.warps.empty() ? "" : "warps " + render::one_line(role.warps);
    if (!role.registers.empty())
      out += (out.empty() ? "" : ", ") + render::one_line(role.registers) + " regs";
    return out;
  }

  static std::vector<std::string> ends(const std::vector<std::string>& names) {
    return names.empty() ? std::vector<std::string>{unknown} : names;
  }

  void pipeline(const PipelineRow& row, double y) {
    const auto from = ends(row.producers), to = ends(row.consumers);
    svg_.begin_link(fmt::format("#F{}", row.fact),
                    fmt::format("{} {}, stages: {}", row.name, row.type, row.stages));
    double left = 1e9, right = 0;
    const bool untold = from == to && from.size() == 1 && from.front() == unknown;
    for (const std::string& p : from)
      for (const std::string& c : to) {
        if (untold)
          left = right = x_of(p);  // who works on it is not known: a dot, no arrow
        else
          arrow(p, c, y, left, right);
      }
    for (const std::string& p : from) svg_.circle(x_of(p), y, 3.5, "dot");
    const std::string label = render::clip(render::one_line(short_name(row.name)), 24) +
                              (row.stages.empty() ? "" : " ×" + row.stages);
    const double middle =
        std::max(std::min((left + right) / 2, width_ - label_reach), std::min(label_reach, width_ / 2));
    svg_.text(middle, y - 7, label, "label", "middle");
    svg_.text(middle, y + 15, render::clip(render::one_line(row.type), 30), "small", "middle");
    svg_.end_link();
  }

  /// A stage that the role hands to itself (a store it waits for) is a loop beside its lane.
  void arrow(const std::string& from, const std::string& to, double y, double& left, double& right) {
    const double x1 = x_of(from), x2 = x_of(to);
    left = std::min({left, x1, x2});
    right = std::max({right, x1, x2});
    if (x1 != x2) return svg_.arrow(x1, y, x2 + (x2 > x1 ? -1.5 : 1.5), y, "flow");
    svg_.path(fmt::format("M{0:.5g} {1:.5g}c26 0 26 12 4 12", x1, y - 4), "flow loop");
    svg_.arrow(x1 + 8, y + 8, x1 + 1, y + 8, "flow");
  }

  const KernelModel& model_;
  std::vector<std::string> lanes_;
  render::Svg svg_;
  double width_ = 0, head_ = head_height;
};

}  // namespace

std::string role_diagram(const KernelModel& model) {
  if (model.pipelines.empty() && model.roles.size() < 2) return "";
  return RoleDiagram(model).text();
}

MemoryMap memory_map(const KernelModel& model) {
  MemoryMap map;
  for (const StorageRow& row : model.storage) {
    if (!row.active && !row.bytes) continue;
    if (!row.bytes) {
      ++map.unknown;
      continue;
    }
    if (*row.bytes <= 0) continue;
    map.shares.push_back({row.name, *row.bytes, MemoryShare::Kind::member, row.fact, ""});
    map.used += *row.bytes;
  }
  if (model.storage_bytes && *model.storage_bytes > map.used) {
    map.shares.push_back({map.unknown ? "undetermined members and padding" : "padding",
                          *model.storage_bytes - map.used, MemoryShare::Kind::rest, 0, ""});
    map.used = *model.storage_bytes;
  }
  map.total = map.used;
  if (model.capacity_bytes && *model.capacity_bytes > map.used && map.used > 0) {
    map.shares.push_back({"free", *model.capacity_bytes - map.used, MemoryShare::Kind::free, 0, ""});
    map.total = *model.capacity_bytes;
  }
  map.extent = fmt::format("{} of {} bytes used", map.used, map.total);
  return map;
}

std::string memory_diagram(const MemoryMap& map, const char* what) {
  if (map.total <= 0) return "";
  constexpr double width = 1000, height = 54, line = 30;
  render::Svg svg;
  double x = 0;
  int shade = 0;
  for (const MemoryShare& share : map.shares) {
    const double w = width * static_cast<double>(share.bytes) / static_cast<double>(map.total);
    const bool member = share.kind == MemoryShare::Kind::member;
    const std::string css = member                                  ? fmt::format("share s{}", shade++ % 6)
                            : share.kind == MemoryShare::Kind::free ? "share free"
                                                                    : "share rest";
    const std::string title = fmt::format("{}: {} B", share.name, with_thousands(share.bytes));
    if (member) svg.begin_link(fmt::format("#F{}", share.fact), title);
    svg.rect(x, 0, std::max(w - 1, 0.5), height, css, title);
    const int columns = static_cast<int>(w / 13);
    if (columns >= 3) {
      svg.text(x + w / 2, 24, render::clip(render::one_line(short_name(share.name)), columns), "name",
               "middle");
      svg.text(x + w / 2, 43,
               render::clip(share.note.empty() ? human_bytes(share.bytes) : share.note, columns), "small",
               "middle");
    }
    if (member) svg.end_link();
    x += w;
  }
  int levels = 0;
  for (const MemoryOverlay& over : map.over) {
    levels = std::max(levels, over.level);
    const double unit = width / static_cast<double>(map.total), w = unit * static_cast<double>(over.bytes),
                 left = unit * static_cast<double>(over.begin), y = height + line * (over.level - 1) + 2;
    svg.begin_link(fmt::format("#F{}", over.fact), fmt::format("{}: {}", over.name, over.note));
    svg.rect(left, y, std::max(w - 1, 0.5), line - 4, fmt::format("share s{}", shade++ % 6),
             fmt::format("{}: {}", over.name, over.note));
    if (const int columns = static_cast<int>(w / 11); columns >= 3)
      svg.text(left + w / 2, y + 17,
               render::clip(render::one_line(short_name(over.name)) + " " + over.note, columns), "small",
               "middle");
    svg.end_link();
  }
  return svg.document(width, height + line * levels, "memory", fmt::format("{}, {}", what, map.extent));
}

}  // namespace cutelab::report
