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

/// The units of the SMs, in the order in which they are reported.
struct SmTotals {
  UnitTotals tensor_core{"tensor_core", 0, {}};
  UnitTotals register_file{"register_file", 0, {}};
  UnitTotals operand_selector{"operand_selector", 0, {}};
  UnitTotals shared_memory{"shared_memory", 0, {}};
  UnitTotals copy_engine{"copy_engine", 0, {}};
  UnitTotals epilogue{"epilogue", 0, {}};
  UnitTotals bus_read{"memory_bus_read", 0, {}};
  UnitTotals bus_write{"memory_bus_write", 0, {}};
};

inline void add_sm(SmTotals& totals, LaunchStatistics& sum, SmModules& sm, const MemoryBus& bus,
                   std::int64_t index, Cycle end) {
  for (auto& sub_core : sm.sub_cores) {
    add_instance(totals.tensor_core, sub_core->core.tensor_core_buckets());
    add_instance(totals.register_file, sub_core->core.register_file_buckets(end));
    add_instance(totals.operand_selector, sub_core->core.operand_selector_buckets(end));
    sum.instructions += sub_core->core.instructions_issued();
  }
  const SharedMemory& shared_memory = sm.shared_memory->core;
  add_instance(totals.shared_memory, shared_memory.buckets(end));
  sum.shared_memory_read_bytes += shared_memory.read_bytes();
  sum.shared_memory_write_bytes += shared_memory.written_bytes();
  add_instance(totals.copy_engine, sm.copy_engine->core.buckets());
  add_instance(totals.epilogue, sm.epilogue->core.buckets());
  add_instance(totals.bus_read, bus.read_buckets(index, end));
  add_instance(totals.bus_write, bus.write_buckets(index, end));
}

/// Collects the counters of all modules after a launch that ended at `end`. `events` counts since
/// elaboration.
template <class Modules>
LaunchStatistics sum_statistics(Modules& modules, Cycle end) {
  LaunchStatistics sum;
  sum.cycles = end - Cycle();
  SmTotals totals;
  std::int64_t index = 0;
  for (SmModules& sm : modules.sms) {
    add_sm(totals, sum, sm, modules.memory_bus->core, index++, end);
  }
  const L2Cache& l2 = modules.l2_cache->core;
  const Dram& dram = modules.dram->core;
  UnitTotals l2_read{"l2_cache_read", 0, {}};
  UnitTotals l2_write{"l2_cache_write", 0, {}};
  UnitTotals dram_totals{"dram", 0, {}};
  add_instance(l2_read, l2.read_buckets(end));
  add_instance(l2_write, l2.write_buckets(end));
  add_instance(dram_totals, dram.buckets(end));
  sum.units = {totals.tensor_core,
               totals.register_file,
               totals.operand_selector,
               totals.shared_memory,
               totals.copy_engine,
               totals.epilogue,
               totals.bus_read,
               totals.bus_write,
               l2_read,
               l2_write,
               dram_totals};
  sum.l2_read_bytes = l2.read_bytes();
  sum.l2_hit_bytes = l2.hit_bytes();
  sum.metadata_bytes = l2.metadata_bytes();
  sum.l2_write_bytes = l2.written_bytes();
  sum.dram_read_bytes = dram.read_bytes();
  sum.dram_write_bytes = dram.written_bytes();
  modules.for_each([&](auto& module) { sum.events += module.activations(); });
  sum.events += modules.router->activations();
  return sum;
}

}  // namespace stcsim
