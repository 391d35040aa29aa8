#include "corpus/acquire.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "corpus/checkout.h"
#include "corpus/locate.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace fs = std::filesystem;
namespace {

bool is_git_url(const std::string& s) {
  return s.find("://") != std::string::npos || s.starts_with("git@") || s.ends_with(".git");
}

/// The last lines of a program's complaint, for an error a person reads.
std::string complaint(const ProcessResult& result) {
  std::string last;
  for (const std::string_view raw : split(result.err.empty() ? result.out : result.err, '\n')) {
    const std::string_view line = trim(raw);
    const bool notice =
        line.starts_with("[notice]") || line.starts_with("WARNING") || line.starts_with("Cloning into");
    if (!line.empty() && !notice && (line.starts_with("ERROR") || line.starts_with("fatal") || last.empty()))
      last = line;
  }
  return last.empty() ? fmt::format("it ended with exit code {}", result.exit_code) : last;
}

bool is_network_trouble(std::string_view text) {
  for (const char* sign :
       {"resolve host", "unable to access", "Connection", "connection", "timed out", "NewConnectionError",
        "Network is unreachable", "Max retries", "Failed to establish", "too slow"})
    if (text.find(sign) != std::string_view::npos) return true;
  return false;
}

Error failed(const std::string& source, const ProcessResult& result, const std::string& remedy) {
  if (result.timed_out)
    return Error{ErrorKind::unavailable, "add the corpus " + source,
                 "the download took too long and was stopped", source,
                 "try again later, or download it yourself and add the folder"};
  const bool network = is_network_trouble(result.err);
  return Error{network ? ErrorKind::unavailable : ErrorKind::input, "add the corpus " + source,
               complaint(result), source,
               network ? "check the network, or name a folder that is already here" : remedy};
}

/// A folder being filled beside its final place; removed unless it was moved there.
class Staging {
 public:
  explicit Staging(const std::string& final_place)
      : final_(final_place), path_(fmt::format("{}.{}.part", final_place, getpid())) {
    std::error_code ignored;
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    fs::remove_all(path_, ignored);
  }
  ~Staging() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const std::string& path() const { return path_; }
  Status commit() {
    std::error_code code;
    fs::remove_all(final_, code);
    fs::rename(path_, final_, code);
    if (code)
      return Error{ErrorKind::input, "place the corpus", code.message(), final_,
                   "check the folder's permissions"};
    path_.clear();
    return {};
  }

 private:
  std::string final_, path_;
};

std::string safe_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? c : '-';
  }
  while (!out.empty() && (out.front() == '.' || out.front() == '-')) out.erase(0, 1);
  return out.empty() ? "corpus" : out;
}

std::string commit_of(const std::string& root, const AcquireContext& c) {
  auto result = c.processes.run({"git", "-C", root, "describe", "--tags", "--always"});
  return result && result->succeeded() ? std::string(trim(result->out)) : "";
}

RegisteredCorpus described(const AcquireRequest& r, CorpusKind kind, const std::string& name,
                           const std::string& root, std::string version, const AcquireContext& c) {
  return {
      safe_name(r.name.empty() ? name : r.name), kind, r.source, root, std::move(version), c.clock.utc_now()};
}

Result<RegisteredCorpus> acquire_folder(const AcquireRequest& r, const AcquireContext& c) {
  std::error_code code;
  const std::string root = fs::canonical(r.source, code).string();
  if (code)
    return Error{ErrorKind::input, "add the corpus " + r.source, code.message(), r.source,
                 "name a folder, a git URL, a PyPI package (name==version) or an installed Python package"};
  std::vector<std::string> unreadable;
  if (auto list = c.files.list(root, &unreadable); !list) return list.error();
  const auto release = header_release(c.files, root);
  const CorpusKind kind = release ? CorpusKind::checkout : CorpusKind::folder;
  if (r.kind == "checkout" && !release)
    return Error{ErrorKind::input, "add the checkout " + r.source, "it holds no include/cutlass/version.h",
                 root, "name the top folder of a CUTLASS checkout, or add it as --kind folder"};
  std::string version = fs::exists(root + "/.git", code) ? commit_of(root, c) : "";
  if (version.empty() && release) version = release->text();
  return described(r, kind, release ? "cutlass" : std::string(basename_of(root)), root, version, c);
}

