#include "base/text.h"
#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Field;
using source::Node;
using NodeKind = source::Kind;

void extract_schedulers(FactContext& context) {
  for (const Node n : context.module().tree().all(NodeKind::while_statement)) {
    const std::string low = to_lower(n.child(Field::condition_field).text());
    const bool valid = low.find("is_valid_tile") != std::string::npos ||
                       low.find("work_tile") != std::string::npos ||
                       low.find("is_valid") != std::string::npos;
    if (!valid) continue;
    Draft& draft = context.add(Family::S1, "tile-loop",
                               std::string(n.child(Field::condition_field).text().substr(0, 60)),
                               "loop over output tiles", n);
    draft.construct = "tile-loop";
  }
}

}  // namespace cutelab::reading
