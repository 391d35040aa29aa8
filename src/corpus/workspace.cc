#include "corpus/workspace.h"

#include <fmt/format.h>

#include "base/text.h"
#include "corpus/checkout.h"

namespace cutelab::corpus {
namespace {

Status load_data(Workspace& w, const FileSource& files, const std::string& data) {
  auto archs = ArchFacts::load(files, data);
  if (!archs) return archs.error();
  w.archs = std::move(*archs);
  auto signals = SignalTable::load(files, data);
  if (!signals) return signals.error();
  w.signals = std::move(*signals);
  auto taxonomy = Taxonomy::load(files, data);
  if (!taxonomy) return taxonomy.error();
  w.taxonomy = std::move(*taxonomy);
  auto history = ExampleHistory::load(files, data);
  if (!history) return history.error();
  w.history = std::move(*history);
  auto api = ApiChanges::load(files, data);
  if (!api) return api.error();
  w.api = std::move(*api);
  return {};
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::open(const LocateRequest& request,
                                                   const Environment& environment, const FileSource& files) {
  auto w = std::make_unique<Workspace>();
  if (auto status = load_data(*w, files, request.source_root + "/data"); !status) return status.error();
  auto places = locate(request, environment, files);
  if (!places) return places.error();
  w->places = std::move(*places);
  std::vector<CorpusView> views;
  for (const CorpusPlace& place : w->places) {
    IndexReport report;
    auto index = open_index(files, w->signals, place.root, environment.cache_home(), report);
    if (!index) return index.error();
    for (const std::string& note : report.notes) w->notes.push_back(place.name + ": " + note);
    views.push_back({place.name, place.root, header_release(files, place.root),
                     dsl_example_root(files, place.root), std::move(*index)});
  }
  w->catalog = std::make_unique<Catalog>(std::move(views), w->taxonomy, w->signals, w->archs);
  return w;
}

namespace {

/// "taken: PATH; the other is PATH": of many others the first three are named.
std::string taken_and_others(const Resolution& r, const Catalog& catalog) {
  constexpr std::size_t most_named = 3;
  const auto path = [&](int i) { return catalog.full_path(catalog.examples()[static_cast<std::size_t>(i)]); };
  std::vector<std::string> paths;
  for (const int i : r.candidates)
    if (i != r.chosen) paths.push_back(path(i));
  const std::size_t count = paths.size();
  if (count > most_named) paths.resize(most_named);
  return fmt::format("taken: {}; the other{} {}{}", path(r.chosen), count == 1 ? " is" : "s are",
                     join(paths, ", "),
                     count > most_named ? fmt::format(" and {} more", count - most_named) : "");
}

}  // namespace

Result<std::string> Workspace::file_of(const std::string& asked, const std::string& arch,
                                       const FileSource& files, std::vector<std::string>& out_notes) const {
  if (const auto status = files.status(asked); status && !status->is_directory) return asked;
  std::optional<Device> device;
  if (!arch.empty()) {
    auto found = archs.device(arch);
    if (!found) return found.error();
    device = *found;
  }
  auto r = resolve(asked, device, *catalog, history);
  if (!r) return r.error();
  out_notes.insert(out_notes.end(), r->notes.begin(), r->notes.end());
  if (r->chosen >= 0 && r->candidates.size() > 1) out_notes.push_back(taken_and_others(*r, *catalog));
  if (r->chosen >= 0) return catalog->full_path(catalog->examples()[static_cast<std::size_t>(r->chosen)]);
  std::string list;
  for (const int i : r->candidates) {
    const Example& e = catalog->examples()[static_cast<std::size_t>(i)];
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", e.path(),
                        e.arch.minimum.empty() ? "architecture undetermined" : e.arch.minimum);
  }
  return Error{ErrorKind::input, "read " + asked,
               device ? fmt::format("none of the {} examples of that name stands out for {}",
                                    r->candidates.size(), device->name)
                      : fmt::format("{} examples are called so", r->candidates.size()),
               list, "name the path or add --arch, e.g. --arch sm_90"};
}

}  // namespace cutelab::corpus
