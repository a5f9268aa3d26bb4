#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "sim/job/job.hpp"

namespace stcsim {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Pattern, n, m, granule, kept_of_block, of_outputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UnitReport, unit, instances, buckets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counter, name, unit, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelReport, name, tile_m, tile_n, tile_k, stages, warps,
                                   instruction, split_k, ctas, ctas_per_sm, waves)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SampledPart, cycles_low, cycles_high, simulated_ctas, ctas)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OperandActions, register_bytes, accumulator_bytes,
                                                metadata_bytes, decodes, selector_muxes,
                                                selector_register_bits, unmeasured_macs,
                                                vector_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchResult, kernel, cycles, clock_mhz, board_watts,
                                   multiplier_macs, peak_macs, mma_instructions, counters, units,
                                   events, actions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelSearch, possible, simulated, cannot_win, left_out,
                                   regret_at_most)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GemmRun, result, hardware_pattern, reason, gathers)

namespace {

/// Only there if a part of the launch was simulated.
constexpr const char* kSampled = "sampled";
/// Only there if kernels were searched, and estimated beyond those that were simulated.
constexpr const char* kSearch = "search";
constexpr const char* kLeftOutEstimate = "left_out_estimate";
/// Only there if it is not 0.
constexpr const char* kRank = "rank";

void write_search(const KernelSearch& search, nlohmann::json& json) {
  json[kSearch] = search;
  if (search.left_out_estimate) json[kSearch][kLeftOutEstimate] = *search.left_out_estimate;
}

KernelSearch read_search(const nlohmann::json& json) {
  auto search = json.get<KernelSearch>();
  if (json.contains(kLeftOutEstimate)) {
    search.left_out_estimate = json.at(kLeftOutEstimate).get<double>();
  }
  return search;
}

}  // namespace

std::string encode(const GemmRun& run) {
  std::string bytes;
  nlohmann::json json = run;
  if (run.result.sampled) json[kSampled] = *run.result.sampled;
  if (run.search) write_search(*run.search, json);
  if (run.rank != 0) json[kRank] = run.rank;
  nlohmann::json::to_cbor(json, bytes);
  return bytes;
}

GemmRun decode(const std::string& bytes) {
  try {
    const nlohmann::json json = nlohmann::json::from_cbor(bytes);
    GemmRun run = json.get<GemmRun>();
    if (json.contains(kSampled)) run.result.sampled = json.at(kSampled).get<SampledPart>();
    if (json.contains(kSearch)) run.search = read_search(json.at(kSearch));
    run.rank = json.value(kRank, run.rank);
    return run;
  } catch (const nlohmann::json::exception& error) {
    throw SimulationError(std::string("damaged answer of a worker: ") + error.what());
  }
}

bool is_answer(const std::string& bytes) {
  try {
    static_cast<void>(decode(bytes));
    return true;
  } catch (const SimulationError&) {
    return false;
  }
}

}  // namespace stcsim
