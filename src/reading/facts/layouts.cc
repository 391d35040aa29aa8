#include "evidence/names.h"
#include "reading/facts/context.h"

namespace cutelab::reading {
using evidence::Family;
using source::Node;

void extract_layouts(FactContext& context) {
  for (const CallSite& site : context.calls()) {
    const Node swizzle = context.keyword(site.call, "swizzle") ? context.keyword(site.call, "swizzle")
                                                               : context.keyword(site.call, "swizzle_");
    const bool buffer =
        site.leaf == "get_tensor" || site.leaf == "allocate_tensor" || site.leaf == "recast_ptr";
    if (swizzle) {
      Draft& draft = context.add(
          Family::D6, "swizzle-applied", site.target.empty() ? site.receiver.substr(0, 60) : site.target,
          "swizzle " + std::string(swizzle.text().substr(0, 80)) + " applied", site.call);
      draft.fact.values["swizzle"] = evidence::literal(std::string(swizzle.text().substr(0, 120)));
      draft.construct = "swizzle-applied";
    } else if (buffer && site.leaf == "allocate_tensor") {
      Draft& draft = context.add(Family::D6, evidence::kind::shared_layout, site.target,
                                 "layout of " + site.target + ", no swizzle", site.call);
      draft.construct = "plain-layout";
    }
  }
  for (Draft& draft : context.drafts) {
    if (draft.construct != "make_swizzle") continue;
    evidence::Value::List numbers;
    for (const Node a : draft.node.child(source::Field::arguments_field).children())
      numbers.push_back(context.value(a));
    draft.fact.values["swizzle"].data = std::move(numbers);
  }
}

}  // namespace cutelab::reading
