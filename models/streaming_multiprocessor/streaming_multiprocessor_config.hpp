#pragma once

#include <cstdint>

#include "models/copy_engine/copy_engine_config.hpp"
#include "models/epilogue/epilogue_config.hpp"
#include "models/operand_selector/operand_selector_config.hpp"
#include "models/register_file/register_file_config.hpp"
#include "models/shared_memory/shared_memory_config.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// One SM and the units inside it.
struct StreamingMultiprocessorConfig {
  std::int64_t sub_cores = 4;
  std::int64_t max_ctas = 32;
  std::int64_t max_warps = 64;
  /// 32-bit registers of the whole SM.
  std::int64_t registers = 65536;
  std::int64_t max_registers_per_thread = 255;
  /// Vector (non-tensor) lanes of one sub-core, operations per clk.
  std::int64_t vector_lanes_per_sub_core = 0;
  TensorCoreConfig tensor_core;
  OperandSelectorConfig operand_selector;
  OperandFetchConfig operand_fetch;
  SharedMemoryConfig shared_memory;
  CopyEngineConfig copy_engine;
  EpilogueConfig epilogue;

  friend bool operator==(const StreamingMultiprocessorConfig&,
                         const StreamingMultiprocessorConfig&) = default;
};

}  // namespace stcsim
