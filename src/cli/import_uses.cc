#include "cli/import_uses.h"

#include "compiled/memory_use.h"

namespace cutelab::cli {

void note_uses(kernel::Exported& exported, const FileSource& files) {
  constexpr std::uint64_t most_text_bytes = 256u << 20;
  auto& call = exported.call;
  auto text = files.read(exported.folder + "/kernel.mlir", most_text_bytes);
  if (!text) return;
  auto use = compiled::memory_use(*text, call.function);
  if (!use || use->arguments.size() != call.arguments.size()) return;
  call.uses_known = true;
  call.writes_elsewhere = use->writes_elsewhere;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& relocations = call.arguments[i].relocations;
    if (relocations.empty() || relocations[0].at != 0) continue;
    for (auto& tensor : call.tensors) {
      if (tensor.buffer != relocations[0].buffer || tensor.offset != relocations[0].offset) continue;
      tensor.read = tensor.read || use->arguments[i].read;
      tensor.written = tensor.written || use->arguments[i].written;
    }
  }
}

}  // namespace cutelab::cli
