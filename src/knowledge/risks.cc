#include "knowledge/risks.h"

namespace cutelab::knowledge {
namespace {

struct RiskText {
  const char* id;
  const char* title;
  const char* mechanism;
  const char* signature;
};

// The rules are those of the PTX memory model (proxies, bulk groups, mbarriers) and of launch attributes.
constexpr RiskText risk_texts[] = {
    {"tma-store-without-proxy-fence", "TMA store without a proxy fence",
     "TMA reads shared memory through the async proxy. Stores of threads go through the generic proxy; "
     "without a "
     "fence between them the TMA store may read what was there before.",
     "all: [fact: {family: H1, kind: tma-descriptor, direction: store}, fact: {family: D4, kind: mma}]\n"
     "none: [fact: {family: D5, kind: fence}, fact: {family: D5, kind: \"fence*\"}]"},
    {"tma-ring-without-drain", "TMA ring without a drain",
     "A CTA that leaves while a stage is still in flight, or while a peer's arrival on its barriers is still "
     "to come, "
     "leaves the arrival without a target.",
     "all: [pattern: P1, pattern: P2]\nnone: [pattern: P10]"},
    {"dependent-launch-without-wait", "Dependent launch without a device-side wait",
     "The launch attribute lets the grid start while its predecessor still runs. Without griddepcontrol wait "
     "in the "
     "kernel nothing orders its reads after the predecessor's writes.",
     "all: [fact: {family: H4, kind: launch-keyword, use_pdl: any}]\n"
     "none: [fact: {family: H4, kind: launch-keyword, use_pdl: \"false\"}, "
     "fact: {family: D5, kind: dependent-launch, says: \"*ait*\"}, "
     "fact: {family: D5, kind: dependent-launch, says: \"*(griddepcontrol)*\"}]"},
};

}  // namespace

Result<std::vector<Risk>> known_risks() {
  std::vector<Risk> risks;
  for (const RiskText& text : risk_texts) {
    auto yaml = parse_yaml(text.signature, text.id, 1);
    if (!yaml) return yaml.error();
    auto signature = parse_signature(*yaml, text.id);
    if (!signature) return signature.error();
    risks.push_back({text.id, text.title, text.mechanism, std::move(*signature)});
  }
  return risks;
}

}  // namespace cutelab::knowledge
