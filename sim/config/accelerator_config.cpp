#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/suggestion.hpp"
#include "sim/config/machine_config.hpp"

namespace stcsim {
namespace {

void check_l2_cache(const MapReader& map, const L2CacheConfig& config, const MemoryBusConfig& bus) {
  if (config.near_hit_cycles < 2 * bus.hop_cycles) {
    map.fail("near_hit_cycles",
             fmt::format("'near_hit_cycles' is {}, must be at least {}: it includes two bus hops, "
                         "'hop_cycles'",
                         config.near_hit_cycles, 2 * bus.hop_cycles));
  }
  if (config.far_hit_cycles < config.near_hit_cycles) {
    map.fail("far_hit_cycles",
             fmt::format("'far_hit_cycles' is {}, must be at least 'near_hit_cycles', which is {}",
                         config.far_hit_cycles, config.near_hit_cycles));
  }
}

void check_shared_memory(const MapReader& map, const SharedMemoryConfig& config) {
  if (config.fill_bytes_per_clk > config.port_bytes_per_clk()) {
    map.fail("fill_bytes_per_clk",
             fmt::format("'fill_bytes_per_clk' is {}, must be at most {}: 'banks' times "
                         "'bank_bytes'",
                         config.fill_bytes_per_clk, config.port_bytes_per_clk()));
  }
  const std::int64_t largest = config.capacity_bytes - config.reserved_bytes_per_cta;
  if (largest < 1) {
    map.fail("capacity_bytes", fmt::format("'capacity_bytes' is {}, must be more than "
                                           "'reserved_bytes_per_cta', which is {}",
                                           config.capacity_bytes, config.reserved_bytes_per_cta));
  }
  if (config.max_bytes_per_cta > largest) {
    map.fail("max_bytes_per_cta",
             fmt::format("'max_bytes_per_cta' is {}, must be at most {}: 'capacity_bytes' less "
                         "'reserved_bytes_per_cta'",
                         config.max_bytes_per_cta, largest));
  }
}

void check_patterns(const MapReader& map, const std::string& key,
                    const std::vector<Pattern>& patterns) {
  for (auto at = patterns.begin(); at != patterns.end(); ++at) {
    if (at->is_dense()) {
      map.fail(key, fmt::format("'{}' has 'dense', leave it out: it always runs", key));
    }
    if (at->selects_columns()) {
      map.fail(key, fmt::format("'{}' has '{}', which kernels run as 2:4: leave it out and give a "
                                "kernel 'column_index_bytes'",
                                key, at->to_string()));
    }
    if (std::find(patterns.begin(), at, *at) != at) {
      map.fail(key, fmt::format("'{}' has '{}' twice", key, at->to_string()));
    }
  }
}

void check_choice(const MapReader& map, const char* key, const std::string& value,
                  const std::vector<std::string>& right) {
  if (std::find(right.begin(), right.end(), value) != right.end()) return;
  map.fail(key, fmt::format("'{}' is '{}', must be one of {}{}", key, value, fmt::join(right, ", "),
                            did_you_mean(value, right)));
}

/// Every pattern's choices can be counted where they are enumerated.
void check_metadata(const MapReader& map, const OperandSelectorConfig& config) {
  check_choice(map, "metadata_coding", config.metadata_coding, {"index", "enumerated", "bitmask"});
  check_choice(map, "short_groups", config.short_groups, {kPaddedSlots, kSkippedSlots});
  for (const DataType dtype : operand_data_types()) {
    for (const Pattern pattern : config.runnable_patterns(dtype)) {
      const Pattern granules = pattern.of_granules();
      const bool is_countable = choices({granules.n, granules.m}).has_value();
      if (is_countable || config.metadata_coding != "enumerated") continue;
      map.fail("metadata_coding",
               fmt::format("'metadata_coding' is 'enumerated', must be index or bitmask for {}: a "
                           "group has more than 2^62 choices",
                           pattern.to_string()));
    }
  }
}

void check_operand_selector(MapReader map, const OperandSelectorConfig& config) {
  check_patterns(map, "native_patterns", config.native_patterns);
  check_metadata(map, config);
  if (config.native_patterns_by_type.empty()) return;
  const std::vector<MapReader> entries = map.get_maps("native_patterns_by_type");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const PatternsOfType& one = config.native_patterns_by_type[at];
    check_patterns(entries[at], "patterns", one.patterns);
    if (&config.patterns_of(one.dtype) == &one.patterns) continue;
    entries[at].fail("dtype",
                     fmt::format("patterns of '{}' are here a second time", to_string(one.dtype)));
  }
}

void check_detail(const MapReader& sm, const SubCoreConfig& config) {
  constexpr std::int64_t kMostWaiting = 64;
  if (config.queues == kRigidQueues) return;
  const std::string& text = config.queues;
  std::int64_t depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || depth < 1 || depth > kMostWaiting) {
    sm.fail("queues", fmt::format("'queues' is '{}', must be '{}' or a number from 1 to {}", text,
                                  kRigidQueues, kMostWaiting));
  }
  if (!config.passes_messages()) {
    sm.fail("queues", "'queues' has no effect without 'detail: stages'");
  }
}

/// A sparse instruction needs a selector that knows its pattern.
void check_instruction_patterns(MapReader& tensor_core, const StreamingMultiprocessorConfig& sm) {
  const std::vector<MapReader> entries = tensor_core.get_maps("instructions");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const MmaInstruction& one = sm.tensor_core.instructions[at];
    const std::vector<Pattern>& native = sm.operand_selector.patterns_of(one.dtype);
    if (one.pattern.is_dense()) continue;
    if (std::find(native.begin(), native.end(), one.pattern) != native.end()) continue;
    entries[at].fail("pattern",
                     fmt::format("'pattern' is {}, must be one of the 'native_patterns' of "
                                 "'operand_selector' for {}",
                                 one.pattern.to_string(), to_string(one.dtype)));
  }
}

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
  const auto at = std::ranges::find(config.multipliers, dtype, &MultiplierRate::dtype);
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

void check_tensor_core(MapReader& map, const TensorCoreConfig& config) {
  check_multipliers(map, config);
  const std::vector<MapReader> entries = map.get_maps("instructions");
  for (std::size_t at = 0; at < entries.size(); ++at) {
    check_instruction(entries[at], config.instructions[at], config);
  }
  require_dense_instructions(map, config);
}

}  // namespace

void check_accelerator(MapReader& map, const AcceleratorConfig& config) {
  MapReader sm = map.get_map("sm");
  MapReader tensor_core = sm.get_map("tensor_core");
  check_detail(sm, config.sm);
  check_tensor_core(tensor_core, config.sm.tensor_core);
  check_operand_selector(sm.get_map("operand_selector"), config.sm.operand_selector);
  check_instruction_patterns(tensor_core, config.sm);
  check_shared_memory(sm.get_map("shared_memory"), config.sm.shared_memory);
  check_l2_cache(map.get_map("l2_cache"), config.l2_cache, config.memory_bus);
}

}  // namespace stcsim
