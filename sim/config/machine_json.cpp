#include "sim/config/machine_json.hpp"

#include <utility>

namespace stcsim {
namespace {

using Json = nlohmann::json;

/// A whole number where it is one.
Json cycles_to_json(Millicycles mean) {
  const std::int64_t millicycles = mean.count();
  if (millicycles % 1000 == 0) return millicycles / 1000;
  return static_cast<double>(millicycles) / 1000.0;
}

Json tensor_core_to_json(const TensorCoreConfig& config) {
  Json object{{"same_warp_bubble_cycles", cycles_to_json(config.same_warp_bubble)},
              {"same_warp_bubble_fp16_cycles", cycles_to_json(config.same_warp_bubble_fp16)}};
  for (const MultiplierRate& rate : config.multipliers) {
    object["multipliers"].push_back(
        {{"dtype", to_string(rate.dtype)}, {"fma_per_clk", rate.fma_per_clk}});
  }
  for (const MmaInstruction& instruction : config.instructions) {
    object["instructions"].push_back({{"dtype", to_string(instruction.dtype)},
                                      {"accumulator", to_string(instruction.accumulator)},
                                      {"pattern", instruction.pattern.to_string()},
                                      {"m", instruction.m},
                                      {"n", instruction.n},
                                      {"k", instruction.k},
                                      {"latency_cycles", instruction.latency_cycles},
                                      {"interval_cycles", instruction.interval_cycles}});
  }
  return object;
}

Json operand_selector_to_json(const OperandSelectorConfig& config) {
  Json patterns = Json::array();
  for (const Pattern pattern : config.native_patterns) patterns.push_back(pattern.to_string());
  return {{"native_patterns", patterns},
          {"b_bytes_per_clk", config.b_bytes_per_clk},
          {"metadata_decode_cycles", config.metadata_decode_cycles}};
}

Json shared_memory_to_json(const SharedMemoryConfig& config) {
  return {{"capacity_bytes", config.capacity_bytes},
          {"max_bytes_per_cta", config.max_bytes_per_cta},
          {"reserved_bytes_per_cta", config.reserved_bytes_per_cta},
          {"banks", config.banks},
          {"bank_bytes", config.bank_bytes},
          {"fill_bytes_per_clk", config.fill_bytes_per_clk},
          {"latency_cycles", config.latency_cycles},
          {"barrier_cycles", config.barrier_cycles}};
}

Json sm_to_json(const StreamingMultiprocessorConfig& config) {
  return {{"sub_cores", config.sub_cores},
          {"max_ctas", config.max_ctas},
          {"max_warps", config.max_warps},
          {"registers", config.registers},
          {"max_registers_per_thread", config.max_registers_per_thread},
          {"vector_lanes_per_sub_core", config.vector_lanes_per_sub_core},
          {"tensor_core", tensor_core_to_json(config.tensor_core)},
          {"operand_selector", operand_selector_to_json(config.operand_selector)},
          {"operand_fetch",
           {{"register_bytes_per_clk", config.operand_fetch.register_bytes_per_clk},
            {"fragment_buffers", config.operand_fetch.fragment_buffers}}},
          {"shared_memory", shared_memory_to_json(config.shared_memory)},
          {"copy_engine", {{"issue_bytes_per_clk", config.copy_engine.issue_bytes_per_clk}}},
          {"epilogue",
           {{"setup_cycles", config.epilogue.setup_cycles},
            {"store_chunk_bytes", config.epilogue.store_chunk_bytes}}}};
}

Json l2_cache_to_json(const L2CacheConfig& config) {
  return {{"capacity_bytes", config.capacity_bytes},
          {"read_bytes_per_clk", config.read_bytes_per_clk},
          {"write_bytes_per_clk", config.write_bytes_per_clk},
          {"near_hit_cycles", config.near_hit_cycles},
          {"far_hit_cycles", config.far_hit_cycles},
          {"interleave_bytes", config.interleave_bytes}};
}

Json dram_to_json(const DramConfig& config) {
  return {
      {"capacity_bytes", config.capacity_bytes}, {"channels", config.channels},
      {"bytes_per_clk", config.bytes_per_clk},   {"latency_cycles", config.latency_cycles},
      {"burst_bytes", config.burst_bytes},       {"write_queue_bytes", config.write_queue_bytes}};
}

Json accelerator_to_json(const AcceleratorConfig& config) {
  const CtaSchedulerConfig& scheduler = config.cta_scheduler;
  const MemoryBusConfig& bus = config.memory_bus;
  return {{"num_sms", config.num_sms},
          {"cta_scheduler",
           {{"launch_cycles", scheduler.launch_cycles},
            {"cta_setup_cycles", scheduler.cta_setup_cycles}}},
          {"sm", sm_to_json(config.sm)},
          {"memory_bus",
           {{"hop_cycles", bus.hop_cycles},
            {"sm_read_bytes_per_clk", bus.sm_read_bytes_per_clk},
            {"sm_write_bytes_per_clk", bus.sm_write_bytes_per_clk}}},
          {"l2_cache", l2_cache_to_json(config.l2_cache)},
          {"dram", dram_to_json(config.dram)}};
}

Json kernel_to_json(const KernelConfig& kernel) {
  return {{"name", kernel.name},
          {"sparse", kernel.sparse},
          {"tile", {kernel.tile_m, kernel.tile_n, kernel.tile_k}},
          {"stages", kernel.stages},
          {"warps", {kernel.warps_m, kernel.warps_n}},
          {"b_shared_by_warps", kernel.b_shared_by_warps},
          {"max_ctas_per_sm", kernel.max_ctas_per_sm},
          {"reads_c", kernel.reads_c}};
}

Json library_to_json(const LibraryConfig& library) {
  Json kernels = Json::array();
  for (const LibraryKernel& entry : library.kernels) {
    Json kernel = kernel_to_json(entry.kernel);
    if (entry.k_contiguous) kernel["k_contiguous"] = *entry.k_contiguous;
    const LibraryKernel any;
    if (entry.min_k != any.min_k) kernel["min_k"] = entry.min_k;
    if (entry.max_k != any.max_k) kernel["max_k"] = entry.max_k;
    if (entry.max_m != any.max_m) kernel["max_m"] = entry.max_m;
    if (entry.max_n != any.max_n) kernel["max_n"] = entry.max_n;
    if (entry.max_waves != any.max_waves) kernel["max_waves"] = entry.max_waves;
    kernel["splits_k"] = entry.splits_k;
    kernels.push_back(std::move(kernel));
  }
  return {{"name", library.name}, {"kernels", std::move(kernels)}};
}

}  // namespace

Json to_json(const MachineConfig& machine) {
  Json object{{"name", machine.name},
              {"clock_mhz", machine.clock_mhz},
              {"accelerator", accelerator_to_json(machine.accelerator)},
              {"split_k", machine.split_k}};
  if (!machine.description.empty()) object["description"] = machine.description;
  for (const KernelConfig& kernel : machine.kernels) {
    object["kernels"].push_back(kernel_to_json(kernel));
  }
  for (const LibraryConfig& library : machine.libraries) {
    object["libraries"].push_back(library_to_json(library));
  }
  return object;
}

}  // namespace stcsim
