#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {
namespace {
using evidence::Fact;
constexpr std::int64_t file_registers = 65536;  ///< 32-bit registers of one SM, sm_70 to sm_121
constexpr std::int64_t most_per_thread = 255;
constexpr std::int64_t granule = 8;  ///< PTX ISA, setmaxnreg: a multiple of 8 from 24 to 256

/// Calls of setmaxnreg, not the constants that they are given.
std::vector<const Fact*> reallocations(const Check& check) {
  auto out = check.facts(evidence::kind::register_budget);
  std::erase_if(out, [](const Fact* f) { return !value_of(*f, "action"); });
  return out;
}

/// The one launch of the file whose kernel is asked for; nullptr where there are several or none.
const Fact* launch_of(const Check& check, const std::string& kernel) {
  const Fact* found = nullptr;
  for (const Fact* launch : check.facts(evidence::kind::launch)) {
    if (!kernel.empty() && launch->kernel != kernel) continue;
    if (found && number_of(*found, "threads") != number_of(*launch, "threads")) return nullptr;
    found = launch;
  }
  return found;
}

std::int64_t blocks_per_multiprocessor(const Check& check, const std::string& kernel) {
  std::int64_t blocks = 1;
  for (const Fact* keyword : check.facts(evidence::kind::launch_keyword))
    if (keyword->subject == "min_blocks_per_mp" && (kernel.empty() || keyword->kernel == kernel))
      if (const auto n = number_of(*keyword, "min_blocks_per_mp")) blocks = std::max(blocks, *n);
  return blocks;
}

struct Budget {
  std::map<std::int64_t, std::int64_t> by_warp;  ///< registers a thread, by warp
  Places at;
};

/// Registers of every warp by the roles' setmaxnreg; false (and said) when one cannot be told.
bool collect(Check& check, const std::vector<const Fact*>& calls, Budget& out) {
  for (const Fact* call : calls) {
    const auto count = number_of(*call, "registers");
    if (!count) return check.undecided(*call, "registers"), false;
    const Fact* role = check.role_block(*call);
    const auto warps = role ? numbers_of(value_of(*role, "warps")) : std::nullopt;
    if (!warps) {
      check.undecided("which warps run " + (call->role.empty() ? call->subject : call->role), {}, call->at);
      return false;
    }
    for (const auto w : *warps) out.by_warp[w] = *count;  // the last call of a role stands
    out.at.push_back(call->at);
  }
  return true;
}

void hold_kernel(Check& check, const std::string& kernel, const std::vector<const Fact*>& calls) {
  const Fact* launch = launch_of(check, kernel);
  if (!launch) return check.undecided("which launch runs it", {kernel}, calls.front()->at);
  const auto threads = number_of(*launch, "threads");
  if (!threads || *threads <= 0) return check.undecided(*launch, "threads");
  Budget budget;
  if (!collect(check, calls, budget)) return;
  const std::int64_t blocks = blocks_per_multiprocessor(check, kernel);
  const std::int64_t start =
      std::min(most_per_thread / granule * granule, file_registers / (*threads * blocks) / granule * granule);
  std::map<std::int64_t, std::int64_t> threads_by_count;
  for (std::int64_t w = 0; w < (*threads + 31) / 32; ++w) {
    const auto found = budget.by_warp.find(w);
    // A warp that never changes keeps what the compiler gave it, at most `start`; at least what the smallest
    // role has.
    if (found != budget.by_warp.end()) threads_by_count[found->second] += 32;
  }
  std::int64_t total = 0;
  std::vector<std::string> terms;
  for (const auto& [count, n] : threads_by_count) {
    total += count * n;
    terms.push_back(fmt::format("{} * {}", n, count));
  }
  const std::int64_t pool = start * *threads;
  if (total <= pool) return check.passed();
  budget.at.push_back(launch->at);
  check.fire(
      fmt::format("the roles ask for {} registers, {} threads{} start with at most {} each, {} in all: "
                  "an increase waits for ever",
                  total, *threads, blocks > 1 ? fmt::format(" ({} CTAs an SM)", blocks) : "", start, pool),
      fmt::format("{} = {} > {} * {} = {}", fmt::join(terms, " + "), total, *threads, start, pool),
      budget.at);
}
}  // namespace

Rule register_budget() {
  return {"register-budget",
          "the registers of all roles fit into what the CTA starts with, at most 65,536 an SM",
          "lower the count of one role; an increase only takes what others gave back",
          evidence::Severity::error, [](Check& check) {
            std::map<std::string, std::vector<const Fact*>> by_kernel;
            for (const Fact* call : reallocations(check))
              by_kernel[check.kernels().size() > 1 ? call->kernel : ""].push_back(call);
            for (const auto& [kernel, calls] : by_kernel) hold_kernel(check, kernel, calls);
          }};
}

Rule register_count() {
  return {"register-count", "setmaxnreg takes a multiple of 8 from 24 to 256",
          "round the count to a multiple of 8", evidence::Severity::error, [](Check& check) {
            for (const Fact* call : reallocations(check)) {
              const auto n = number_of(*call, "registers");
              if (!n)
                check.undecided(*call, "registers");
              else if (*n < 24 || *n > 256 || *n % granule != 0)
                check.fire(fmt::format("{} registers", *n), fmt::format("{} % 8 = {}", *n, *n % granule),
                           {call->at});
              else
                check.passed();
            }
          }};
}

Rule print_in_small_role() {
  return {"print-in-small-role", "a role that gave registers back does not print",
          "print from a role that keeps its registers, or raise this role's count while debugging",
          evidence::Severity::warning, [](Check& check) {
            for (const Fact* print : check.facts("print")) {
              if (print->role.empty()) {
                check.passed();
                continue;
              }
              bool small = false;
              for (const Fact* call : reallocations(check)) {
                const auto n = number_of(*call, "registers");
                if (call->role != print->role || text_of(*call, "action") != "decrease" || !n) continue;
                check.fire(
                    fmt::format("prints from {}, which keeps {} registers a thread: printf needs more and "
                                "the kernel ends in an illegal instruction",
                                print->role, *n),
                    "", {print->at, call->at});
                small = true;
              }
              if (!small) check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