Result<RegisteredCorpus> acquire_git(const AcquireRequest& r, const AcquireContext& c) {
  std::string name(stem_of(r.source.ends_with("/") ? r.source.substr(0, r.source.size() - 1) : r.source));
  const std::string root = corpora_home(c.environment) + "/git/" + safe_name(r.name.empty() ? name : r.name);
  Staging staging(root);
  if (r.source.starts_with("ext::") || r.source.starts_with("fd::") || r.source[0] == '-' ||
      r.revision.starts_with("-"))
    return Error{ErrorKind::usage, "add the corpus " + r.source,
                 r.revision.starts_with("-") ? "a revision does not start with -" : "it is no git URL", "",
                 "https://…, ssh://…, git@host:path or file://…"};
  std::vector<std::string> words = {"git", "clone", "--quiet", "--depth", "1"};
  if (!r.revision.empty()) words.insert(words.end(), {"--branch", r.revision});
  words.insert(words.end(), {"--", r.source, staging.path()});
  auto result = c.processes.run(words);
  if (!result) return result.error();
  if (!result->succeeded())
    return failed(r.source, *result, "check the URL: git clone must be able to read it");
  if (auto status = staging.commit(); !status) return status.error();
  return described(r, CorpusKind::git, name, root, commit_of(root, c), c);
}

/// "quack-kernels==0.6.5" -> name and version; the version may be empty.
std::pair<std::string, std::string> package_and_version(const std::string& source) {
  const auto equals = source.find("==");
  return {std::string(trim(source.substr(0, equals))),
          equals == std::string::npos ? "" : std::string(trim(source.substr(equals + 2)))};
}

std::string wheel_version(const std::string& folder) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".dist-info"))
      if (const auto dash = name.rfind('-', name.size() - 11); dash != std::string::npos)
        return name.substr(dash + 1, name.size() - dash - 11);
  }
  return "";
}

// Python puts the working folder first on its path: a pip.py, zipfile.py or csv.py of a folder that is only
// to be looked at must not run.
constexpr const char* without_working_folder = "import sys; sys.path[:] = [p for p in sys.path if p]\n";

constexpr const char* run_pip = "import runpy; runpy.run_module('pip', run_name='__main__', alter_sys=True)";

// No archive of sources comes near the limit; one made to fill the disk does.
constexpr const char* unpack_wheel =
    "import zipfile\n"
    "limit = 4 << 30\n"
    "with zipfile.ZipFile(sys.argv[1]) as wheel:\n"
    "    size = sum(entry.file_size for entry in wheel.infolist())\n"
    "    if size > limit or len(wheel.infolist()) > 200000:\n"
    "        sys.exit(f'ERROR: the wheel unpacks to {size} bytes in {len(wheel.infolist())} files; at most "
    "'\n"
    "                 f'{limit} bytes in 200000 files are taken')\n"
    "    wheel.extractall(sys.argv[2])\n";

std::vector<std::string> python(const char* script) {
  return {"python3", "-c", std::string(without_working_folder) + script};
}

Result<RegisteredCorpus> acquire_pypi(const AcquireRequest& r, const AcquireContext& c) {
  const auto [package, version] = package_and_version(r.source);
  const auto allowed = [](char x) {
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '-' ||
           x == '_' || x == '.' || x == '+' || x == '!';
  };
  const auto plain = [&](const std::string& s) { return std::all_of(s.begin(), s.end(), allowed); };
  const bool names_version = package.size() != trim(r.source).size();
  if (package.empty() || package[0] == '-' || !plain(package) || !plain(version) ||
      (names_version && version.empty()))
    return Error{ErrorKind::usage, "add the corpus " + r.source, "it is no package name", "",
                 "name==version, e.g. quack-kernels==0.6.5"};
  const std::string root =
      corpora_home(c.environment) + "/pypi/" + safe_name(r.name.empty() ? package : r.name);
  Staging staging(root);
  const std::string wheels = staging.path() + "/.wheels";
  std::vector<std::string> words = python(run_pip);
  words.insert(words.end(), {"download", "--quiet", "--disable-pip-version-check", "--no-deps",
                             "--only-binary=:all:", "--retries", "1", "--timeout", "20", "--dest", wheels,
                             version.empty() ? package : package + "==" + version});
  auto result = c.processes.run(words);
  if (!result) return result.error();
  if (!result->succeeded())
    return failed(r.source, *result, "check the package's name and version on its index");
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(wheels, code)) {
    std::vector<std::string> unpack = python(unpack_wheel);
    unpack.insert(unpack.end(), {entry.path().string(), staging.path()});
    auto unpacked = c.processes.run(unpack);
    if (!unpacked) return unpacked.error();
    if (!unpacked->succeeded())
      return failed(r.source, *unpacked, "unpack the wheel yourself and add the folder of its sources");
  }
  fs::remove_all(wheels, code);
  const std::string found = wheel_version(staging.path());
  if (auto status = staging.commit(); !status) return status.error();
  return described(r, CorpusKind::pypi, package, root, found.empty() ? version : found, c);
}

