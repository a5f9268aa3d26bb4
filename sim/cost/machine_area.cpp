#include "sim/cost/machine_area.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "common/error.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {
namespace {

/// Rows of A that meet one column of B in an instruction, whichever it is.
constexpr double kRowsPerColumn = 16;
constexpr double kRegisterBytes = 4;

double real(std::int64_t value) {
  return static_cast<double>(value);
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Infinite if it is more than any machine has: a width or capacity without a limit.
double limited(std::int64_t value, std::int64_t most) {
  return value >= most ? kNoLimit : real(value);
}

double width(std::int64_t bytes_per_clk) {
  return limited(bytes_per_clk, field::kMostBytesPerClk);
}

double capacity(std::int64_t bytes) {
  return limited(bytes, field::kMostBytes);
}

/// Adds up parts into an area.
class Sum {
 public:
  Sum(MachineArea& area, const CostTable& table) : area_(area), table_(table) {}

  double add(std::vector<PartOfMachine>& parts, Part part, double amount) {
    const std::optional<double> each = table_.square_micrometres(part);
    if (!each) return miss(part);
    if (std::isinf(amount)) {
      area_.unlimited.push_back(part);
      return 0;
    }
    return put(parts, {part, amount, amount * *each});
  }
  /// The types of a tensor core share one array: it is as large as the largest of them needs.
  double add_multipliers(const StreamingMultiprocessorConfig& sm) {
    std::optional<PartOfMachine> largest;
    for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
      const std::optional<double> each = table_.square_micrometres(Part::multiplier, rate.dtype);
      if (!each) continue;
      const double amount = real(rate.fma_per_clk * sm.sub_cores);
      if (largest && largest->um2 >= amount * *each) continue;
      largest = {Part::multiplier, amount, amount * *each};
    }
    return largest ? put(area_.sm, *largest) : miss(Part::multiplier);
  }

 private:
  double miss(Part part) {
    area_.missing.push_back(part);
    return 0;
  }
  static double put(std::vector<PartOfMachine>& parts, const PartOfMachine& part) {
    parts.push_back(part);
    return part.um2;
  }

  MachineArea& area_;
  const CostTable& table_;
};

double shared_port_bytes(const SharedMemoryConfig& memory) {
  if (memory.banks >= field::kMostUnits || memory.bank_bytes >= field::kMostUnits) {
    return kNoLimit;
  }
  const std::int64_t fill = memory.has_fill_port ? memory.fill_bytes_per_clk : 0;
  return real(memory.port_bytes_per_clk() + fill);
}

void add_tensor_cores(MachineArea& area, Sum& sum, const StreamingMultiprocessorConfig& sm) {
  const double cores = real(sm.sub_cores);
  area.dense_core_um2 = sum.add_multipliers(sm);
  area.tensor_core_um2 = area.dense_core_um2;
  const double muxes = selector_muxes(sm);
  if (muxes <= 0) return;  // a dense machine
  area.tensor_core_um2 += sum.add(area.sm, Part::selector_mux, cores * muxes);
  area.tensor_core_um2 +=
      sum.add(area.sm, Part::selector_port_byte,
              cores * (width(sm.operand_selector.b_bytes_per_clk) + selector_register_bytes(sm)));
  area.tensor_core_um2 += sum.add(area.sm, Part::metadata_byte, cores * metadata_buffer_bytes(sm));
  const auto by_gates = gate_share(sm.operand_selector, shipped_selector_gates());
  if (!by_gates) return;
  const double counted = area.of(Part::selector_mux);
  area.least_core_um2 = area.tensor_core_um2 - counted * (1 - by_gates->least);
  area.most_core_um2 = area.tensor_core_um2 - counted * (1 - by_gates->most);
}

void add_sm(MachineArea& area, Sum& sum, const StreamingMultiprocessorConfig& sm) {
  const double cores = real(sm.sub_cores);
  add_tensor_cores(area, sum, sm);
  area.sm_um2 = area.tensor_core_um2;
  const auto add = [&](Part part, double amount) { area.sm_um2 += sum.add(area.sm, part, amount); };
  add(Part::register_byte, kRegisterBytes * capacity(sm.registers));
  add(Part::register_port_byte, cores * (width(sm.operand_fetch.register_bytes_per_clk) +
                                         width(sm.operand_fetch.accumulator_bytes_per_clk)));
  add(Part::vector_lane, cores * limited(sm.vector_lanes_per_sub_core, field::kMostUnits));
  add(Part::sub_core, cores);
  add(Part::shared_byte, capacity(sm.shared_memory.capacity_bytes));
  add(Part::shared_port_byte, shared_port_bytes(sm.shared_memory));
}

void add_shared(MachineArea& area, Sum& sums, const MachineConfig& machine) {
  const AcceleratorConfig& hardware = machine.accelerator;
  const MemoryBusConfig& bus = hardware.memory_bus;
  const L2CacheConfig& l2 = hardware.l2_cache;
  const auto add = [&](Part part, double amount) {
    area.machine_um2 += sums.add(area.shared, part, amount);
  };
  // Ports carry no more than all SMs together get.
  const std::int64_t read =
      std::min(bus.read_bytes_per_clk, hardware.num_sms * bus.sm_read_bytes_per_clk);
  add(Part::bus_port_byte,
      width(read) + real(hardware.num_sms) * width(bus.sm_write_bytes_per_clk));
  add(Part::l2_byte, capacity(l2.capacity_bytes));
  add(Part::l2_port_byte, width(l2.read_bytes_per_clk) + width(l2.write_bytes_per_clk));
  // bytes/clk * MHz is 10^6 bytes/s.
  add(Part::dram_gb_per_s, machine.clock_mhz / 1000 * width(hardware.dram.bytes_per_clk));
}

/// Two-input multiplexers in front of a multiplier: what a pass of the pattern chooses from.
std::int64_t muxes_in_front(const OperandSelectorConfig& selector, Pattern pattern) {
  if (selector.lanes_of(pattern) == Lanes::butterfly) {
    // Of the n middle wires each is chosen from m / n places, and behind them n from n in ranks.
    const Pattern granules = pattern.of_granules();
    std::int64_t ranks = 0;
    while ((std::int64_t{1} << (ranks + 1)) <= granules.n) ++ranks;
    return granules.m / granules.n - 1 + ranks;
  }
  if (!pattern.is_composed()) {
    return std::min(muxes_per_value(pattern), selector.lane_inputs - 1);
  }
  return std::min(pattern.of_granules().m, selector.block_inputs) - 1 +
         std::min(pattern.granule, selector.lane_inputs) - 1;
}

/// The most bits that leave the selector in a clock, over types and patterns, each as often as
/// `times(pattern)` says.
template <class Times>
double most_bits(const StreamingMultiprocessorConfig& sm, const Times& times) {
  const double input = width(sm.operand_selector.b_bytes_per_clk);
  double most = 0;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    const double bits = real(stored_bits(rate.dtype));
    for (const Pattern& pattern : sm.operand_selector.patterns_of(rate.dtype)) {
      const double let_through =
          kRowsPerColumn * input * 8 / bits * real(pattern.n) / real(pattern.m);
      const double values =
          std::min(real(rate.fma_per_clk) / real(sm.operand_selector.passes(pattern)), let_through);
      most = std::max(most, values * real(times(pattern)) * bits);
    }
  }
  return most;
}

}  // namespace

