#include "sim/run/bound_by.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace stcsim {
namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Cycles of all instances of a unit in some of its buckets, per instance; 0 without that unit.
double cycles_in(const LaunchResult& launch, std::string_view unit,
                 std::initializer_list<std::string_view> buckets) {
  for (const UnitReport& report : launch.units) {
    if (report.unit != unit || report.instances == 0) continue;
    std::int64_t cycles = 0;
    for (const auto& [name, value] : report.buckets) {
      if (std::find(buckets.begin(), buckets.end(), name) != buckets.end()) cycles += value;
    }
    return real(cycles) / real(report.instances);
  }
  return 0;
}

/// Shares of the time after launching in which parts are busy; those of an SM while it has CTAs.
struct Busy {
  double tensor_core = 0;
  double vector_unit = 0;
  double fill = 0;
  double fetch = 0;
  double memory_bus = 0;
  double l2_cache = 0;
  double dram = 0;

  [[nodiscard]] double shared_memory() const { return fill + fetch; }
  [[nodiscard]] double of_sm() const {
    return std::max({tensor_core, vector_unit, shared_memory()});
  }
  [[nodiscard]] double shared_by_sms() const { return std::max(l2_cache, dram); }
};

/// Rounds of CTAs: waves, or, where all run at once, CTAs per SM.
double rounds_of(const MachineConfig& machine, const KernelReport& kernel) {
  return kernel.waves > 1 ? kernel.waves : real(kernel.ctas) / real(machine.accelerator.num_sms);
}

/// How much of the rounds an SM has CTAs in: the last is not full.
double filling(double rounds) {
  return rounds / std::ceil(rounds);
}

/// Cycles that the launch has to wait for: writes that the queue takes in are carried out later.
double dram_cycles(const LaunchResult& launch, const DramConfig& dram) {
  const auto bytes = [&](std::string_view name) {
    const auto is_it = [&](const Counter& counter) { return counter.name == name; };
    const auto found = std::find_if(launch.counters.begin(), launch.counters.end(), is_it);
    return found == launch.counters.end() ? 0 : found->value;
  };
  const std::int64_t written = bytes("dram_write_bytes") - dram.write_queue_bytes;
  return real(bytes("dram_read_bytes") + std::max<std::int64_t>(written, 0)) /
         real(dram.bytes_per_clk_of(launch.mma_instructions > 0));
}

Busy busy_of(const LaunchResult& launch, const DramConfig& dram, double body, double filled) {
  const double of_sm = 1 / (body * filled);
  Busy busy;
  busy.tensor_core = cycles_in(launch, "tensor_core", {"busy", "issue_gap"}) * of_sm;
  busy.vector_unit = cycles_in(launch, "vector_unit", {"busy", "issue_gap"}) * of_sm;
  busy.fill = cycles_in(launch, "shared_memory", {"fill"}) * of_sm;
  busy.fetch = cycles_in(launch, "shared_memory", {"fetch", "staging"}) * of_sm;
  busy.memory_bus = cycles_in(launch, "memory_bus_read", {"busy"}) * of_sm;
  busy.l2_cache = std::max(cycles_in(launch, "l2_cache_read", {"busy"}),
                           cycles_in(launch, "l2_cache_write", {"busy"})) /
                  body;
  busy.dram = dram_cycles(launch, dram) / body;
  return busy;
}

using Savings = std::vector<std::pair<const char*, double>>;

void add_units(Savings& savings, const Busy& busy) {
  const double outside = std::max(busy.memory_bus, busy.shared_by_sms());
  const double memory = busy.shared_memory();
  const double math = std::max(busy.tensor_core, busy.vector_unit);
  const auto add = [&](const char* name, double share) {
    savings.emplace_back(name, std::max(share, 0.0));
  };
  // Of two units that take turns as often as they overlap, half of the other's time stays.
  const double without_math = math > memory ? math - memory / 2 : 0.0;
  add(busy.tensor_core >= busy.vector_unit ? "multipliers" : "vector_unit",
      std::min(without_math, 1 - std::max(memory, outside)));
  const double without_memory = memory > math ? std::min(memory - math, 1 - outside) : 0.0;
  const double port = std::max(without_memory, memory - std::max(math, outside));
  add("shared_memory_port", std::min(port, busy.fetch));
  add("fill", std::min(port, busy.fill));
  const double inside = busy.of_sm();
  add("memory_bus", (busy.memory_bus - std::max(inside, busy.shared_by_sms())) * busy.memory_bus);
  add("l2_cache", (busy.l2_cache - std::max({inside, busy.memory_bus, busy.dram})) * busy.l2_cache);
  add("dram", (busy.dram - std::max({inside, busy.memory_bus, busy.l2_cache})) * busy.dram);
}

void add_ctas(Savings& savings, const MachineConfig& machine, const KernelReport& kernel,
              const Busy& busy) {
  const double shared = busy.shared_by_sms();
  const double rounds = rounds_of(machine, kernel);
  if (rounds > 1 && rounds != std::floor(rounds)) {
    const double fewer = std::floor(rounds) / std::ceil(rounds);
    savings.emplace_back("last_wave", (1 - std::max(fewer, shared)) * busy.of_sm());
  }
  const std::int64_t sms = machine.accelerator.num_sms;
  if (2 * kernel.ctas <= sms) {
    savings.emplace_back("too_few_ctas",
                         (1 - std::max(real(kernel.ctas) / real(sms), shared)) * busy.of_sm());
  }
}

}  // namespace

std::string bound_by(const MachineConfig& machine, const LaunchResult& launch) {
  constexpr double kWorthNaming = 0.1;
  const CtaSchedulerConfig& scheduler = machine.accelerator.cta_scheduler;
  const std::int64_t launches = launch.kernel.split_k > 1 ? 2 : 1;
  const std::int64_t launching = launches * scheduler.launch_cycles + scheduler.cta_setup_cycles;
  const double body = real(std::max<std::int64_t>(launch.cycles - launching, 1));
  const Busy busy =
      busy_of(launch, machine.accelerator.dram, body, filling(rounds_of(machine, launch.kernel)));
  Savings savings;
  add_units(savings, busy);
  add_ctas(savings, machine, launch.kernel, busy);
  const double cycles = real(std::max<std::int64_t>(launch.cycles, 1));
  for (auto& [name, share] : savings) share *= body / cycles;
  savings.emplace_back("launch", real(launching) / cycles);
  const auto most = std::max_element(
      savings.begin(), savings.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return most->second < kWorthNaming ? "unclear" : most->first;
}

}  // namespace stcsim
