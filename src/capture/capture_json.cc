#include "capture/capture_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "capture/sweep.h"

namespace cutelab::capture {
namespace {
using Json = nlohmann::ordered_json;
using Named = std::vector<std::pair<std::string, std::string>>;

constexpr std::array all_endings = {
    Ended::returned, Ended::exited,     Ended::raised,       Ended::missing_module, Ended::crashed,
    Ended::vanished, Ended::time_limit, Ended::memory_limit, Ended::output_limit,   Ended::process_limit};

Json object_of(const Named& members) {
  Json object = Json::object();
  for (const auto& [name, value] : members) object[name] = Json::parse(value, nullptr, false);
  return object;
}

Named members_of(const Json& object) {
  Named members;
  if (!object.is_object()) return members;
  for (const auto& [name, value] : object.items())
    members.emplace_back(name, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return members;
}

Json json_of(const Launch& launch) {
  Json attributes = Json::array();
  for (const LaunchAttribute& a : launch.attributes) attributes.push_back({{"id", a.id}, {"value", a.value}});
  return {{"function", launch.function},
          {"qualified", launch.qualified},
          {"file", launch.file},
          {"line", launch.line},
          {"class", launch.class_name},
          {"symbol", launch.symbol},
          {"own", launch.own},
          {"grid", launch.grid},
          {"block", launch.block},
          {"cluster", launch.cluster ? Json(*launch.cluster) : Json(nullptr)},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"attributes", std::move(attributes)},
          {"times", launch.times},
          {"module", launch.module < 0 ? Json(nullptr) : Json(launch.module)},
          {"constructor", object_of(launch.constructor)},
          {"constants", object_of(launch.constants)}};
}

template <class T>
T get(const Json& object, const char* name, T otherwise) {
  const auto it = object.find(name);
  if (it == object.end() || it->is_null()) return otherwise;
  try {
    return it->get<T>();
  } catch (const Json::exception&) {
    return otherwise;
  }
}

Json member(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() ? Json() : *it;
}

Launch launch_from(const Json& object) {
  Launch launch;
  launch.function = get<std::string>(object, "function", "");
  launch.qualified = get<std::string>(object, "qualified", "");
  launch.file = get<std::string>(object, "file", "");
  launch.line = get(object, "line", 0);
  launch.class_name = get<std::string>(object, "class", "");
  launch.symbol = get<std::string>(object, "symbol", "");
  launch.own = get(object, "own", false);
  launch.grid = get(object, "grid", Extents{});
  launch.block = get(object, "block", Extents{});
  if (object.contains("cluster") && object["cluster"].is_array())
    launch.cluster = get(object, "cluster", Extents{});
  launch.dynamic_shared_bytes = get<std::uint64_t>(object, "dynamic_shared_bytes", 0);
  for (const Json& a : member(object, "attributes"))
    launch.attributes.push_back({get(a, "id", 0), get(a, "value", std::vector<std::uint32_t>{})});
  launch.times = get(object, "times", 1);
  launch.module = get(object, "module", -1);
  launch.constructor = members_of(member(object, "constructor"));
  launch.constants = members_of(member(object, "constants"));
  return launch;
}

Json json_of(const TensorMap& map) {
  return {{"type", map.type},
          {"swizzle", map.swizzle},
          {"extents", map.extents},
          {"strides_bytes", map.strides_bytes},
          {"box", map.box}};
}

TensorMap tensor_map_from(const Json& object) {
  using Numbers = std::vector<std::uint64_t>;
  return {get(object, "type", 0), get(object, "swizzle", 0), get(object, "extents", Numbers{}),
          get(object, "strides_bytes", Numbers{}), get(object, "box", Numbers{})};
}

std::optional<Extents> cluster_of(const Launch& launch) {
  constexpr int cluster_dimension = 4;  // cudaLaunchAttributeClusterDimension
  for (const LaunchAttribute& a : launch.attributes)
    if (a.id == cluster_dimension && a.value.size() == 3) return Extents{a.value[0], a.value[1], a.value[2]};
  return std::nullopt;
}

bool same_configuration(const Launch& a, const Launch& b) {
  const auto values = [](const Launch& launch) {
    std::vector<std::pair<int, std::vector<std::uint32_t>>> all;
    for (const LaunchAttribute& attribute : launch.attributes)
      all.emplace_back(attribute.id, attribute.value);
    return all;
  };
  return a.symbol == b.symbol && a.grid == b.grid && a.block == b.block &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes && values(a) == values(b);
}

/// Each line that is a JSON object, in order.
std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> found;
  for (const auto line : split(text, '\n')) {
    Json parsed = Json::parse(line, nullptr, false);
    if (parsed.is_object()) found.push_back(std::move(parsed));
  }
  return found;
}

void join_function(const Json& kernel, const std::string& program, Launch& launch) {
  launch.function = get<std::string>(kernel, "function", "");
  launch.qualified = get<std::string>(kernel, "qualified", "");
  launch.file = get<std::string>(kernel, "file", "");
  launch.line = get(kernel, "line", 0);
  launch.class_name = get<std::string>(kernel, "class", "");
  launch.constructor = members_of(member(kernel, "attributes"));
  launch.constants = members_of(member(kernel, "constants"));
  launch.own = launch.file == program;
}

/// A program that launches no kernel of its own file: those of its helper modules, but not of a library, are
/// its own.
void own_helpers(const std::map<std::string, Json>& functions, std::vector<Launch>& launches) {
  if (std::any_of(launches.begin(), launches.end(), [](const Launch& l) { return l.own; })) return;
  for (Launch& launch : launches) {
    const auto kernel = functions.find(launch.symbol);
    launch.own = kernel != functions.end() && !get(kernel->second, "library", true);
  }
}

}  // namespace

