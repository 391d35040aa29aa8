#include "profile/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "device/peak_ptx.h"
#include "profile/statistics.h"

namespace cutelab::profile {
namespace {

using Work = std::function<Status()>;

/// Runs `work` some times for warm-up and then `repeats` times between events; fills in rate and spread.
Status time_it(device::Session& session, const Work& work, double amount, Ceiling& ceiling) {
  constexpr int warm_up = 3;
  constexpr int repeats = 20;
  std::vector<double> samples_us;
  for (int n = 0; n < warm_up + repeats; ++n) {
    if (auto s = session.record(0); !s) return s;
    if (auto s = work(); !s) return s;
    if (auto s = session.record(1); !s) return s;
    auto us = session.elapsed_us();
    if (!us) return us.error();
    if (n >= warm_up) samples_us.push_back(*us);
  }
  const Summary s = summarize(std::move(samples_us));
  ceiling.per_second = amount / (s.median * 1e-6);
  ceiling.spread = (s.third_quartile - s.first_quartile) / s.median;
  ceiling.state = session.sample();
  return {};
}

/// A program of ours: loaded, run long enough that its start does not count.
struct Program {
  std::string ptx;
  std::string function;
  unsigned blocks_per_sm;
  unsigned threads;
  double flops_per_block_turn;
};

Status time_program(device::Session& session, const Program& program, device::Address at, Ceiling& ceiling) {
  auto function = session.load(program.ptx, program.function);
  if (!function) return function.error();
  const unsigned blocks = static_cast<unsigned>(session.info().sms) * program.blocks_per_sm;
  constexpr std::uint64_t turns = 20000;  // milliseconds: the clock is the one it holds
  return time_it(
      session, [&] { return session.start(*function, blocks, program.threads, at, turns); },
      program.flops_per_block_turn * blocks * static_cast<double>(turns), ceiling);
}

void add(std::vector<Ceiling>& all, Ceiling ceiling, const Status& measured) {
  if (!measured) ceiling.missing_because = measured.error().asked + ": " + measured.error().wrong;
  all.push_back(std::move(ceiling));
}

void add_memory(std::vector<Ceiling>& all, device::Session& session, device::Address from, device::Address to,
                std::size_t bytes) {
  const auto amount = static_cast<double>(bytes);
  const auto one = [&](const char* tag, const char* how, double counted, const Work& work) {
    Ceiling ceiling{tag, "B/s", 0, 0, fmt::format("{} of {} MiB", how, bytes >> 20), "", {}};
    const Status measured = time_it(session, work, counted, ceiling);
    add(all, std::move(ceiling), measured);
  };
  one("dram_copy", "device-to-device copy, read + write,", 2 * amount,
      [&] { return session.copy(to, from, bytes); });
  one("dram_read", "read by a kernel, 16 bytes a thread,", amount,
      [&] { return session.sweep(from, bytes); });
  one("dram_write", "fill", amount, [&] { return session.fill(to, 1, bytes); });
}

void add_arithmetic(std::vector<Ceiling>& all, device::Session& session, device::Address at) {
  Ceiling fma{"fp32", "FLOP/s", 0, 0, "fused multiply-adds in registers, 16 chains a thread", "", {}};
  const Status fma_measured = time_program(
      session, {device::fma_ptx(), "cutelab_fma", 8, 256, 256.0 * device::fma_per_turn * 2}, at, fma);
  add(all, std::move(fma), fma_measured);
  Ceiling tensor{
      "bf16-tensor", "FLOP/s", 0, 0, "wgmma m64n256k16 from shared memory, values in ±[0.5, 1)", "", {}};
  if (session.info().major != 9) {
    tensor.missing_because = "the program is written for wgmma, which " + session.info().name + " has not";
    all.push_back(std::move(tensor));
    return;
  }
  const Status measured = time_program(
      session, {device::wgmma_ptx(), "cutelab_wgmma", 3, 128, device::wgmma_per_turn * device::wgmma_flops},
      at, tensor);
  add(all, std::move(tensor), measured);
}

}  // namespace

Result<std::vector<Ceiling>> measure_ceilings(device::Session& session) {
  // Many times L2, and no more than an eighth of the memory.
  const std::int64_t wanted = std::min<std::int64_t>(std::int64_t{1} << 30, session.info().memory_bytes / 8);
  const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(wanted, 1 << 20)) / 4096 * 4096;
  auto from = session.allocate(bytes);
  if (!from) return from.error();
  auto to = session.allocate(bytes);
  if (!to) return to.error();
  if (auto s = session.fill(*from, 0, bytes); !s) return s.error();
  std::vector<Ceiling> all;
  add_memory(all, session, *from, *to, bytes);
  add_arithmetic(all, session, *to);
  return all;
}

}  // namespace cutelab::profile
