#include "sim/study/result_codec.hpp"

#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace stcsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Pattern, n, m)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UnitReport, unit, instances, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrafficReport, shared_memory_read_bytes,
                                   shared_memory_write_bytes, l2_read_bytes, l2_hit_bytes,
                                   l2_write_bytes, dram_read_bytes, dram_write_bytes,
                                   metadata_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelReport, name, tile_m, tile_n, tile_k, stages, warps,
                                   instruction, split_k, ctas, ctas_per_sm, waves)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchResult, kernel, cycles, multiplier_macs, peak_macs,
                                   mma_instructions, traffic, units, events)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmRun, result, hardware_pattern, reason)

std::string encode(const GemmRun& run) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(run), bytes);
  return bytes;
}

GemmRun decode(const std::string& bytes) {
  try {
    return nlohmann::json::from_cbor(bytes).get<GemmRun>();
  } catch (const nlohmann::json::exception& error) {
    throw SimulationError(std::string("damaged answer of a worker: ") + error.what());
  }
}

}  // namespace stcsim