std::string name_of(Ended ended) {
  switch (ended) {
    case Ended::returned:
      return "returned";
    case Ended::exited:
      return "exited";
    case Ended::raised:
      return "raised";
    case Ended::missing_module:
      return "missing-module";
    case Ended::crashed:
      return "crashed";
    case Ended::vanished:
      return "vanished";
    case Ended::time_limit:
      return "time-limit";
    case Ended::memory_limit:
      return "memory-limit";
    case Ended::output_limit:
      return "output-limit";
    case Ended::process_limit:
      return "process-limit";
  }
  return "";
}

bool Capture::recorded() const {
  return std::any_of(launches.begin(), launches.end(), [](const Launch& launch) { return launch.own; });
}

bool Capture::compiled() const {
  return std::any_of(launches.begin(), launches.end(),
                     [](const Launch& launch) { return launch.own && launch.module >= 0; });
}

bool Capture::wants_torch() const {
  return !recorded() && torch == "stand-in" &&
         (ended == Ended::raised || ended == Ended::exited || ended == Ended::missing_module ||
          ended == Ended::crashed);
}

std::string to_json(const Capture& capture) {
  Json sources = Json::array(), launches = Json::array(), maps = Json::array();
  for (const SourceFile& source : capture.sources)
    sources.push_back({{"path", source.path}, {"sha256", source.sha256}});
  for (const Launch& launch : capture.launches) launches.push_back(json_of(launch));
  for (const TensorMap& map : capture.tensor_maps) maps.push_back(json_of(map));
  const Json document = {{"schema", "cutelab.capture"},
                         {"schema_version", 1},
                         {"program", capture.program},
                         {"flags", capture.flags},
                         {"arch", capture.arch},
                         {"dsl_version", capture.dsl_version},
                         {"torch", capture.torch},
                         {"outcome", capture.recorded() ? "recorded" : "failed"},
                         {"ended", name_of(capture.ended)},
                         {"reason", capture.reason},
                         {"at", capture.at},
                         {"output", capture.output},
                         {"seconds", capture.seconds},
                         {"peak_bytes", capture.peak_bytes},
                         {"kept", capture.kept},
                         {"launches", std::move(launches)},
                         {"tensor_maps", std::move(maps)},
                         {"sources", std::move(sources)},
                         {"modules", capture.modules},
                         {"device_code", capture.device_code},
                         {"exported", capture.exported}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const Sweep& sweep) {
  Json programs = Json::array();
  std::size_t recorded = 0;
  for (const Swept& one : sweep.programs) {
    const Capture none;
    const Capture& made = one.capture ? *one.capture : none;
    recorded += made.recorded();
    Json launches = Json::array();
    for (const Launch& launch : made.launches)
      if (launch.own) launches.push_back(json_of(launch));
    programs.push_back({{"file", one.file},
                        {"holds_kernel", one.holds_kernel},
                        {"arch", made.arch},
                        {"flags", made.flags},
                        {"outcome", one.captured()    ? "captured"
                                    : made.recorded() ? "recorded"
                                                      : "failed"},
                        {"ended", one.capture ? name_of(made.ended) : "not-run"},
                        {"reason", one.capture ? made.reason : one.problem},
                        {"at", made.at},
                        {"torch", made.torch},
                        {"seconds", made.seconds},
                        {"kept", made.kept},
                        {"modules", made.modules},
                        {"launches", std::move(launches)}});
  }
  const Json document = {{"schema", "cutelab.capture-sweep"},
                         {"schema_version", 1},
                         {"root", sweep.root},
                         {"dsl_version", sweep.dsl_version},
                         {"seconds", sweep.seconds},
                         {"captured", sweep.captured()},
                         {"recorded", recorded},
                         {"programs", std::move(programs)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Capture> capture_from_json(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object() || get<std::string>(document, "schema", "") != "cutelab.capture" ||
      get(document, "schema_version", 0) != 1)
    return Error{ErrorKind::input, "read a capture",
                 "this is no document of schema cutelab.capture, version 1", "", ""};
  Capture capture;
  capture.program = get<std::string>(document, "program", "");
  capture.flags = get(document, "flags", std::vector<std::string>{});
  capture.arch = get<std::string>(document, "arch", "");
  capture.dsl_version = get<std::string>(document, "dsl_version", "");
  capture.torch = get<std::string>(document, "torch", "");
  const std::string ended = get<std::string>(document, "ended", "");
  for (const Ended candidate : all_endings)
    if (name_of(candidate) == ended) capture.ended = candidate;
  capture.reason = get<std::string>(document, "reason", "");
  capture.at = get<std::string>(document, "at", "");
  capture.output = get<std::string>(document, "output", "");
  capture.seconds = get(document, "seconds", 0.0);
  capture.peak_bytes = get<std::uint64_t>(document, "peak_bytes", 0);
  for (const Json& launch : member(document, "launches")) capture.launches.push_back(launch_from(launch));
  for (const Json& map : member(document, "tensor_maps")) capture.tensor_maps.push_back(tensor_map_from(map));
  capture.modules = get(document, "modules", std::vector<std::string>{});
  capture.device_code = get(document, "device_code", std::vector<std::string>{});
  capture.exported = get<std::string>(document, "exported", "");
  for (const Json& source : member(document, "sources"))
    capture.sources.push_back({get<std::string>(source, "path", ""), get<std::string>(source, "sha256", "")});
  return capture;
}

void add_events(const std::string& events, const std::string& kernels, Capture& capture) {
  std::map<std::string, Json> functions;
  for (const Json& kernel : lines_of(kernels)) functions[get<std::string>(kernel, "symbol", "")] = kernel;
  for (const Json& event : lines_of(events)) {
    const std::string kind = get<std::string>(event, "event", "");
    if (kind == "tensor_map") capture.tensor_maps.push_back(tensor_map_from(event));
    if (kind != "launch") continue;
    Launch launch = launch_from(event);
    launch.module = -1;  // the recorder counts what was loaded, not what was compiled
    launch.cluster = cluster_of(launch);
    const auto before = std::find_if(capture.launches.begin(), capture.launches.end(),
                                     [&](const Launch& seen) { return same_configuration(seen, launch); });
    if (before != capture.launches.end()) {
      ++before->times;
      continue;
    }
    if (const auto kernel = functions.find(launch.symbol); kernel != functions.end())
      join_function(kernel->second, capture.program, launch);
    capture.launches.push_back(std::move(launch));
  }
  own_helpers(functions, capture.launches);
}

}  // namespace cutelab::capture