double MachineArea::of(Part part) const {
  for (const auto* const parts : {&sm, &shared}) {
    for (const PartOfMachine& one : *parts) {
      if (one.part == part) return one.um2;
    }
  }
  return 0;
}

double selector_muxes(const StreamingMultiprocessorConfig& sm) {
  return most_bits(sm,
                   [&](Pattern pattern) { return muxes_in_front(sm.operand_selector, pattern); });
}

double selector_register_bytes(const StreamingMultiprocessorConfig& sm) {
  return most_bits(sm, [&](Pattern) { return sm.operand_selector.selector_stages; }) / 8;
}

double metadata_buffer_bytes(const StreamingMultiprocessorConfig& sm) {
  const double stated = capacity(sm.operand_selector.metadata_buffer_bytes);
  if (!std::isinf(stated)) return stated;
  std::int64_t most = 0;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    for (const Pattern& pattern : sm.operand_selector.patterns_of(rate.dtype)) {
      const auto instruction = instruction_for(sm, rate.dtype, pattern);
      if (instruction) most = std::max(most, operands_of(*instruction).metadata_bytes);
    }
  }
  return 2 * real(most);
}

void require_areas(const CostTable& table) {
  if (!table.areas.empty()) return;
  throw ConfigError({table.file},
                    "the table of costs '" + table.name + "' has no 'area', must be one that has");
}

MachineArea area_of(const MachineConfig& machine, const CostTable& table) {
  require_areas(table);
  MachineArea area;
  area.sms = machine.accelerator.num_sms;
  if (table.logic) {
    area.depth = selector_depth(machine.accelerator.sm.operand_selector, machine.clock_mhz,
                                *table.logic, shipped_selector_levels());
  }
  Sum sum(area, table);
  add_sm(area, sum, machine.accelerator.sm);
  add_shared(area, sum, machine);
  area.machine_um2 += real(area.sms) * area.sm_um2;
  return area;
}

}  // namespace stcsim
