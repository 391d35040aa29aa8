#include <iterator>

#include "report/card_text.h"
#include "report/tensor_memory.h"

namespace cutelab::report {
namespace {

constexpr std::size_t most_roles_as_columns = 5;
constexpr std::size_t most_barriers = 4;

class KernelCard : CardText {
 public:
  KernelCard(const evidence::Reading& reading, const ViewOptions& options, bool several)
      : CardText(reading, options), several_(several) {}

  std::string text(const KernelModel& model) {
    kernel(model);
    return std::move(out_);
  }

 private:
  void kernel(const KernelModel& model) {
    if (!model.name.empty()) {
      const std::string line = render::clip(where(model.at), options_.width / 2);
      const int room = options_.width - 8 - static_cast<int>(display_width(line));
      out_ += "\n" + options_.paint(Style::heading, "kernel ") +
              options_.paint(Style::strong, render::clip_middle(render::one_line(model.name), room)) + " " +
              options_.paint(Style::place, line) + "\n";
      if (model.left_out) left_out(*model.left_out);
    } else if (!reading_.helper && several_) {
      out_ += "\n" + options_.paint(Style::heading, "whole file") + "\n";
    }
    launch(model);
    roles(model);
    pipelines(model);
    memory(model);
    tensor_memory(model);
    operations("TMA", model.descriptors, most_rows);
    operations("MMA", model.mma, most_rows);
    if (!reading_.helper) operations("barriers", model.barriers, most_barriers);
  }

  void left_out(const LeftOut& launch) {
    std::string text = "not launched under the defaults";
    if (!launch.condition.empty()) text += ": needs " + launch.condition;
    for (const std::string& line : render::wrap(render::one_line(text), options_.width - 2))
      out_ += "  " + options_.paint(Style::warn, line) + "\n";
  }

  void launch(const KernelModel& model) {
    if (model.launch.empty()) return;
    heading("launch");
    Columns columns = {{{""}, {"", Align::left, true}, {""}}, {}};
    const LaunchRow* threads = launch_row(model, "threads");
    for (const LaunchRow& row : model.launch) {
      if (row.name == "threads" && launch_row(model, "block")) continue;
      if (row.name == "smem" && launch_row(model, "smem_bytes")) continue;
      std::string text = shown(row.value);
      if (row.name == "block" && threads && threads->value.determined())
        text += fmt::format(", {} threads", threads->value.text());
      if (row.name == "grid" && model.assumed_multiprocessors)
        text += fmt::format(", assuming {} SMs", *model.assumed_multiprocessors);
      columns.rows.push_back({{row.name, Style::faint}, {text, value_style(row.value)}, line(row.fact)});
    }
    table(columns);
  }

  static const LaunchRow* launch_row(const KernelModel& model, const char* name) {
    for (const LaunchRow& row : model.launch)
      if (row.name == name) return &row;
    return nullptr;
  }

  static Style value_style(const evidence::Value& value) {
    return value.determined() ? Style::plain : Style::warn;
  }

  void roles(const KernelModel& model) {
    if (model.roles.empty()) return;
    heading(fmt::format("roles ({})", model.roles.size()));
    Columns columns = {{{"role", Align::left, false, 12},
                        {"warps", Align::left, true, 14},
                        {"registers"},
                        {"where", Align::left, true, 20},
                        {"line"}},
                       {}};
    for (std::size_t i = 0; i < shown_rows(model.roles); ++i) {
      const RoleRow& row = model.roles[i];
      role(columns, row, short_name(row.name));
      for (const RoleRow& part : model.parts)
        if (part.within == row.name) role(columns, part, "  " + short_name(part.name));
    }
    table(columns);
    more(model.roles.size(), shown_rows(model.roles));
  }

  void role(Columns& columns, const RoleRow& row, const std::string& name) const {
    columns.rows.push_back({{name, Style::strong},
                            {row.warps},
                            {row.registers},
                            {reading_.facts[row.fact].says},
                            line(row.fact)});
  }

  /// One row per pipeline that the defaults create; with few roles a column each (P produces, C consumes),
  /// else the names.
  void pipelines(const KernelModel& model) {
    if (model.pipelines.empty()) return;
    heading(fmt::format("pipelines ({})", std::count_if(model.pipelines.begin(), model.pipelines.end(),
                                                        [](auto& row) { return row.active; })));
    const bool matrix = !model.roles.empty() && model.roles.size() <= most_roles_as_columns;
    Columns columns = {
        {{"pipeline", Align::left, false, 14}, {"class", Align::left, false, 16}, {"stages", Align::right}},
        {}};
    std::vector<std::string> sides;  // one column each
    if (matrix) sides = sides_of(model);
    for (const std::string& name : sides) columns.columns.push_back({short_name(name)});
    if (!matrix) columns.columns.push_back({"producer → consumer", Align::left, true, 16});
    columns.columns.push_back({"line"});
    std::size_t left_out = 0, rows = 0;
    for (const PipelineRow& row : model.pipelines) {
      if (!row.active) {
        ++left_out;
        continue;
      }
      if (++rows > most_rows) continue;
      std::vector<Cell> cells = {{short_name(row.name), Style::strong}, {row.type}, {row.stages}};
      for (const std::string& name : sides) cells.push_back({side(row, name)});
      if (!matrix) cells.push_back({names(row.producers) + " → " + names(row.consumers)});
      cells.push_back(line(row.fact));
      columns.rows.push_back(std::move(cells));
    }
    table(columns);
    more(rows, std::min(rows, most_rows));
    note_left_out(left_out);
  }

  void note_left_out(std::size_t count) {
    if (count > 0)
      out_ +=
          options_.paint(Style::faint, fmt::format("  and {} that the defaults leave out (--full)", count)) +
          "\n";
  }

