#include "sim/run/launch_result.hpp"

#include <algorithm>
#include <cmath>

#include "models/tensor_core/tensor_core.hpp"

namespace stcsim {
namespace {

/// The element of that name in `all`, which is made if there is none.
template <class T, class IsIt>
T& found_or_added(std::vector<T>& all, const T& like, IsIt is_it) {
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  return found != all.end() ? *found : all.emplace_back(like);
}

void add(std::vector<Counter>& sum, const Counter& more) {
  const Counter none{more.name, more.unit, 0};
  const auto is_it = [&](const Counter& known) { return known.name == more.name; };
  found_or_added(sum, none, is_it).value += more.value;
}

void add(std::vector<UnitReport>& sum, const UnitReport& more) {
  const UnitReport none{more.unit, more.instances, {}};
  const auto is_unit = [&](const UnitReport& known) { return known.unit == more.unit; };
  auto& buckets = found_or_added(sum, none, is_unit).buckets;
  for (const auto& bucket : more.buckets) {
    const auto is_bucket = [&](const auto& known) { return known.first == bucket.first; };
    found_or_added(buckets, {bucket.first, 0}, is_bucket).second += bucket.second;
  }
}

/// As if one launch came after the other. CTAs of one that was simulated to its end are counted
/// too.
std::optional<SampledPart> sum_of_parts(const LaunchResult& first, const LaunchResult& more) {
  if (!first.sampled && !more.sampled) return std::nullopt;
  const auto part_of = [](const LaunchResult& of) {
    return of.sampled.value_or(SampledPart{of.cycles, of.cycles, of.kernel.ctas, of.kernel.ctas});
  };
  SampledPart sum = part_of(first);
  const SampledPart other = part_of(more);
  sum.cycles_low += other.cycles_low;
  sum.cycles_high += other.cycles_high;
  sum.simulated_ctas += other.simulated_ctas;
  sum.ctas += other.ctas;
  return sum;
}

}  // namespace

OperandActions& OperandActions::operator+=(const OperandActions& more) {
  register_bytes += more.register_bytes;
  accumulator_bytes += more.accumulator_bytes;
  metadata_bytes += more.metadata_bytes;
  decodes += more.decodes;
  selector_muxes += more.selector_muxes;
  selector_register_bits += more.selector_register_bits;
  unmeasured_macs += more.unmeasured_macs;
  vector_bytes += more.vector_bytes;
  return *this;
}

std::int64_t stored_bits(DataType dtype) {
  return bytes_of(dtype, 8);
}

bool is_measured(Pattern pattern) {
  if (pattern.is_composed() || pattern.of_outputs) return false;
  const Pattern granules = pattern.of_granules();
  return pattern.is_dense() || granules == Pattern{1, 2} || granules == Pattern{2, 4};
}

std::int64_t muxes_per_value(Pattern pattern) {
  // Of a composed pattern the block comes first, then the place inside it.
  if (pattern.is_composed()) return pattern.of_granules().m - 1 + pattern.granule - 1;
  return pattern.is_dense() ? 0 : pattern.m / pattern.granule - 1;
}

OperandActions actions_of(const MmaInstruction& instruction,
                          const StreamingMultiprocessorConfig& sm, std::int64_t instructions) {
  const InstructionOperands operands = operands_of(instruction);
  const Pattern pattern = instruction.pattern;
  OperandActions actions;
  const std::int64_t values =
      sm.operand_fetch.register_bytes_per_clk > 0 ? operands.a_bytes + operands.b_bytes : 0;
  actions.register_bytes = instructions * (values + operands.metadata_bytes);
  actions.accumulator_bytes = instructions * 2 * operands.c_bytes;
  actions.metadata_bytes = instructions * operands.metadata_bytes;
  if (pattern.is_dense()) return actions;
  const std::int64_t along = pattern.of_outputs ? instruction.n : instruction.k;
  const std::int64_t kept = instruction.m * along * pattern.n / pattern.m;
  actions.decodes = instructions * kept / (pattern.is_composed() ? 1 : pattern.granule);
  const std::int64_t bits = instructions * kept_macs(instruction) * stored_bits(instruction.dtype);
  actions.selector_muxes = bits * muxes_per_value(pattern);
  actions.selector_register_bits = bits * sm.operand_selector.selector_stages;
  if (!is_measured(pattern)) actions.unmeasured_macs = instructions * kept_macs(instruction);
  return actions;
}

OperandActions counted_actions(const LaunchResult& launch, const MmaInstruction& instruction,
                               const StreamingMultiprocessorConfig& sm) {
  const std::int64_t instructions = launch.mma_instructions;
  const OperandActions all = actions_of(instruction, sm, instructions);
  if (!sm.passes_messages()) return all;
  const double multiplied = static_cast<double>(counted_macs(launch, instruction, sm)) /
                            static_cast<double>(instructions * kept_macs(instruction));
  const auto share_of = [](std::int64_t count, double share) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(count) * share));
  };
  OperandActions actions = all;
  actions.metadata_bytes = launch.count("decoded_metadata_bytes");
  actions.register_bytes = sm.operand_fetch.register_bytes_per_clk > 0
                               ? launch.count("fragment_bytes")
                               : actions.metadata_bytes;
  actions.selector_muxes = share_of(all.selector_muxes, multiplied);
  actions.selector_register_bits = share_of(all.selector_register_bits, multiplied);
  actions.unmeasured_macs = share_of(all.unmeasured_macs, multiplied);
  if (all.metadata_bytes > 0) {
    actions.decodes = share_of(all.decodes, static_cast<double>(actions.metadata_bytes) /
                                                static_cast<double>(all.metadata_bytes));
  }
  return actions;
}

