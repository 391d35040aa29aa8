#include "corpus/locate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "corpus/checkout.h"
#include "corpus/registry.h"
#include "corpus/words.h"

namespace cutelab::corpus {
namespace {

bool is_folder(const FileSource& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->is_directory;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Error no_folder(const std::string& origin, const std::string& path, const FileSource& files) {
  const auto status = files.status(path);
  return Error{ErrorKind::input, fmt::format("use the corpus of {}", origin),
               status ? "it is a file, not a folder" : status.error().wrong, path,
               "name the folder of a CUTLASS checkout or of CuTe sources"};
}

/// `candidates` in order of precedence; the first that is given must be there.
Status add_cutlass(const LocateRequest& request, const Environment& environment, const FileSource& files,
                   std::vector<CorpusPlace>& places) {
  const std::string from_environment = environment.get("CUTLASS_DIR").value_or("");
  const std::string& given = !request.cutlass.empty() ? request.cutlass : from_environment;
  const char* origin = !request.cutlass.empty() ? "--cutlass" : "CUTLASS_DIR";
  if (!given.empty()) {
    if (!is_folder(files, given)) return no_folder(origin, given, files);
    places.push_back({corpus_name_of(files, given), without_slash(given), origin});
    return {};
  }
  const std::string third_party = request.source_root + "/third_party/cutlass";
  if (is_folder(files, third_party)) places.push_back({"cutlass", third_party, "third_party/cutlass"});
  return {};
}

void add_defaults(const LocateRequest& request, const FileSource& files, std::vector<CorpusPlace>& places) {
  if (is_folder(files, request.source_root + "/examples"))
    places.push_back({"examples", request.source_root + "/examples", "examples"});
  const std::string parts = request.source_root + "/build/deps/corpora";
  for (const char* name : {"quack-kernels", "flash-attn-4", "nvidia-cutlass-operators"})
    if (is_folder(files, parts + "/" + name)) places.push_back({name, parts + "/" + name, "pypi part"});
}

Result<std::vector<CorpusPlace>> only(const std::vector<std::string>& wanted,
                                      const std::vector<CorpusPlace>& places, const FileSource& files) {
  std::vector<CorpusPlace> out;
  for (const std::string& name : wanted) {
    const auto it = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.name == name; });
    if (it != places.end()) {
      out.push_back(*it);
    } else if (is_folder(files, name)) {
      out.push_back({corpus_name_of(files, name), without_slash(name), "--corpus"});
    } else {
      std::vector<std::string> names;
      for (const CorpusPlace& p : places) names.push_back(p.name);
      const auto near = nearest(name, names);
      return Error{ErrorKind::input, "use the corpus " + name,
                   "it is neither a registered corpus nor a folder", name,
                   near ? fmt::format("did you mean {}?", *near) : "corpora: " + join(names, ", ")};
    }
  }
  return out;
}

}  // namespace

std::string corpus_name_of(const FileSource& files, const std::string& root) {
  if (header_release(files, root)) return "cutlass";
  const std::string base(basename_of(without_slash(root)));
  return base.empty() || base == "." ? "folder" : base;
}

Result<std::vector<CorpusPlace>> locate(const LocateRequest& request, const Environment& environment,
                                        const FileSource& files) {
  std::vector<CorpusPlace> places;
  if (auto status = add_cutlass(request, environment, files, places); !status) return status.error();
  auto registry = Registry::load(files, environment.config_home());
  if (!registry) return registry.error();
  for (const RegisteredCorpus& c : registry->all()) {
    const auto known = [&](const CorpusPlace& p) { return p.root == c.root; };
    if (is_folder(files, c.root) && std::none_of(places.begin(), places.end(), known))
      places.push_back({c.name, c.root, "registry"});
  }
  add_defaults(request, files, places);
  if (!request.corpora.empty()) return only(request.corpora, places, files);
  return places;
}

}  // namespace cutelab::corpus
