#pragma once
#include <optional>
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "render/paint.h"

namespace cutelab::report {

/// What the views show of one kernel, gathered from a reading's facts. Indices point into Reading::facts, so
/// that a view can link each row to its fact.
struct LaunchRow {
  std::size_t fact = 0;
  std::string name;  ///< "grid", "block", "cluster", "smem", …
  evidence::Value value;
};

struct RoleRow {
  std::size_t fact = 0;
  std::string name;
  std::string warps;      ///< "0", "(4, 5, 6, 7)", "?"; empty = not said
  std::string registers;  ///< setmaxnreg budget; empty = none
  std::string within;     ///< the role whose block this one divides; empty = a role of its own
};

/// Who works on a pipeline outside the blocks that only some warps run.
inline constexpr const char* everyone = "all threads";

struct PipelineRow {
  std::size_t fact = 0;
  std::string name;
  std::string type;                    ///< "PipelineTmaUmma"
  std::string stages;                  ///< "7", "?"
  std::string bytes;                   ///< per transaction; empty = not said
  std::vector<std::string> producers;  ///< empty = not told
  std::vector<std::string> consumers;
  bool active = true;  ///< the defaults create it
};

struct StorageRow {
  std::size_t fact = 0;
  std::string name;
  std::string type;
  std::optional<std::int64_t> bytes;  ///< nullopt = undetermined
  std::string alignment;
  bool active = true;  ///< the defaults allocate it
};

/// A tensor over tensor memory, in columns from where the allocation begins.
struct TensorMemoryRow {
  std::size_t fact = 0;
  std::string name;                            ///< all names of tensors over these columns
  std::optional<std::int64_t> first, columns;  ///< nullopt = undetermined
  std::string type;                            ///< "Float32"
  std::int64_t first_lane = 0, lanes = 128;
  bool of_allocation = false;  ///< false: columns count from the memory's begin
  bool by_call = false;        ///< a helper laid it, there is one for each of its calls
};

/// A TMA descriptor or an MMA: name, what it is, and numbers in one line.
struct OperationRow {
  std::size_t fact = 0;
  std::string name;
  std::string says;
  bool active = true;  ///< compiled under the defaults
};

/// A launch that the defaults leave out.
struct LeftOut {
  std::string condition;  ///< what it depends on; empty = not said
};

struct KernelModel {
  std::string name;  ///< empty: what belongs to the whole file
  evidence::Location at;
  std::vector<LaunchRow> launch;
  std::optional<LeftOut> left_out;
  std::optional<std::int64_t> assumed_multiprocessors;  ///< of the device that the grid was computed for
  std::vector<RoleRow> roles;
  std::vector<RoleRow> parts;  ///< blocks inside a role that only some of its warps run
  std::vector<PipelineRow> pipelines;
  std::vector<StorageRow> storage;
  std::optional<std::int64_t> storage_bytes;   ///< total: of the launch, else of the structs
  std::optional<std::int64_t> capacity_bytes;  ///< what the target allows per block
  std::vector<OperationRow> descriptors;
  std::vector<OperationRow> mma;
  std::vector<OperationRow> barriers;  ///< named barriers and mbarriers of the kernel's own
  std::string tensor_memory_columns;   ///< empty = none
  std::size_t tensor_memory_fact = 0;
  std::vector<TensorMemoryRow> tensor_memory;
};

/// One model per kernel in the order of the source; facts of the whole file are added to the only kernel, or
/// stand last as a model without a name when there are several kernels or none.
std::vector<KernelModel> models(const evidence::Reading& reading);

/// "?" with the expression it stands for: "? = self.num_ab_stage"; the value's text when it is determined.
std::string shown(const evidence::Value& value);

/// The last part of a qualified name: "HopperGemm.kernel" -> "kernel".
std::string short_name(const std::string& qualified);

/// "dense_gemm.py:523"; the folder is left out, "?" for no place.
std::string place(const evidence::Reading& reading, const evidence::Location& at);

/// "640, 512, 518–520 …": line numbers in the file that was asked for as they are given (the most telling
/// first), at most `most`, ranges where they adjoin.
std::string lines_text(const std::vector<evidence::Location>& at, std::size_t most);

/// "satisfied", "violated", "?"; empty where no check was made of the rule.
std::string verdict_text(evidence::Constraint::Verdict verdict);
render::Style verdict_style(evidence::Constraint::Verdict verdict);

/// "--tile (128, 128), run() (256, 256)": what disagrees, the one that was taken first.
std::string stated_text(const evidence::DefaultConflict& conflict);

/// What undetermined values depend on, most frequent first.
struct Dependency {
  std::string name;
  int count = 0;
};
std::vector<Dependency> dependencies(const evidence::Reading& reading);

}  // namespace cutelab::report