std::int64_t counted_macs(const LaunchResult& launch, const MmaInstruction& instruction,
                          const StreamingMultiprocessorConfig& sm) {
  if (!sm.passes_messages()) return launch.mma_instructions * kept_macs(instruction);
  return launch.busy_cycles("multipliers") * kept_macs(instruction) /
         Multipliers::cycles(sm.tensor_core, instruction).count();
}

std::int64_t LaunchResult::busy_cycles(std::string_view unit) const {
  for (const UnitReport& one : units) {
    if (one.unit != unit) continue;
    for (const auto& bucket : one.buckets) {
      if (bucket.first == "busy") return bucket.second;
    }
  }
  return 0;
}

LaunchResult to_result(const LaunchStatistics& statistics) {
  LaunchResult result;
  result.cycles = statistics.cycles.count();
  result.mma_instructions = statistics.instructions();
  for (const Counter& counter : statistics.counters()) {
    if (counter.name != "instructions") result.counters.push_back(counter);
  }
  result.events = statistics.events;
  result.sampled = statistics.sampled;
  for (const UnitTotals& unit : statistics.units) {
    if (unit.buckets.empty()) continue;
    UnitReport report{unit.unit, unit.instances, {}};
    for (const auto& [name, cycles] : unit.buckets)
      report.buckets.emplace_back(name, cycles.count());
    result.units.push_back(report);
  }
  return result;
}

void append_launch(LaunchResult& first, const LaunchStatistics& second) {
  LaunchResult more = to_result(second);
  more.mma_instructions = 0;  // a reduction's instructions are vector ones
  append_result(first, more);
}

void append_result(LaunchResult& first, const LaunchResult& more) {
  first.sampled = sum_of_parts(first, more);
  first.cycles += more.cycles;
  first.multiplier_macs += more.multiplier_macs;
  first.peak_macs += more.peak_macs;
  first.mma_instructions += more.mma_instructions;
  first.events += more.events;
  first.actions += more.actions;
  for (const Counter& counter : more.counters) add(first.counters, counter);
  for (const UnitReport& unit : more.units) add(first.units, unit);
}

}  // namespace stcsim
