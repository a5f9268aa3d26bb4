#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "models/copy_engine/copy_engine.hpp"
#include "models/dram/dram.hpp"
#include "models/epilogue/epilogue.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"
#include "tests/property/fast_forward_case.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Of all instances of a unit and their buckets, in cycles.
std::int64_t in_buckets(const LaunchStatistics& run, std::string_view unit,
                        const std::vector<std::string_view>& names) {
  std::int64_t sum = 0;
  for (const UnitTotals& totals : run.units) {
    if (totals.unit != unit) continue;
    for (const auto& [name, cycles] : totals.buckets) {
      if (std::ranges::find(names, name) != names.end()) sum += cycles.count();
    }
  }
  return sum;
}

/// What the instances of a unit take for a launch at least, and what they took: together.
struct UnitTime {
  const char* unit;
  std::int64_t (*least)(const AcceleratorConfig& machine, const KernelLaunch& launch);
  std::int64_t (*taken)(const LaunchStatistics& run, const KernelLaunch& launch);
};

std::int64_t shortest_slice(const KernelLaunch& launch) {
  return launch.k_steps / launch.splits;
}

constexpr std::array kUnitTimes{
    UnitTime{"sub_core",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               return issue_cycles(machine.sm, launch, shortest_slice(launch)).count() *
                      machine.sm.sub_cores * launch.ctas();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "tensor_core", {"busy"}) +
                      in_buckets(run, "vector_unit", {"busy"});
             }},
    UnitTime{"shared_memory",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               PortTime port = port_time(machine.sm.shared_memory, launch, shortest_slice(launch));
               if (port.has_fill_port) port.fills = Cycles();  // in no bucket
               return port.of_cta().count() * launch.ctas();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "shared_memory", {"fill", "fetch", "staging"});
             }},
    UnitTime{"copy_engine",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               return CopyEngine::least_step_cycles(machine.sm.copy_engine, launch).count() *
                      shortest_slice(launch) * launch.ctas();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "copy_engine", {"issuing"});
             }},
    // CTAs of an SM prepare their tiles side by side.
    UnitTime{"epilogue",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               const StreamingMultiprocessorConfig& sm = machine.sm;
               return Epilogue::to_last_chunk(sm.epilogue, sm.shared_memory, launch).count() *
                      launch.ctas();
             },
             [](const LaunchStatistics& run, const KernelLaunch& launch) {
               return launch.ctas_per_sm * in_buckets(run, "epilogue",
                                                      {"setup", "waiting_source",
                                                       "waiting_shared_memory", "waiting_bus"});
             }},
    UnitTime{"memory_bus_read",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               const std::int64_t sms = machine.num_sms;
               return MemoryBus::least_read_cycles(machine.memory_bus, launch, sms).count() * sms;
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "memory_bus_read", {"busy"});
             }},
    UnitTime{"memory_bus_write",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               const std::int64_t sms = machine.num_sms;
               return MemoryBus::least_write_cycles(machine.memory_bus, launch, sms).count() * sms;
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "memory_bus_write", {"busy"});
             }},
    UnitTime{"l2_cache_read",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               return L2Cache::least_cycles(machine.l2_cache, launch).count();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "l2_cache_read", {"busy"});
             }},
    UnitTime{"l2_cache_write",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               return L2Cache::least_write_cycles(machine.l2_cache, launch).count();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "l2_cache_write", {"busy"});
             }},
    UnitTime{"dram",
             [](const AcceleratorConfig& machine, const KernelLaunch& launch) {
               return Dram::least_cycles(machine.dram, launch).count();
             },
             [](const LaunchStatistics& run, const KernelLaunch&) {
               return in_buckets(run, "dram", {"busy"});
             }}};

/// Machines have to be built before the first run, so a process does as many cases at a time.
constexpr std::uint64_t kCasesOfBlock = 25;
constexpr int kBlocks = 4;

class LeastTimes : public testing::TestWithParam<int> {};

TEST_P(LeastTimes, AreNeverAboveWhatTheUnitTakes) {
  const std::uint64_t first =
      seed_or(6'000'000) + static_cast<std::uint64_t>(GetParam()) * kCasesOfBlock;
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + kCasesOfBlock - 1));
  std::vector<FastForwardCase> cases;
  for (std::uint64_t at = 0; at < kCasesOfBlock; ++at) {
    cases.push_back(draw_fast_forward_case(first + at));
  }
  std::array<double, kUnitTimes.size()> closest{};
  for (const FastForwardCase& drawn : cases) {
    const AcceleratorConfig& machine = drawn.runner->machine().accelerator;
    for (const KernelLaunch& launch : drawn.launches) {
      const LaunchStatistics run = drawn.runner->run(launch);
      for (std::size_t at = 0; at < kUnitTimes.size(); ++at) {
        const std::int64_t least = kUnitTimes[at].least(machine, launch);
        const std::int64_t taken = kUnitTimes[at].taken(run, launch);
        EXPECT_LE(least, taken) << kUnitTimes[at].unit << ": " << drawn.text;
        if (taken == 0) continue;
        closest[at] =
            std::max(closest[at], static_cast<double>(least) / static_cast<double>(taken));
      }
    }
  }
  // Of some launch it is nearly all: a bound of nothing would not be one.
  for (std::size_t at = 0; at < kUnitTimes.size(); ++at) {
    std::printf("%s: up to %.3f of it\n", kUnitTimes[at].unit, closest[at]);
    EXPECT_GT(closest[at], 0.99) << kUnitTimes[at].unit;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LeastTimes, testing::Range(0, kBlocks));

}  // namespace
}  // namespace stcsim::test
