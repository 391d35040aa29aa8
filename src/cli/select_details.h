#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpus/modules.h"
#include "corpus/select.h"
#include "device/device.h"

namespace cutelab::cli {

/// The first GPU that the driver lists; nothing without a driver or a GPU.
std::optional<corpus::Device> machine_gpu(device::Device& machine, const corpus::ArchFacts& archs);

/// Uses in the example's source of names that not every wheel has. Nothing for CuTe C++ and for what cannot
/// be read.
std::vector<corpus::ApiUse> api_uses(const corpus::Example& e, const corpus::Workspace& workspace,
                                     const FileSource& files);

/// Appends to the hit's reasons which wheels it can be used with; with `wheel`, only what breaks there.
void add_wheel_reasons(corpus::Hit& hit, const std::optional<corpus::Release>& wheel);

/// What the card of one example says beyond the index: wheels, and modules of others.
struct ExampleDetails {
  std::vector<corpus::ApiUse> api;
  std::optional<corpus::Release> wheel;                    ///< --wheel
  std::optional<std::vector<corpus::ThirdParty>> modules;  ///< nothing = no Python was there to ask
};

/// Titled rows for the card: "wheel", "modules".
std::vector<std::pair<std::string, std::string>> detail_rows(const ExampleDetails& details);

}  // namespace cutelab::cli
