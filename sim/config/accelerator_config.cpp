#include "sim/config/accelerator_config.hpp"

#include <fmt/format.h>

namespace stcsim {
namespace {

CtaSchedulerConfig read_cta_scheduler(MapReader map) {
  CtaSchedulerConfig config;
  read_field(map, "launch_cycles", config.launch_cycles, kCycles);
  read_field(map, "cta_setup_cycles", config.cta_setup_cycles, kCycles);
  map.finish();
  return config;
}

MemoryBusConfig read_memory_bus(MapReader map) {
  MemoryBusConfig config;
  read_field(map, "hop_cycles", config.hop_cycles, kCycles);
  read_field_or(map, "sm_read_bytes_per_clk", config.sm_read_bytes_per_clk, kBytesPerClk);
  read_field_or(map, "sm_write_bytes_per_clk", config.sm_write_bytes_per_clk, kBytesPerClk);
  map.finish();
  return config;
}

L2CacheConfig read_l2_cache(MapReader map, const MemoryBusConfig& bus) {
  L2CacheConfig config;
  read_field(map, "capacity_bytes", config.capacity_bytes, kPositive);
  read_field(map, "read_bytes_per_clk", config.read_bytes_per_clk, kBytesPerClk);
  read_field(map, "write_bytes_per_clk", config.write_bytes_per_clk, kBytesPerClk);
  read_field(map, "near_hit_cycles", config.near_hit_cycles, kCycles);
  read_field(map, "far_hit_cycles", config.far_hit_cycles, kCycles);
  read_field_or(map, "interleave_bytes", config.interleave_bytes, kPositive);
  map.finish();
  if (config.near_hit_cycles < 2 * bus.hop_cycles) {
    map.fail("near_hit_cycles",
             fmt::format("'near_hit_cycles' is {}, must be at least {}: it includes two bus hops",
                         config.near_hit_cycles, 2 * bus.hop_cycles));
  }
  if (config.far_hit_cycles < config.near_hit_cycles) {
    map.fail("far_hit_cycles",
             fmt::format("'far_hit_cycles' is {}, must be at least 'near_hit_cycles', which is {}",
                         config.far_hit_cycles, config.near_hit_cycles));
  }
  return config;
}

DramConfig read_dram(MapReader map) {
  DramConfig config;
  read_field(map, "capacity_bytes", config.capacity_bytes, kPositive);
  read_field(map, "channels", config.channels, kUnits);
  read_field(map, "bytes_per_clk", config.bytes_per_clk, kBytesPerClk);
  read_field(map, "latency_cycles", config.latency_cycles, kCycles);
  read_field_or(map, "burst_bytes", config.burst_bytes, kPositive);
  read_field_or(map, "write_queue_bytes", config.write_queue_bytes, kNotNegative);
  map.finish();
  return config;
}

}  // namespace

AcceleratorConfig read_accelerator(MapReader& map) {
  AcceleratorConfig config;
  read_field(map, "num_sms", config.num_sms, kUnits);
  config.cta_scheduler = read_cta_scheduler(map.get_map("cta_scheduler"));
  MapReader sm = map.get_map("sm");
  config.sm = read_streaming_multiprocessor(sm);
  config.memory_bus = read_memory_bus(map.get_map("memory_bus"));
  config.l2_cache = read_l2_cache(map.get_map("l2_cache"), config.memory_bus);
  config.dram = read_dram(map.get_map("dram"));
  map.finish();
  return config;
}

}  // namespace stcsim