// Finds a package without importing it: an import could run anything and would want its dependencies.
constexpr const char* find_package =
    "import importlib.util, sys\n"
    "from importlib import metadata\n"
    "name = sys.argv[1]\n"
    "parts = name.split('.')\n"
    "spec = importlib.util.find_spec(parts[0])\n"
    "if spec is None: sys.exit(3)\n"
    "import os\n"
    "folders = list(spec.submodule_search_locations or [os.path.dirname(spec.origin)])\n"
    "found = [os.path.join(f, *parts[1:]) for f in folders if os.path.isdir(os.path.join(f, *parts[1:]))]\n"
    "if not found: sys.exit(3)\n"
    "owners = metadata.packages_distributions().get(parts[0], []) if hasattr(metadata, "
    "'packages_distributions') else []\n"
    "print(found[0]); print(metadata.version(owners[0]) if owners else '')\n";

Result<RegisteredCorpus> acquire_python(const AcquireRequest& r, const AcquireContext& c) {
  std::vector<std::string> words = python(find_package);
  words.push_back(r.source);
  auto result = c.processes.run(words);
  if (!result) return result.error();
  const auto lines = split(result->out, '\n');
  if (!result->succeeded() || lines.empty() || lines[0].empty())
    return Error{
        ErrorKind::input, "add the corpus " + r.source,
        "it is neither a folder, nor a git URL, nor an installed Python package", r.source,
        fmt::format(
            "for a package of PyPI name its version or add --kind pypi: cutelab corpus add {} --kind pypi",
            r.source)};
  return described(r, CorpusKind::python, r.source, std::string(trim(lines[0])),
                   lines.size() > 1 ? std::string(trim(lines[1])) : "", c);
}

}  // namespace

std::string corpora_home(const Environment& environment) { return environment.data_home() + "/corpora"; }

void discard(const std::string& root, const Environment& environment) {
  std::error_code ignored;
  if (normalized(root).starts_with(normalized(corpora_home(environment)) + "/"))
    fs::remove_all(root, ignored);
}

CorpusKind kind_of_source(const std::string& source, const FileSource& files) {
  if (const auto status = files.status(source); status && status->is_directory) return CorpusKind::folder;
  if (is_git_url(source)) return CorpusKind::git;
  if (source.find("==") != std::string::npos) return CorpusKind::pypi;
  if (source.find('/') != std::string::npos) return CorpusKind::folder;
  return CorpusKind::python;
}

Result<RegisteredCorpus> acquire(const AcquireRequest& r, const AcquireContext& c) {
  CorpusKind kind = kind_of_source(r.source, c.files);
  for (const CorpusKind k :
       {CorpusKind::checkout, CorpusKind::folder, CorpusKind::git, CorpusKind::pypi, CorpusKind::python})
    if (r.kind == name_of(k)) kind = k;
  switch (kind) {
    case CorpusKind::checkout:
    case CorpusKind::folder:
      return acquire_folder(r, c);
    case CorpusKind::git:
      return acquire_git(r, c);
    case CorpusKind::pypi:
      return acquire_pypi(r, c);
    case CorpusKind::python:
      return acquire_python(r, c);
  }
  return acquire_folder(r, c);
}

Result<RegisteredCorpus> update(const RegisteredCorpus& corpus, const AcquireContext& c) {
  const AcquireRequest request{corpus.source, name_of(corpus.kind), corpus.name, ""};
  if (corpus.kind != CorpusKind::git) return acquire(request, c);
  if (!c.files.status(corpus.root)) return acquire(request, c);
  auto result = c.processes.run({"git", "-C", corpus.root, "pull", "--quiet", "--ff-only"});
  if (!result) return result.error();
  if (!result->succeeded()) return failed(corpus.source, *result, "remove the corpus and add it again");
  RegisteredCorpus fresh = corpus;
  fresh.version = commit_of(corpus.root, c);
  fresh.added = c.clock.utc_now();
  return fresh;
}

}  // namespace cutelab::corpus
