#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/config/accelerator_config.hpp"

namespace stcsim {
namespace {

bool same_shape(const MmaInstruction& left, const MmaInstruction& right) {
  return left.dtype == right.dtype && left.accumulator == right.accumulator &&
         left.pattern == right.pattern && left.m == right.m && left.n == right.n &&
         left.k == right.k;
}

std::string name_of(const MmaInstruction& instruction) {
  return fmt::format("{}/{} {} m{}n{}k{}", to_string(instruction.dtype),
                     to_string(instruction.accumulator), instruction.pattern.to_string(),
                     instruction.m, instruction.n, instruction.k);
}

/// Types that a tensor core accumulates in; fp16 only products of fp16 and fp8 operands.
constexpr std::array<std::pair<std::string_view, DataType>, 3> kAccumulators{
    {{"fp16", DataType::fp16}, {"fp32", DataType::fp32}, {"int32", DataType::int32}}};

bool accumulates(DataType accumulator, DataType dtype) {
  if (accumulator != DataType::fp16) return accumulator == accumulator_of(dtype);
  return dtype == DataType::fp16 || dtype == DataType::fp8_e4m3 || dtype == DataType::fp8_e5m2;
}

/// Reads cycles, with up to three decimals.
Millicycles read_mean_cycles(MapReader& map, std::string_view key) {
  const double cycles = map.get_double(key, {0.0, static_cast<double>(kCycles.max)});
  const double millicycles = cycles * 1000.0;
  const std::int64_t whole = std::llround(millicycles);
  if (std::abs(millicycles - static_cast<double>(whole)) > 1e-6 * std::max(1.0, millicycles)) {
    map.fail(key, fmt::format("'{}' is {}, must not have more than three decimals", key, cycles));
  }
  return Millicycles(whole);
}

const MultiplierRate* find_rate(const TensorCoreConfig& config, DataType dtype) {
  const auto at = std::find_if(config.multipliers.begin(), config.multipliers.end(),
                               [dtype](const MultiplierRate& rate) { return rate.dtype == dtype; });
  return at == config.multipliers.end() ? nullptr : &*at;
}

void read_multipliers(MapReader& map, TensorCoreConfig& config) {
  for (MapReader& entry : map.get_maps("multipliers")) {
    MultiplierRate rate;
    rate.dtype = entry.get_dtype("dtype");
    read_field(entry, "fma_per_clk", rate.fma_per_clk, kUnits);
    entry.finish();
    if (find_rate(config, rate.dtype) != nullptr) {
      entry.fail("dtype",
                 fmt::format("multipliers for '{}' are here a second time", to_string(rate.dtype)));
    }
    config.multipliers.push_back(rate);
  }
}

void check_instruction(const MapReader& map, const MmaInstruction& instruction,
                       const TensorCoreConfig& config) {
  const MultiplierRate* const rate = find_rate(config, instruction.dtype);
  if (rate == nullptr) {
    map.fail("dtype", fmt::format("'multipliers' has no entry for '{}', must have one for each "
                                  "instruction's dtype",
                                  to_string(instruction.dtype)));
  }
  if (instruction.k % instruction.pattern.m != 0) {
    map.fail("k", fmt::format("'k' is {}, must be a multiple of {} for pattern {}", instruction.k,
                              instruction.pattern.m, instruction.pattern.to_string()));
  }
  if (!accumulates(instruction.accumulator, instruction.dtype)) {
    map.fail("accumulator",
             fmt::format("'accumulator' is {}, must be {}{} for dtype {}",
                         to_string(instruction.accumulator),
                         to_string(accumulator_of(instruction.dtype)),
                         accumulates(DataType::fp16, instruction.dtype) ? " or fp16" : "",
                         to_string(instruction.dtype)));
  }
  for (const MmaInstruction& other : config.instructions) {
    if (!same_shape(instruction, other)) continue;
    map.fail("dtype", fmt::format("instruction {} is here a second time", name_of(instruction)));
  }
}

MmaInstruction read_instruction(MapReader& map) {
  MmaInstruction instruction;
  instruction.dtype = map.get_dtype("dtype");
  instruction.accumulator =
      map.get_enum_or("accumulator", accumulator_of(instruction.dtype), kAccumulators);
  instruction.pattern = map.get_pattern_or("pattern", kDense);
  read_field(map, "m", instruction.m, {1, 1024});
  read_field(map, "n", instruction.n, {1, 1024});
  read_field(map, "k", instruction.k, {1, 1024});
  read_field(map, "latency_cycles", instruction.latency_cycles, {1, kCycles.max});
  read_field_or(map, "interval_cycles", instruction.interval_cycles, kCycles);
  map.finish();
  return instruction;
}

/// Every machine is compared with itself running dense, so it needs an instruction for that.
void require_dense_instructions(const MapReader& map, const TensorCoreConfig& config) {
  for (const MultiplierRate& rate : config.multipliers) {
    const bool found = std::any_of(config.instructions.begin(), config.instructions.end(),
                                   [&rate](const MmaInstruction& instruction) {
                                     return instruction.dtype == rate.dtype &&
                                            instruction.accumulator == accumulator_of(rate.dtype) &&
                                            instruction.pattern.is_dense();
                                   });
    if (found) continue;
    map.fail("instructions",
             fmt::format("'instructions' has no dense one for '{}' that adds up in {}, must have "
                         "one for each dtype of 'multipliers'",
                         to_string(rate.dtype), to_string(accumulator_of(rate.dtype))));
  }
}

}  // namespace

TensorCoreConfig read_tensor_core(MapReader& map) {
  TensorCoreConfig config;
  read_multipliers(map, config);
  for (MapReader& entry : map.get_maps("instructions")) {
    const MmaInstruction instruction = read_instruction(entry);
    check_instruction(entry, instruction, config);
    config.instructions.push_back(instruction);
  }
  config.same_warp_bubble = read_mean_cycles(map, "same_warp_bubble_cycles");
  config.same_warp_bubble_fp16 = map.has("same_warp_bubble_fp16_cycles")
                                     ? read_mean_cycles(map, "same_warp_bubble_fp16_cycles")
                                     : config.same_warp_bubble;
  map.finish();
  if (config.multipliers.empty()) {
    map.fail("multipliers", "'multipliers' is an empty list, must name at least one dtype");
  }
  require_dense_instructions(map, config);
  return config;
}

}  // namespace stcsim
