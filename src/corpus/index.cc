#include "corpus/index.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus/scan.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

/// Folders of a corpus that hold examples or documentation; empty = the whole tree. A CUTLASS checkout also
/// holds the library itself, its tests and its tools, which are no examples.
std::vector<std::string> parts_of(const FileSource& files, const std::string& root) {
  if (!files.status(root + "/include/cutlass") || !files.status(root + "/examples")) return {};
  std::vector<std::string> parts;
  for (const char* part : {"/examples", "/media/docs"})
    if (files.status(root + part)) parts.push_back(root + part);
  return parts;
}

bool is_generated(std::string_view path) {
  return path.find(".dist-info/") != std::string_view::npos ||
         path.find("/node_modules/") != std::string_view::npos ||
         path.find("/build/") != std::string_view::npos;
}

Result<std::vector<std::string>> paths_below(const FileSource& files, const std::string& root,
                                             IndexReport& report) {
  std::vector<std::string> unreadable, all;
  auto parts = parts_of(files, root);
  if (parts.empty()) parts.push_back(root);
  for (const std::string& part : parts) {
    auto list = files.list(part, &unreadable);
    if (!list) return list.error();
    all.insert(all.end(), list->begin(), list->end());
  }
  if (files.status(root + "/README.md") && parts.front() != root) all.push_back(root + "/README.md");
  for (const std::string& folder : unreadable) report.notes.push_back("cannot read the folder " + folder);
  std::vector<std::string> wanted;
  for (const std::string& path : all) {
    const std::string_view below = std::string_view(path).substr(root.size());
    if (kind_of_file(path) != FileKind::none && !is_generated(below)) wanted.push_back(path);
  }
  std::sort(wanted.begin(), wanted.end());
  return wanted;
}

/// Brings one index up to date against another one, file by file.
class Updater {
 public:
  Updater(const FileSource& files, const SignalTable& signals, const Index& old, IndexReport& report)
      : files_(files), signals_(signals), old_(old), report_(report) {}

  Index run(const std::string& root, const std::vector<std::string>& paths) {
    index_.root = root;
    for (const std::string& path : paths) one(path, path.substr(root.size() + 1));
    report_.removed = count_removed();
    return std::move(index_);
  }

 private:
  template <class Item>
  static const Item* find(const std::vector<Item>& items, const std::string& path) {
    const auto it = std::lower_bound(items.begin(), items.end(), path,
                                     [](const Item& item, const std::string& p) { return item.path < p; });
    return it != items.end() && it->path == path ? &*it : nullptr;
  }

  void one(const std::string& path, const std::string& relative) {
    const auto status = files_.status(path);
    if (!status || status->is_directory) return;
    const FileKind kind = kind_of_file(path);
    const auto same = [&](const auto* item) {
      return item && item->bytes == status->bytes && item->modified_ns == status->modified_ns;
    };
    const FileFacts* facts = find(old_.files, relative);
    const DocPage* page = find(old_.pages, relative);
    const bool is_source = kind != FileKind::page, is_page = kind != FileKind::source;
    if ((!is_source || same(facts)) && (!is_page || same(page))) {
      if (is_source) index_.files.push_back(*facts);
      if (is_page) index_.pages.push_back(*page);
      ++report_.reused;
      return;
    }
    const auto text = files_.read(path, max_source_bytes);
    if (!text) {
      report_.notes.push_back(fmt::format("passed over {}: {}", relative, text.error().wrong));
      return;
    }
    ++report_.scanned;
    if (is_source) add(index_.files, scan(relative, *text, signals_), relative, *status);
    if (is_page) add(index_.pages, scan_page(relative, *text), relative, *status);
  }

  template <class Item>
  static void add(std::vector<Item>& items, Item item, const std::string& path, const FileStatus& status) {
    item.path = path;
    item.bytes = status.bytes;
    item.modified_ns = status.modified_ns;
    items.push_back(std::move(item));
  }

  int count_removed() const {
    int removed = 0;
    for (const FileFacts& f : old_.files) removed += find(index_.files, f.path) == nullptr;
    for (const DocPage& p : old_.pages) removed += find(index_.pages, p.path) == nullptr;
    return removed;
  }

  const FileSource& files_;
  const SignalTable& signals_;
  const Index& old_;
  IndexReport& report_;
  Index index_;
};

}  // namespace

std::string index_path(const std::string& cache_home, const std::string& root) {
  return fmt::format("{}/index/{:016x}.idx", cache_home, fnv1a(root));
}

Result<Index> open_index(const FileSource& files, const SignalTable& signals, const std::string& root,
                         const std::string& cache_home, IndexReport& report) {
  auto paths = paths_below(files, root, report);
  if (!paths) return paths.error();
  const std::string store = index_path(cache_home, root);
  Index old;
  if (files.status(store)) {
    auto text = files.read(store, 256u << 20);
    auto stored = text ? deserialize(*text, root, signals.fingerprint()) : Result<Index>(text.error());
    if (stored)
      old = std::move(*stored);
    else
      report.notes.push_back(
          fmt::format("the stored index is not usable, {}; rebuilt", stored.error().wrong));
  }
  Index index = Updater(files, signals, old, report).run(root, *paths);
  if (report.scanned > 0 || report.removed > 0)
    if (const auto status = write_file_atomically(store, serialize(index, signals.fingerprint())); !status)
      report.notes.push_back(fmt::format("the index could not be stored ({}); the next start scans again",
                                         status.error().wrong));
  return index;
}

}  // namespace cutelab::corpus
