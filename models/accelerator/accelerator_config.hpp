#pragma once

#include <cstdint>

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

  friend bool operator==(const AcceleratorConfig&, const AcceleratorConfig&) = default;
};

}  // namespace stcsim
