#include "sim/study/result_codec.hpp"

#include <nlohmann/json.hpp>

#include "common/error.hpp"

namespace stcsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Pattern, n, m, granule, kept_of_block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UnitReport, unit, instances, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelReport, name, tile_m, tile_n, tile_k, stages, warps,
                                   instruction, split_k, ctas, ctas_per_sm, waves)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OperandActions, register_bytes, accumulator_bytes,
                                   metadata_bytes, decodes, selector_muxes, unmeasured_macs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchResult, kernel, cycles, clock_mhz, board_watts,
                                   multiplier_macs, peak_macs, mma_instructions, counters, units,
                                   events, actions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmRun, result, hardware_pattern, reason, gathers)

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