  /// The roles, and after them all threads where those work on a pipeline.
  static std::vector<std::string> sides_of(const KernelModel& model) {
    std::vector<std::string> out;
    for (const RoleRow& role : model.roles) out.push_back(role.name);
    if (std::any_of(model.pipelines.begin(), model.pipelines.end(),
                    [](auto& row) { return row.active && !side(row, everyone).empty(); }))
      out.push_back(everyone);
    return out;
  }

  static std::string side(const PipelineRow& row, const std::string& role) {
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), role) != names.end();
    };
    return std::string(has(row.producers) ? "P" : "") + (has(row.consumers) ? "C" : "");
  }

  static std::string names(const std::vector<std::string>& all) {
    std::vector<std::string> shorts;
    for (const std::string& name : all) shorts.push_back(short_name(name));
    return shorts.empty() ? "?" : join(shorts, ", ");
  }

  void memory(const KernelModel& model) {
    if (model.storage.empty() && !model.storage_bytes && model.tensor_memory_columns.empty()) return;
    std::string title = "shared memory";
    if (model.storage_bytes) title += fmt::format(" {} B", with_thousands(*model.storage_bytes));
    if (model.storage_bytes && model.capacity_bytes && *model.capacity_bytes > 0)
      title += fmt::format(
          " of {} B ({:.0f} %)", with_thousands(*model.capacity_bytes),
          100.0 * static_cast<double>(*model.storage_bytes) / static_cast<double>(*model.capacity_bytes));
    if (!model.tensor_memory_columns.empty() && model.tensor_memory.empty())
      title += fmt::format(", tensor memory {} columns", model.tensor_memory_columns);
    heading(title);
    Columns columns = {{{"member"},
                        {"type", Align::left, false, 16},
                        {"bytes", Align::right},
                        {"align", Align::right},
                        {"line"}},
                       {}};
    std::vector<StorageRow> rows;
    std::copy_if(model.storage.begin(), model.storage.end(), std::back_inserter(rows),
                 [](const StorageRow& row) { return row.active || row.bytes; });
    std::stable_sort(rows.begin(), rows.end(), [](const StorageRow& a, const StorageRow& b) {
      return a.bytes.value_or(1) > b.bytes.value_or(1);
    });
    const std::size_t left_out = model.storage.size() - rows.size();
    std::vector<StorageRow> barriers;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(barriers), is_barrier);
    if (barriers.size() > 1) std::erase_if(rows, is_barrier);
    for (std::size_t i = 0; i < shown_rows(rows); ++i)
      columns.rows.push_back(
          {{short_name(rows[i].name), Style::strong},
           {rows[i].type},
           {rows[i].bytes ? with_thousands(*rows[i].bytes) : "?", rows[i].bytes ? Style::plain : Style::warn},
           {rows[i].alignment},
           line(rows[i].fact)});
    if (barriers.size() > 1) columns.rows.push_back(sum_of(barriers));
    table(columns);
    more(rows.size(), shown_rows(rows));
    note_left_out(left_out);
  }

  void tensor_memory(const KernelModel& model) {
    const auto& rows = model.tensor_memory;
    if (rows.empty()) return;
    heading(fmt::format("tensor memory{}", model.tensor_memory_columns.empty()
                                               ? ""
                                               : " " + model.tensor_memory_columns + " columns"));
    Columns columns = {{{"columns"}, {"tensor", Align::left, true, 20}, {"type"}, {"over"}, {"line"}}, {}};
    for (const std::size_t i : widest(rows, shown_rows(rows)))
      columns.rows.push_back(
          {{columns_text(rows[i]), rows[i].first && rows[i].columns ? Style::plain : Style::warn},
           {rows[i].name, Style::strong},
           {rows[i].type},
           {shares_text(rows, i)},
           line(rows[i].fact)});
    table(columns);
    more(rows.size(), shown_rows(rows));
  }

  /// Words of synchronisation: an mbarrier is one Int64, a pointer to tensor memory one Int32.
  static bool is_barrier(const StorageRow& row) {
    const std::string low = to_lower(row.name);
    return row.type.ends_with("Int64") &&
           (low.find("bar") != std::string::npos || low.find("pipeline") != std::string::npos ||
            low.find("ptr") != std::string::npos);
  }

  std::vector<Cell> sum_of(const std::vector<StorageRow>& barriers) const {
    std::int64_t bytes = 0;
    bool known = true;
    for (const StorageRow& row : barriers) {
      bytes += row.bytes.value_or(0);
      known = known && row.bytes.has_value();
    }
    return {{fmt::format("{} barrier members", barriers.size()), Style::strong},
            {"Int64"},
            {known ? with_thousands(bytes) : "?", known ? Style::plain : Style::warn},
            {},
            line(barriers.front().fact)};
  }

  void operations(const char* title, const std::vector<OperationRow>& all, std::size_t most) {
    std::vector<OperationRow> rows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows), [](auto& row) { return row.active; });
    if (all.empty()) return;
    heading(title);
    Columns columns = {{{""}, {"", Align::left, true, 20}, {""}}, {}};
    const std::size_t count = std::min(rows.size(), most);
    for (std::size_t i = 0; i < count; ++i)
      columns.rows.push_back({{short_name(rows[i].name), Style::strong}, {rows[i].says}, line(rows[i].fact)});
    table(columns);
    more(rows.size(), count);
    note_left_out(all.size() - rows.size());
  }

  bool several_ = false;  ///< the file holds other kernels
};

}  // namespace

std::string kernel_card(const evidence::Reading& reading, const KernelModel& model,
                        const ViewOptions& options, bool named) {
  return KernelCard(reading, options, named).text(model);
}

}  // namespace cutelab::report
