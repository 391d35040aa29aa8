#include "cli/read_known.h"

#include "cli/knowledge_world.h"
#include "knowledge/relate.h"

namespace cutelab::cli {

Status ReadKnown::load(const std::string& folder, const Context& context) {
  auto library =
      knowledge::load_library(folder.empty() ? default_knowledge_folder(context) : folder, context.files);
  if (!library) return folder.empty() ? Status() : Status(library.error());
  if (!folder.empty() && library->entries.empty())
    return Error{ErrorKind::input, "read --knowledge " + folder, "holds no entry", folder,
                 "name a folder of pattern files, as docs/knowledge"};
  library_ = std::move(*library);
  return {};
}

evidence::Knowledge ReadKnown::of(const evidence::Reading& reading) const {
  const knowledge::CrossReference found = knowledge::relate(reading, library_);
  evidence::Knowledge out;
  out.folder = library_.folder;
  for (const knowledge::Relation& r : found.relations)
    out.entries.push_back({knowledge::name_of(r.kind), r.id, r.title, r.path, r.patterns, r.details, r.at});
  out.fresh = found.fresh;
  return out;
}

}  // namespace cutelab::cli
