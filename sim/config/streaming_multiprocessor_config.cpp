#include <algorithm>

#include <fmt/format.h>

#include "sim/config/accelerator_config.hpp"

namespace stcsim {
namespace {

OperandSelectorConfig read_operand_selector(MapReader map) {
  OperandSelectorConfig config;
  for (const Pattern pattern : map.get_pattern_list("native_patterns")) {
    if (pattern.is_dense()) {
      map.fail("native_patterns", "'native_patterns' has 'dense', leave it out: it always runs");
    }
    if (std::find(config.native_patterns.begin(), config.native_patterns.end(), pattern) !=
        config.native_patterns.end()) {
      map.fail("native_patterns",
               fmt::format("'native_patterns' has '{}' twice", pattern.to_string()));
    }
    config.native_patterns.push_back(pattern);
  }
  read_field_or(map, "b_bytes_per_clk", config.b_bytes_per_clk, kBytesPerClk);
  read_field(map, "metadata_decode_cycles", config.metadata_decode_cycles, kCycles);
  map.finish();
  return config;
}

OperandFetchConfig read_operand_fetch(MapReader map) {
  OperandFetchConfig config;
  read_field(map, "register_bytes_per_clk", config.register_bytes_per_clk, {0, kBytesPerClk.max});
  read_field_or(map, "fragment_buffers", config.fragment_buffers, {1, 64});
  map.finish();
  return config;
}

SharedMemoryConfig read_shared_memory(MapReader map) {
  SharedMemoryConfig config;
  read_field(map, "capacity_bytes", config.capacity_bytes, kPositive);
  read_field(map, "max_bytes_per_cta", config.max_bytes_per_cta, kPositive);
  read_field(map, "reserved_bytes_per_cta", config.reserved_bytes_per_cta, kNotNegative);
  read_field_or(map, "banks", config.banks, kUnits);
  read_field_or(map, "bank_bytes", config.bank_bytes, kUnits);
  config.fill_bytes_per_clk = config.port_bytes_per_clk();
  read_field_or(map, "fill_bytes_per_clk", config.fill_bytes_per_clk,
                {1, config.port_bytes_per_clk()});
  read_field(map, "latency_cycles", config.latency_cycles, kCycles);
  read_field(map, "barrier_cycles", config.barrier_cycles, kCycles);
  map.finish();
  const std::int64_t largest = config.capacity_bytes - config.reserved_bytes_per_cta;
  if (config.max_bytes_per_cta > largest) {
    map.fail("max_bytes_per_cta",
             fmt::format("'max_bytes_per_cta' is {}, must be at most {}: 'capacity_bytes' less "
                         "'reserved_bytes_per_cta'",
                         config.max_bytes_per_cta, largest));
  }
  return config;
}

CopyEngineConfig read_copy_engine(MapReader map) {
  CopyEngineConfig config;
  read_field_or(map, "issue_bytes_per_clk", config.issue_bytes_per_clk, kBytesPerClk);
  map.finish();
  return config;
}

EpilogueConfig read_epilogue(MapReader map) {
  EpilogueConfig config;
  read_field(map, "setup_cycles", config.setup_cycles, kCycles);
  read_field_or(map, "store_chunk_bytes", config.store_chunk_bytes, kPositive);
  map.finish();
  return config;
}

}  // namespace

StreamingMultiprocessorConfig read_streaming_multiprocessor(MapReader& map) {
  StreamingMultiprocessorConfig config;
  read_field_or(map, "sub_cores", config.sub_cores, {1, 64});
  read_field_or(map, "max_ctas", config.max_ctas, {1, 1024});
  read_field_or(map, "max_warps", config.max_warps, {1, 1024});
  read_field_or(map, "registers", config.registers, kPositive);
  read_field_or(map, "max_registers_per_thread", config.max_registers_per_thread, kUnits);
  read_field(map, "vector_lanes_per_sub_core", config.vector_lanes_per_sub_core, kUnits);
  MapReader tensor_core = map.get_map("tensor_core");
  config.tensor_core = read_tensor_core(tensor_core);
  config.operand_selector = read_operand_selector(map.get_map("operand_selector"));
  config.operand_fetch = read_operand_fetch(map.get_map("operand_fetch"));
  config.shared_memory = read_shared_memory(map.get_map("shared_memory"));
  config.copy_engine = read_copy_engine(map.get_map("copy_engine"));
  config.epilogue = read_epilogue(map.get_map("epilogue"));
  map.finish();
  return config;
}

}  // namespace stcsim
