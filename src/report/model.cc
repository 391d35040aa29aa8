#include "report/model.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "evidence/names.h"
#include "report/fact_values.h"
#include "report/tensor_memory.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;
using evidence::Value;
namespace kind = evidence::kind;

class Gather {
 public:
  Gather(const Reading& reading, std::string kernel) : reading_(reading) { model_.name = std::move(kernel); }

  /// `facts`: those that belong to the kernel, as ascending indices.
  KernelModel gather(const std::vector<std::size_t>& facts, const evidence::Location& at) {
    model_.at = at;
    for (const std::size_t i : facts) add(i, reading_.facts[i]);
    for (const std::size_t i : facts) add_side(reading_.facts[i]);
    model_.tensor_memory = tensor_memory_rows(reading_, facts);
    finish();
    return std::move(model_);
  }

 private:
  void add(std::size_t i, const Fact& fact) {
    if (fact.kind == kind::launch || fact.kind == kind::grid || fact.kind == kind::block ||
        fact.kind == kind::cluster || fact.kind == kind::launch_keyword)
      add_launch(i, fact);
    else if (fact.kind == kind::role)
      add_role(i, fact);
    else if (fact.kind == kind::register_budget)
      add_budget(fact);
    else if (fact.kind == kind::pipeline)
      add_pipeline(i, fact);
    else if (fact.kind == kind::storage || fact.kind == kind::storage_member ||
             fact.kind == kind::allocation || fact.kind == kind::capacity)
      add_storage(i, fact);
    else if (fact.kind == kind::tma_descriptor)
      model_.descriptors.push_back({i, fact.subject, operation_text(fact), is_active(fact)});
    else if (fact.kind == kind::barrier && !fact.optional)
      model_.barriers.push_back({i, fact.subject, barrier_text(fact), is_active(fact)});
    else if (fact.kind == kind::mma || fact.kind == "tile")
      add_mma(i, fact);
    else if (fact.kind == kind::tensor_memory_allocation)
      add_tensor_memory(i, fact);
  }

  /// The allocation that says how many columns; one that does not, a release, takes nothing back.
  void add_tensor_memory(std::size_t i, const Fact& fact) {
    const std::string columns = text_of(fact, {"columns"});
    if (columns.empty() || (columns == "?" && !model_.tensor_memory_columns.empty())) return;
    model_.tensor_memory_columns = columns;
    model_.tensor_memory_fact = i;
  }

  /// One row per launch keyword: its own line in the call before the call as a whole, and both before
  /// expressions that are computed elsewhere and passed on.
  void add_budget(const Fact& fact) {
    const Value* active = value_of(fact, {"active"});
    if (!active || active->boolean().value_or(true)) budgets_[fact.role] = text_of(fact, {"registers"});
  }

  /// What the defaults do not take stands back behind all that they do.
  void add_launch(std::size_t i, const Fact& fact) {
    constexpr int taken = 3;
    const int rank = is_active(fact) ? taken : 0;
    if (fact.kind != kind::launch && fact.kind != kind::launch_keyword) {
      const Value* value = value_of(fact, {fact.kind.c_str(), "value"});
      if (value) put_launch({i, fact.kind, *value}, rank + (fact.subject == fact.kind ? 3 : 1));
      return;
    }
    if (fact.kind == kind::launch) note_launch(fact);
    for (const auto& [name, value] : fact.values)
      if (name != "active" && name != "condition" && name != "assumed_multiprocessors")
        put_launch({i, name, value}, rank + (fact.kind == kind::launch ? 2 : 3));
  }

  void note_launch(const Fact& fact) {
    if (const Value* device = value_of(fact, {"assumed_multiprocessors"}))
      model_.assumed_multiprocessors = device->integer();
    ++launches_;
    if (is_active(fact)) return;
    ++launches_left_out_;
    model_.left_out = LeftOut{text_of(fact, {"condition"})};
  }

  void put_launch(LaunchRow row, int rank) {
    int& best = launch_rank_[row.name];
    if (rank < best || (rank == best && !row.value.determined())) return;
    // What a keyword is given in several launches is not one value; the launch tells that of the first.
    const auto told = std::find_if(model_.launch.begin(), model_.launch.end(),
                                   [&](const LaunchRow& old) { return old.name == row.name; });
    if (!row.value.determined() && told != model_.launch.end() && told->value.determined() &&
        is_active(reading_.facts[told->fact]))
      return;
    if (best > 0) std::erase_if(model_.launch, [&](auto& old) { return old.name == row.name; });
    best = rank;
    model_.launch.push_back(std::move(row));
  }

