#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/process.h"
#include "base/text.h"
#include "cli/doctor/items.h"
#include "cli/verbs.h"
#include "render/columns.h"

namespace cutelab::cli {
namespace {

using doctor::Item;
using doctor::State;

constexpr double ask_seconds = 20;
constexpr std::size_t most_answer_bytes = 1 << 20;

std::optional<long long> free_bytes_at(const std::string& path) {
  struct statvfs fs {};
  if (statvfs(path.c_str(), &fs) != 0) return std::nullopt;
  return static_cast<long long>(fs.f_bavail) * static_cast<long long>(fs.f_frsize);
}

doctor::Host host_of(const Arguments& arguments, const Context& context) {
  const auto ask = [](const std::vector<std::string>& argv) -> std::optional<std::string> {
    const auto done = run_process(ProcessSpec{argv, "", {}, ask_seconds, {}, most_answer_bytes});
    if (!done || !done->succeeded()) return std::nullopt;
    return done->out;
  };
  const auto find = [&context](const std::string& name) -> std::optional<std::string> {
    const std::string path = find_program(context.environment, name);
    return path.empty() ? std::nullopt : std::optional(path);
  };
  return doctor::Host{ask,
                      find,
                      free_bytes_at,
                      context.files,
                      context.environment,
                      context.source_root,
                      context.program,
                      arguments.get("--cutlass")};
}

const char* name_of(State state) {
  return state == State::found ? "found" : state == State::missing ? "missing" : "attention";
}

render::Style style_of(State state) {
  return state == State::found     ? render::Style::good
         : state == State::missing ? render::Style::faint
                                   : render::Style::warn;
}

nlohmann::ordered_json json_of(const std::vector<Item>& items) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Item& item : items)
    list.push_back({{"group", item.group},
                    {"name", item.name},
                    {"state", name_of(item.state)},
                    {"detail", item.detail},
                    {"needed_for", item.needed_for},
                    {"remedy", item.remedy}});
  return {{"schema", "cutelab.doctor/1"}, {"version", CUTELAB_VERSION}, {"items", list}};
}

/// Machine, Build, Parts …: one table per group, in the order in which groups first appear.
std::string tables(const std::vector<Item>& items, const Context& context) {
  const render::Paint paint(render::wants_colour(context.out_is_terminal,
                                                 context.environment.get("NO_COLOR").value_or(""),
                                                 context.environment.get("TERM").value_or("")));
  std::vector<std::string> groups;
  for (const Item& item : items)
    if (std::find(groups.begin(), groups.end(), item.group) == groups.end()) groups.push_back(item.group);
  std::string out;
  for (const std::string& group : groups) {
    render::Columns table{
        {{""}, {""}, {"", render::Align::left, true, 20}, {"", render::Align::left, true, 20}}, {}};
    for (const Item& item : items) {
      if (item.group != group) continue;
      const std::string what = item.remedy.empty() ? item.needed_for : item.needed_for + " → " + item.remedy;
      table.rows.push_back(
          {{item.name}, {name_of(item.state), style_of(item.state)}, {printable(item.detail)}, {what}});
    }
    out += paint(render::Style::heading, group) + "\n" + render::columns(table, context.width, paint) + "\n";
  }
  return out;
}

class DoctorVerb final : public Verb {
 public:
  VerbSpec spec() const override {
    VerbSpec spec;
    spec.name = "doctor";
    spec.summary = "what is installed here, what each thing is for and how to get it";
    spec.flags = {{"--cutlass",
                   "DIR",
                   "the CUTLASS checkout to look at",
                   "CUTLASS_DIR, else third_party/cutlass",
                   false,
                   {}},
                  {"--json", "", "as JSON (schema cutelab.doctor/1)", "", false, {}}};
    spec.examples = {"cutelab doctor", "cutelab doctor --cutlass=../cutlass --json"};
    return spec;
  }

  Result<ExitCode> run(const Arguments& arguments, Context& context) const override {
    const doctor::Host host = host_of(arguments, context);
    std::vector<Item> items = doctor::build_items(host);
    for (auto probe : {doctor::gpu_items, doctor::python_items})
      for (Item& item : probe(host)) items.push_back(std::move(item));
    if (arguments.has("--json")) {
      context.out << json_of(items).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
      return ExitCode::ok;
    }
    context.out << tables(items, context);
    const auto found =
        std::count_if(items.begin(), items.end(), [](const Item& i) { return i.state == State::found; });
    context.out << fmt::format(
        "{} of {} found; the others are listed with what needs them and how to get them.\n", found,
        items.size());
    return ExitCode::ok;
  }
};

}  // namespace

std::unique_ptr<Verb> make_doctor_verb() { return std::make_unique<DoctorVerb>(); }

}  // namespace cutelab::cli
