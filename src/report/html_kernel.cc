#include <fmt/format.h>

#include "base/text.h"
#include "render/html.h"
#include "report/diagram.h"
#include "report/html_parts.h"
#include "report/tensor_memory.h"

namespace cutelab::report {
namespace {
using render::element;
using render::html_escape;
using render::text_element;

class KernelSection {
 public:
  KernelSection(const evidence::Reading& reading, const KernelModel& model, const Anchors& anchors)
      : reading_(reading), model_(model), anchors_(anchors) {}

  std::string text() {
    launch();
    roles();
    pipelines();
    memory();
    operations("TMA descriptors", model_.descriptors);
    operations("MMA", model_.mma);
    operations("Barriers", model_.barriers);
    if (out_.empty()) return "";
    const std::string title = model_.name.empty() ? "Whole file" : "Kernel " + model_.name;
    return element("h2", {{"class", "kernel"}}, html_escape(title) + " " + anchors_.link(model_.at)) + out_;
  }

 private:
  std::string line(std::size_t fact) const { return anchors_.link(reading_.facts[fact].at); }

  /// The subject, as a link to its fact.
  std::string subject(std::size_t fact, const std::string& name) const {
    return element("a", {{"href", fmt::format("#F{}", fact)}, {"title", name}},
                   text_element("code", {}, short_name(name)));
  }

  void section(const std::string& title, const std::string& content) {
    out_ += text_element("h3", {}, title) + content;
  }

  void launch() {
    HtmlTable table({"", "", ""}, {"tight", "", "tight"});
    if (model_.left_out)
      out_ += text_element(
          "p", {{"class", "warn"}},
          "Not launched under the defaults" +
              (model_.left_out->condition.empty() ? "" : ": needs " + model_.left_out->condition) + ".");
    if (model_.assumed_multiprocessors)
      out_ += text_element("p", {{"class", "faint"}},
                           fmt::format("The grid is that of a device with {} multiprocessors.",
                                       *model_.assumed_multiprocessors));
    for (const LaunchRow& row : model_.launch)
      table.row({element("a", {{"href", fmt::format("#F{}", row.fact)}}, html_escape(row.name)),
                 value_html(row.value), line(row.fact)});
    if (!table.empty()) section("Launch", table.text());
  }

  void roles() {
    const std::string diagram = role_diagram(model_);
    if (!diagram.empty()) section("Roles and pipelines", element("div", {{"class", "scroll"}}, diagram));
    HtmlTable table({"role", "warps", "registers", "", "line"}, {"tight", "", "", "", "tight"});
    for (const RoleRow& row : model_.roles) {
      role(table, row, "");
      for (const RoleRow& part : model_.parts)
        if (part.within == row.name) role(table, part, "&ensp;");
    }
    if (!table.empty()) out_ += table.text();
  }

  void role(HtmlTable& table, const RoleRow& row, const char* indent) const {
    table.row({indent + subject(row.fact, row.name), html_escape(row.warps), html_escape(row.registers),
               html_escape(reading_.facts[row.fact].says), line(row.fact)});
  }

  static std::string names(const std::vector<std::string>& all) {
    std::vector<std::string> shorts;
    for (const std::string& name : all) shorts.push_back(short_name(name));
    return shorts.empty() ? "<span class=\"warn\">?</span>" : html_escape(join(shorts, ", "));
  }

  void pipelines() {
    HtmlTable table({"pipeline", "class", "stages", "bytes", "producer → consumer", "line"},
                    {"", "", "num", "num", "", "tight"});
    for (const PipelineRow& row : model_.pipelines)
      table.row({subject(row.fact, row.name), html_escape(row.type), html_escape(row.stages),
                 html_escape(row.bytes), names(row.producers) + " → " + names(row.consumers), line(row.fact)},
                row.active ? "" : "absent");
    if (!table.empty()) section("Pipelines", table.text());
  }

  void memory() {
    const MemoryMap map = memory_map(model_);
    if (map.shares.empty() && model_.storage.empty()) return tensor_memory();
    std::string title = "Shared memory";
    if (map.used > 0)
      title += fmt::format(": {} B{}", with_thousands(map.used), map.unknown ? " and more" : "");
    if (model_.capacity_bytes) title += fmt::format(" of {} B", with_thousands(*model_.capacity_bytes));
    HtmlTable table({"member", "type", "bytes", "align", "line"}, {"tight", "", "num", "num", "tight"});
    for (const StorageRow& row : model_.storage)
      table.row({subject(row.fact, row.name), html_escape(row.type),
                 row.bytes    ? with_thousands(*row.bytes)
                 : row.active ? "<span class=\"warn\">?</span>"
                              : "",
                 html_escape(row.alignment), line(row.fact)},
                row.active || row.bytes ? "" : "absent");
    for (const MemoryShare& share : map.shares)
      if (share.kind != MemoryShare::Kind::member)
        table.row({html_escape(share.name), "", with_thousands(share.bytes), "", ""}, "absent");
    section(title, memory_diagram(map) + (table.empty() ? "" : table.text()));
    tensor_memory();
  }

  void tensor_memory() {
    if (model_.tensor_memory_columns.empty() && model_.tensor_memory.empty()) return;
    HtmlTable table({"columns", "tensor", "type", "lanes", "over", "line"},
                    {"tight", "", "", "num", "", "tight"});
    for (std::size_t i = 0; i < model_.tensor_memory.size(); ++i) {
      const TensorMemoryRow& row = model_.tensor_memory[i];
      table.row({html_escape(columns_text(row)), subject(row.fact, row.name), html_escape(row.type),
                 fmt::format("{}", row.lanes), html_escape(shares_text(model_.tensor_memory, i)),
                 line(row.fact)});
    }
    const std::string& columns = model_.tensor_memory_columns;
    section("Tensor memory: " + (columns.empty() ? std::string("?") : columns) + " of 512 columns allocated",
            memory_diagram(tensor_memory_map(model_), "tensor memory") + (table.empty() ? "" : table.text()));
  }

  void operations(const char* title, const std::vector<OperationRow>& rows) {
    HtmlTable table({"", "", ""}, {"tight", "", "tight"});
    for (const OperationRow& row : rows)
      table.row({subject(row.fact, row.name), html_escape(row.says), line(row.fact)},
                row.active ? "" : "absent");
    if (!table.empty()) section(title, table.text());
  }

  const evidence::Reading& reading_;
  const KernelModel& model_;
  const Anchors& anchors_;
  std::string out_;
};

}  // namespace

std::string kernel_html(const evidence::Reading& reading, const KernelModel& model, const Anchors& anchors) {
  return KernelSection(reading, model, anchors).text();
}

}  // namespace cutelab::report