  /// Its warps do something apart and go on with the others.
  static bool rejoins(const Fact& fact) {
    const Value* is = value_of(fact, {fact.values.count("rejoins") ? "rejoins" : "elected"});
    return is && is->boolean().value_or(false);
  }

  /// A block that only some warps run is a role; a name for warps ("self.load_warp_id = 4") says which they
  /// are.
  void add_role(std::size_t i, const Fact& fact) {
    const std::string warps = text_of(fact, {"warps"});
    const bool constant = !fact.values.count("condition") && fact.values.count("warps");
    if (constant && is_warp_name(to_lower(fact.subject))) {
      warps_[stem(fact.subject)] = warps;
      return;
    }
    if (!fact.values.count("condition") && fact.values.count("warpgroups")) {
      warps_[stem(fact.subject)] = "warpgroup " + text_of(fact, {"warpgroups"});
      return;
    }
    if (!fact.role.empty() && fact.role != fact.subject) return add_part(i, fact, warps);
    if (const Value* only = value_of(fact, {"prepares"}); only && only->boolean().value_or(false)) return;
    const bool weak = rejoins(fact);
    specialised_ = specialised_ || !weak;
    for (RoleRow& row : model_.roles) {
      if (row.name != fact.subject) continue;
      if (weak_roles_.count(row.name) && !weak)
        row.fact = i;  // the block with the role's own loop is its place
      if (!weak) weak_roles_.erase(row.name);
      return;
    }
    if (weak) weak_roles_.insert(fact.subject);
    model_.roles.push_back({i, fact.subject, warps, text_of(fact, {"registers"}), ""});
  }

  /// A block inside a role's own: what some of its warps do, not a role beside it.
  void add_part(std::size_t i, const Fact& fact, const std::string& warps) {
    outer_.emplace(fact.subject, fact.role);
    if (rejoins(fact)) return;
    for (const RoleRow& row : model_.parts)
      if (row.name == fact.subject && row.within == fact.role) return;
    model_.parts.push_back({i, fact.subject, warps, text_of(fact, {"registers"}), fact.role});
  }

  bool is_role(const std::string& name) const {
    return std::any_of(model_.roles.begin(), model_.roles.end(), [&](auto& row) { return row.name == name; });
  }

  /// The role that a block belongs to: itself, or the one around it.
  std::string outermost(std::string name) const {
    for (int depth = 0; depth < 8 && !is_role(name); ++depth) {
      const auto around = outer_.find(name);
      if (around == outer_.end()) break;
      name = around->second;
    }
    return name;
  }

  void add_pipeline(std::size_t i, const Fact& fact) {
    PipelineRow row{i,
                    pipeline_name(fact),
                    text_of(fact, {"class"}),
                    text_of(fact, {"stages"}),
                    text_of(fact, {"bytes"}),
                    {},
                    {},
                    is_active(fact)};
    add_names(row.producers, value_of(fact, {"producer"}));
    add_names(row.consumers, value_of(fact, {"consumer"}));
    model_.pipelines.push_back(std::move(row));
  }

  /// A pipeline that is not bound to a name of its own is called after its barriers.
  static std::string pipeline_name(const Fact& fact) {
    const std::string storage = text_of(fact, {"barrier_storage"});
    if (fact.subject.find("Pipeline") == std::string::npos || storage.empty()) return fact.subject;
    std::string name = replace_all(storage, ".data_ptr()", "");
    return stem(short_name(name));
  }

  void add_mma(std::size_t i, const Fact& fact) {
    OperationRow row{i, fact.subject, operation_text(fact), is_active(fact)};
    for (OperationRow& old : model_.mma)
      if (old.name == row.name && old.says == row.says) {
        old.active = old.active || row.active;
        return;
      }
    model_.mma.push_back(std::move(row));
  }

