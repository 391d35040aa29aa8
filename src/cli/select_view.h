#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/select_details.h"
#include "corpus/select.h"

namespace cutelab::cli {

/// How an example's path is shown: below its example tree, with its corpus before it unless that is CUTLASS;
/// shortened in the middle to `width` columns (0 = whole).
std::string shown_path(const corpus::Example& e, const corpus::Catalog& catalog, std::size_t width);

/// A ranked list that fits `width` columns: one line of facts and one of reasons per hit. At 100:
///
///    #  example                                             needs    layer       lines  H100
///    1  cute/hopper/kernel/dense_gemm/dense_gemm.py         sm_90a   CuTe        1,520  runs
///       made for H100; dense GEMM; TMA pipeline (PipelineTmaAsync:623)
///    2  cute/blackwell/kernel/dense_gemm/dense_gemm.py      sm_100a  CuTe        1,850  no
///       dense GEMM; needs tcgen05 …; runs instead: cute/hopper/kernel/dense_gemm/dense_gemm.py
std::string hits_text(const std::vector<corpus::Hit>& hits, const std::optional<corpus::Device>& device,
                      const corpus::Workspace& workspace, int width);
std::string hits_csv(const std::vector<corpus::Hit>& hits, const std::optional<corpus::Device>& device,
                     const corpus::Workspace& workspace);
nlohmann::ordered_json hit_json(
    const corpus::Hit& hit, const corpus::Workspace& workspace,
    const std::optional<corpus::Release>& wheel);  ///< --wheel: what breaks with it
nlohmann::ordered_json details_json(const ExampleDetails& details);
nlohmann::ordered_json example_json(const corpus::Example& e, const corpus::Workspace& workspace);

/// Everything about one example: what it needs, how to run it, what it imports, what runs it, where it is
/// explained.
std::string card_text(const corpus::Example& e, const std::optional<corpus::Device>& device,
                      const ExampleDetails& details, const corpus::Workspace& workspace, int width);

/// The steps of a learning path, missing ones with the reason.
std::string path_text(const corpus::LearningPath& path, const std::vector<corpus::ResolvedStep>& steps,
                      const std::optional<corpus::Device>& device, const corpus::Workspace& workspace,
                      int width);

std::string docs_text(const std::vector<corpus::SeeAlso>& found, const corpus::Catalog& catalog);

/// Goals, categories, patterns and learning paths with their titles.
std::string lists_text(const corpus::Taxonomy& taxonomy, int width);

}  // namespace cutelab::cli
