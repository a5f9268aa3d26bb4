#pragma once

#include <cstdint>

#include "common/config_field.hpp"
#include "models/cta_scheduler/cta_scheduler_config.hpp"
#include "models/dram/dram_config.hpp"
#include "models/l2_cache/l2_cache_config.hpp"
#include "models/memory_bus/memory_bus_config.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// The whole machine: what the block diagram is built from.
struct AcceleratorConfig {
  std::int64_t num_sms = 0;
  CtaSchedulerConfig cta_scheduler;
  StreamingMultiprocessorConfig sm;
  MemoryBusConfig memory_bus;
  L2CacheConfig l2_cache;
  DramConfig dram;

  static void visit_fields(auto& self, auto& visitor) {
    using field::map;
    constexpr std::int64_t kMostSms = 4096;  // of that many, a simulation takes 250 MB
    visitor.field(field::count("num_sms", "streaming multiprocessors (SMs)").from(1, kMostSms),
                  self.num_sms);
    visitor.field(map("cta_scheduler", "hands CTAs (thread blocks) to SMs"), self.cta_scheduler);
    visitor.field(map("sm", "one SM and the units inside it"), self.sm);
    visitor.field(map("memory_bus", "crossbar between the SMs and the L2 cache"), self.memory_bus);
    visitor.field(map("l2_cache", "shared by all SMs, in two partitions"), self.l2_cache);
    visitor.field(map("dram", "memory behind the L2 cache"), self.dram);
  }

  friend bool operator==(const AcceleratorConfig&, const AcceleratorConfig&) = default;
};

}  // namespace stcsim