  void add_storage(std::size_t i, const Fact& fact) {
    const Value* bytes = value_of(fact, {"bytes"});
    const auto count = bytes ? bytes->integer() : std::nullopt;
    if (fact.kind == kind::storage) {
      if (count) model_.storage_bytes = model_.storage_bytes.value_or(0) + *count;
    } else if (fact.kind == kind::capacity) {
      if (count) model_.capacity_bytes = count;
    } else {
      storage_owner_.push_back(text_of(fact, {"struct"}));
      model_.storage.push_back(
          {i, fact.subject, text_of(fact, {"type"}), count, text_of(fact, {"alignment"}), is_active(fact)});
    }
  }

  /// Whether `name` is one of the two objects a pipeline was split into.
  bool has_side(const PipelineRow& row, const std::string& name) const {
    const std::string sides = text_of(reading_.facts[row.fact], {"participants"});
    if (sides.empty()) return false;
    for (const auto side : split(sides, ','))
      if (trim(side) == name) return true;
    return false;
  }

  /// Who works on a pipeline shows in the role blocks that acquire or wait on it.
  void add_side(const Fact& fact) {
    if (fact.family != Family::D2) return;
    const bool produces = fact.kind == kind::acquire || fact.kind == kind::commit || fact.kind == kind::tail;
    const bool consumes = fact.kind == kind::wait || fact.kind == kind::release;
    if (!produces && !consumes) return;
    const std::string by = text_of(fact, {"by"});
    const std::string who = !fact.role.empty() ? outermost(fact.role) : by.empty() ? all_threads : by;
    weak_roles_.erase(who);
    const std::string told = text_of(fact, {"pipeline"});
    for (PipelineRow& row : model_.pipelines) {
      const bool named = told.empty() ? row.name == fact.subject || stem(row.name) == stem(fact.subject) ||
                                            stem(row.name) == stem(short_name(fact.subject)) ||
                                            has_side(row, fact.subject)
                                      : row.name == told;
      if (named) add_once(produces ? row.producers : row.consumers, who);
    }
  }

