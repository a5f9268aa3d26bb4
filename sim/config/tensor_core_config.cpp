#include <algorithm>
#include <vector>

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

bool accumulates(DataType accumulator, DataType dtype) {
  if (accumulator != DataType::fp16) return accumulator == accumulator_of(dtype);
  return dtype == DataType::fp16 || dtype == DataType::fp8_e4m3 || dtype == DataType::fp8_e5m2;
}

const MultiplierRate* find_rate(const TensorCoreConfig& config, DataType dtype) {
  const auto at = std::find_if(config.multipliers.begin(), config.multipliers.end(),
                               [dtype](const MultiplierRate& rate) { return rate.dtype == dtype; });
  return at == config.multipliers.end() ? nullptr : &*at;
}

void check_multipliers(MapReader& map, const TensorCoreConfig& config) {
  if (config.multipliers.empty()) {
    map.fail("multipliers", "'multipliers' is an empty list, must name at least one dtype");
  }
  const std::vector<MapReader> entries = map.get_maps("multipliers");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const MultiplierRate& rate = config.multipliers[at];
    if (find_rate(config, rate.dtype) == &rate) continue;
    entries[at].fail(
        "dtype", fmt::format("multipliers for '{}' are here a second time", to_string(rate.dtype)));
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
  const auto same = [&](const MmaInstruction& other) { return same_shape(instruction, other); };
  const auto first = std::find_if(config.instructions.begin(), config.instructions.end(), same);
  if (&*first != &instruction) {
    map.fail("dtype", fmt::format("instruction {} is here a second time, must differ in 'dtype', "
                                  "'accumulator', 'pattern', 'm', 'n' or 'k'",
                                  name_of(instruction)));
  }
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

void check_tensor_core(MapReader& map, const TensorCoreConfig& config) {
  check_multipliers(map, config);
  const std::vector<MapReader> entries = map.get_maps("instructions");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    check_instruction(entries[at], config.instructions[at], config);
  }
  require_dense_instructions(map, config);
}

}  // namespace stcsim
