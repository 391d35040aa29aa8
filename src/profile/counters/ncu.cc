#include "profile/ncu.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.h"
#include "profile/counter_median.h"

namespace cutelab::profile {

std::vector<std::string> ncu_profile_command(const NcuRequest& request) {
  std::vector<std::string> argv = {
      request.ncu,
      "--target-processes=all",
      "--kernel-name=regex:" + request.device_function,
      fmt::format("--launch-skip={}", request.skip),
      fmt::format("--launch-count={}", request.count),
      "--nvtx",
      std::string("--cache-control=") + (request.l2 == L2State::warm ? "none" : "all"),
      "--clock-control=none",
      "--set=full",
      "--import-source=yes",
      "--metrics=" + join(request.metrics, ","),
      "--force-overwrite",
      "--export=" + request.report};
  argv.insert(argv.end(), request.command.begin(), request.command.end());
  return argv;
}

std::vector<std::string> ncu_import_command(const NcuRequest& request) {
  return {request.ncu, "--import=" + request.report, "--page=raw", "--csv", "--print-units=base"};
}

namespace {

/// Fields of one line; quoted ones may hold commas and doubled quotes.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// A number as ncu prints it, with or without separators of thousands.
std::optional<double> number_of(const std::string& field) {
  const std::string text = replace_all(field, ",", "");
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_header(const std::vector<std::string>& fields) {
  return fields.size() > 2 && fields[0] == "ID" && fields[1] == "Process ID";
}

/// Metrics are named unit__what; the other columns tell of the process and the launch.
std::map<std::string, double> metrics_of(const std::vector<std::string>& header,
                                         const std::vector<std::string>& fields) {
  std::map<std::string, double> metrics;
  for (std::size_t i = 0; i < header.size() && i < fields.size(); ++i)
    if (header[i].find("__") != std::string::npos)
      if (const auto value = number_of(fields[i])) metrics[header[i]] = *value;
  return metrics;
}

}  // namespace

Error ncu_error(const std::string& output) {
  const auto says = [&](const char* text) { return output.find(text) != std::string::npos; };
  const std::string asked = "profile with ncu";
  if (says("ERR_NVGPUCTRPERM"))
    return {ErrorKind::unavailable, asked, "the driver refuses counters to this user (ERR_NVGPUCTRPERM)", "",
            device::counters_refused_remedy};
  if (says("No kernels were profiled"))
    return {ErrorKind::unavailable, asked, "no launch matched the kernel's name", "",
            "the name is a regular expression on the function's own name; --prof_type=launch shows whether "
            "it runs"};
  if (says("profiler is already") || says("ResourceUnavailable") || says("Another profiler"))
    return {ErrorKind::unavailable, asked, "another profiler holds the counters", "",
            "stop it, or `dcgmi profile --pause`"};
  std::vector<std::string> errors;
  for (const auto line : split(output, '\n'))
    if (line.find("==ERROR==") != std::string_view::npos) errors.emplace_back(trim(line));
  return {ErrorKind::unavailable, asked,
          errors.empty() ? "ncu gave no launch and no reason" : join(errors, "; "), "", ""};
}

Result<device::CounterReading> read_ncu_report(const std::string& csv) {
  std::vector<std::string> header;
  std::vector<device::CounterReading> launches;
  for (const auto line : split(csv, '\n')) {
    const auto fields = fields_of(line);
    if (header.empty()) {
      if (is_header(fields)) header = fields;
      continue;
    }
    // The line after the header holds the units and has no number in its first column.
    if (fields.size() != header.size() || !number_of(fields[0])) continue;
    launches.push_back({"ncu", 0, {}, {metrics_of(header, fields)}});
  }
  if (launches.empty()) return ncu_error(csv);
  return median_of(launches);
}

}  // namespace cutelab::profile