  /// Variants of one struct: members of those that the defaults leave out go where another variant has them;
  /// what is left twice carries its struct's name.
  void tell_storage_apart() {
    std::map<std::string, std::set<std::string>> owners;
    std::map<std::string, int> used;
    for (std::size_t i = 0; i < model_.storage.size(); ++i)
      if (model_.storage[i].active) ++used[model_.storage[i].name];
    std::vector<StorageRow> kept;
    std::vector<std::string> owner;
    const std::set<std::string> structs(storage_owner_.begin(), storage_owner_.end());
    for (std::size_t i = 0; i < model_.storage.size(); ++i) {
      // The allocation of a struct whose members stand here holds nothing of its own.
      if (storage_owner_[i].empty() && !model_.storage[i].type.empty() &&
          structs.count(model_.storage[i].type))
        continue;
      if (!model_.storage[i].active && used[model_.storage[i].name]) continue;
      kept.push_back(model_.storage[i]);
      owner.push_back(storage_owner_[i]);
      owners[kept.back().name].insert(owner.back());
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (owners[kept[i].name].size() > 1 && !owner[i].empty()) kept[i].name = owner[i] + "." + kept[i].name;
    model_.storage = std::move(kept);
  }

  /// The launch's bytes are the total where they hold all that is known of: they have padding and what the
  /// library takes for itself besides the members. Structs laid over one allocation are more than it holds.
  void take_total_of_launch() {
    std::int64_t members = 0;
    for (const StorageRow& row : model_.storage)
      if (row.active) members += row.bytes.value_or(0);
    for (const LaunchRow& row : model_.launch) {
      if (row.name != "smem_bytes" || row.value.integer().value_or(0) < 1) continue;
      if (*row.value.integer() >= members || row.value.formula == kind::allocations_add_up)
        model_.storage_bytes = row.value.integer();
    }
  }

  /// What only shows when all facts are in.
  void finish() {
    tell_storage_apart();
    take_total_of_launch();
    if (launches_left_out_ < launches_) model_.left_out.reset();
    leave_descriptors_to_calls();
    std::erase_if(model_.roles, [&](const RoleRow& row) {
      return weak_roles_.count(row.name) && !budgets_.count(row.name);
    });
    for (RoleRow& row : model_.roles) {
      if (const auto budget = budgets_.find(row.name); budget != budgets_.end() && row.registers.empty())
        row.registers = budget->second;
      if (const auto warps = warps_.find(stem(row.name)); warps != warps_.end() && row.warps.empty())
        row.warps = warps->second;
    }
    for (PipelineRow& row : model_.pipelines) {
      leave_to_roles(row.producers);
      leave_to_roles(row.consumers);
      if (row.type.find("TmaStore") != std::string::npos && row.consumers.empty())
        row.consumers = {"global memory"};
    }
  }

  /// What a helper makes for each caller is told where it is called: there the direction is known.
  void leave_descriptors_to_calls() {
    const auto told = [&](const OperationRow& row) {
      return value_of(reading_.facts[row.fact], {"direction"});
    };
    if (std::any_of(model_.descriptors.begin(), model_.descriptors.end(), told))
      std::erase_if(model_.descriptors, [&](const OperationRow& row) { return !told(row); });
  }

  /// Statements outside any role (set-up, a helper that several roles call) say nothing where roles do the
  /// work. Where all that is told apart is a warp or thread that rejoins the others, what stands outside is
  /// done by all.
  void leave_to_roles(std::vector<std::string>& names) const {
    if (!model_.roles.empty() && (specialised_ || names.size() > 1)) std::erase(names, all_threads);
  }

  static constexpr const char* all_threads = everyone;
  const Reading& reading_;
  KernelModel model_;
  int launches_ = 0, launches_left_out_ = 0;
  bool specialised_ = false;                    ///< some role's warps do not rejoin the others
  std::map<std::string, std::string> outer_;    ///< role around a block, by the block's name
  std::map<std::string, std::string> budgets_;  ///< registers by role
  std::map<std::string, std::string> warps_;    ///< warp numbers by stem of the role's name
  std::map<std::string, int> launch_rank_;      ///< how good the row of a launch keyword is
  std::vector<std::string> storage_owner_;      ///< struct of each storage row
  std::set<std::string> weak_roles_;  ///< blocks of one elected warp or thread that show nothing of their own
};

/// A reading's facts sorted by the kernel they name, in one pass: a file may hold thousands of kernels.
struct ByKernel {
  explicit ByKernel(const Reading& reading) {
    for (const evidence::Function& function : reading.functions) {
      if (function.kind == evidence::Function::Kind::kernel && function.at.file == 0) add(function.name);
      places[function.name] = function.at;
    }
    for (std::size_t i = 0; i < reading.facts.size(); ++i) {
      const std::string& kernel = reading.facts[i].kernel;
      add(kernel);
      facts[kernel].push_back(i);
    }
    if (kernels.size() != 1) return;
    // Facts that name no kernel belong to the only one.
    std::vector<std::size_t>& all = facts[kernels[0]];
    all.insert(all.end(), facts[""].begin(), facts[""].end());
    std::sort(all.begin(), all.end());
  }

  void add(const std::string& kernel) {
    if (!kernel.empty() && known.insert(kernel).second) kernels.push_back(kernel);
  }
  std::vector<std::size_t> facts_of(const std::string& kernel) const {
    const auto found = facts.find(kernel);
    return found == facts.end() ? std::vector<std::size_t>() : found->second;
  }
  evidence::Location place_of(const std::string& kernel) const {
    const auto found = places.find(kernel);
    return found == places.end() ? evidence::Location() : found->second;
  }

  std::vector<std::string> kernels;  ///< in the order of the source
  std::set<std::string> known;
  std::map<std::string, std::vector<std::size_t>> facts;
  std::map<std::string, evidence::Location> places;
};

bool is_empty(const KernelModel& model) {
  return model.launch.empty() && model.roles.empty() && model.pipelines.empty() && model.storage.empty() &&
         model.descriptors.empty() && model.mma.empty();
}

}  // namespace

std::vector<KernelModel> models(const Reading& reading) {
  const ByKernel by(reading);
  std::vector<KernelModel> out;
  for (const std::string& kernel : by.kernels)
    out.push_back(Gather(reading, kernel).gather(by.facts_of(kernel), by.place_of(kernel)));
  if (by.kernels.size() != 1) {
    KernelModel whole = Gather(reading, "").gather(by.facts_of(""), {});
    if (!is_empty(whole) || by.kernels.empty()) out.push_back(std::move(whole));
  }
  return out;
}

}  // namespace cutelab::report
