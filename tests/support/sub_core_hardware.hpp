#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim::test {

/// A sub-core in which sparse_instruction() keeps the multipliers for 4 cycles (1024 products), the
/// register file for 3 (544 bytes), the selector for 2 (256 bytes of B) and the metadata buffer for
/// 1, with a bubble of one cycle; its result is there after 10.
inline StreamingMultiprocessorConfig sub_core_hardware(std::int64_t sub_cores = 1) {
  StreamingMultiprocessorConfig config;
  config.sub_cores = sub_cores;
  config.vector_lanes_per_sub_core = 16;
  config.tensor_core.multipliers = {{DataType::fp16, 256}};
  config.tensor_core.same_warp_bubble = Millicycles(1000);
  config.operand_selector = {{{2, 4}}, 128, 1};
  config.operand_fetch = {192, 2};
  return config;
}

inline MmaInstruction sparse_instruction() {
  return {DataType::fp16, {2, 4}, 16, 8, 16, 10, 0};
}

}  // namespace stcsim::test
