#pragma once

#include <string>

#include "models/accelerator/launch_statistics.hpp"
#include "models/accelerator/modules.hpp"

namespace stcsim {

/// Adds one instance's buckets to the totals of its kind of unit.
inline void add_instance(UnitTotals& totals, const UnitBuckets& buckets) {
  if (totals.buckets.empty()) {
    for (const BucketCycles& bucket : buckets) {
      totals.buckets.emplace_back(bucket.name, Cycles());
    }
  }
  ++totals.instances;
  for (std::size_t at = 0; at < buckets.size(); ++at) {
    totals.buckets[at].second += buckets[at].cycles;
  }
}

/// Collects the counters of all modules after a launch that ended at `end`. `events` counts since
/// elaboration.
template <class Modules>
LaunchStatistics sum_statistics(Modules& modules, Cycle end) {
  LaunchStatistics sum;
  sum.cycles = end - Cycle();
  UnitTotals tensor_core{"tensor_core", 0, {}};
  UnitTotals operand_fetch{"operand_fetch", 0, {}};
  UnitTotals operand_selector{"operand_selector", 0, {}};
  UnitTotals shared_memory{"shared_memory", 0, {}};
  UnitTotals copy_engine{"copy_engine", 0, {}};
  UnitTotals epilogue{"epilogue", 0, {}};
  UnitTotals bus_read{"memory_bus_read", 0, {}};
  UnitTotals bus_write{"memory_bus_write", 0, {}};
  UnitTotals l2_read{"l2_cache_read", 0, {}};
  UnitTotals l2_write{"l2_cache_write", 0, {}};
  UnitTotals dram{"dram", 0, {}};
  std::int64_t index = 0;
  for (SmModules& sm : modules.sms) {
    for (auto& sub_core : sm.sub_cores) {
      add_instance(tensor_core, sub_core->core.tensor_core_buckets());
      add_instance(operand_fetch, sub_core->core.operand_fetch_buckets(end));
      add_instance(operand_selector, sub_core->core.operand_selector_buckets(end));
      sum.instructions += sub_core->core.instructions_issued();
    }
    add_instance(shared_memory, sm.shared_memory->core.buckets(end));
    sum.shared_memory_read_bytes += sm.shared_memory->core.read_bytes();
    sum.shared_memory_write_bytes += sm.shared_memory->core.written_bytes();
    add_instance(copy_engine, sm.copy_engine->core.buckets());
    sum.metadata_bytes += sm.copy_engine->core.metadata_bytes();
    add_instance(epilogue, sm.epilogue->core.buckets());
    add_instance(bus_read, modules.memory_bus->core.read_buckets(index, end));
    add_instance(bus_write, modules.memory_bus->core.write_buckets(index, end));
    ++index;
  }
  const L2Cache& l2 = modules.l2_cache->core;
  add_instance(l2_read, l2.read_buckets(end));
  add_instance(l2_write, l2.write_buckets(end));
  add_instance(dram, modules.dram->core.buckets(end));
  sum.units = {tensor_core, operand_fetch, operand_selector, shared_memory, copy_engine, epilogue,
               bus_read,    bus_write,     l2_read,          l2_write,      dram};
  sum.l2_read_bytes = l2.read_bytes();
  sum.l2_hit_bytes = l2.hit_bytes();
  sum.l2_write_bytes = l2.written_bytes();
  sum.dram_read_bytes = modules.dram->core.read_bytes();
  sum.dram_write_bytes = modules.dram->core.written_bytes();
  modules.for_each([&](auto& module) { sum.events += module.activations(); });
  return sum;
}

}  // namespace stcsim
