#include "sim/cost/launch_cost.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr double kPicojoule = 1e-12;

/// Joules by action, as far as they are known.
using Joules = std::array<std::optional<double>, kActionCount>;

std::optional<double>& of(Joules& joules, Action action) {
  return joules.at(static_cast<std::size_t>(action));
}

double count_of(const ActionCounts& counts, Action action) {
  return static_cast<double>(counts.at(static_cast<std::size_t>(action)));
}

Joules from_table(const ActionCounts& counts, DataType dtype, const CostTable& table) {
  Joules joules;
  for (const auto& name : kActionNames) {
    const std::optional<double> picojoules = table.picojoules(name.what, dtype);
    if (!picojoules) continue;
    of(joules, name.what) = count_of(counts, name.what) * *picojoules * kPicojoule;
  }
  return joules;
}

/// Divides what has one figure for two actions by how often each happened.
void divide(Joules& joules, const ActionCounts& counts, double whole, Action first, Action second) {
  const double all = count_of(counts, first) + count_of(counts, second);
  of(joules, first) = all > 0 ? whole * count_of(counts, first) / all : 0.0;
  of(joules, second) = all > 0 ? whole * count_of(counts, second) / all : 0.0;
}

Joules from_board(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                  const ActionCounts& counts, OperandValues values) {
  const BoardEnergy energy = board_energy(machine, dtype, launch, launch.clock_mhz, values);
  const FeedEnergy& feeds = energy.feeds;
  const double macs = energy.macs + energy.beyond;
  const double fed = feeds.total();
  const double share = fed > macs ? macs / fed : 1.0;
  Joules joules;
  of(joules, Action::mac) = std::max(0.0, macs - fed);
  of(joules, Action::selector_mux) = share * feeds.selector;
  of(joules, Action::metadata_byte) = share * feeds.metadata;
  of(joules, Action::register_byte) = share * feeds.registers;
  of(joules, Action::accumulator_byte) = share * feeds.accumulators;
  divide(joules, counts, share * feeds.l2, Action::l2_read_byte, Action::l2_write_byte);
  divide(joules, counts, energy.shared_memory, Action::shared_read_byte, Action::shared_write_byte);
  divide(joules, counts, energy.dram, Action::dram_read_byte, Action::dram_write_byte);
  of(joules, Action::sm_cycle) = energy.idle;
  return joules;
}

}  // namespace

double LaunchCost::of(Action action) const {
  const auto found = std::ranges::find(actions, action, &ActionCost::action);
  return found == actions.end() ? 0.0 : found->joules;
}

bool has_costs(const MachineConfig& machine, DataType dtype, const CostTable& table) {
  if (table.basis == CostBasis::board) return machine.power.mac_pj(dtype) > 0;
  return table.picojoules(Action::mac, dtype).has_value();
}

void require_costs(const MachineConfig& machine, DataType dtype, const CostTable& table) {
  if (has_costs(machine, dtype, table)) return;
  if (table.basis == CostBasis::board) {
    throw ConfigError(
        fmt::format("the costs of {} are what a board draws, and {} does not say what it draws "
                    "for {} ('power')",
                    table.name, machine.name, to_string(dtype)));
  }
  throw ConfigError({table.file},
                    fmt::format("{} has no energy of a multiply-accumulate of {}, must have one",
                                table.name, to_string(dtype)));
}

LaunchCost cost_of(const MachineConfig& machine, DataType dtype, const LaunchResult& launch,
                   const CostTable& table, OperandValues values) {
  require_costs(machine, dtype, table);
  const ActionCounts counts = action_counts(machine, launch);
  Joules joules = table.basis == CostBasis::board
                      ? from_board(machine, dtype, launch, counts, values)
                      : from_table(counts, dtype, table);
  LaunchCost cost;
  for (const auto& name : kActionNames) {
    const std::int64_t count = counts.at(static_cast<std::size_t>(name.what));
    if (const std::optional<double>& one = of(joules, name.what)) {
      cost.actions.push_back({name.what, count, *one});
      cost.joules += *one;
    } else if (count > 0) {
      cost.missing.push_back(name.what);
    }
  }
  cost.seconds = launch.time_us() * 1e-6;
  return cost;
}

ActionCounts action_counts(const MachineConfig& machine, const LaunchResult& launch) {
  ActionCounts counts{};
  const auto of = [&](Action action) -> std::int64_t& {
    return counts.at(static_cast<std::size_t>(action));
  };
  of(Action::mac) = launch.multiplier_macs;
  of(Action::idle_mac) = std::max<std::int64_t>(0, launch.peak_macs - launch.multiplier_macs);
  of(Action::selector_mux) =
      launch.actions.selector_muxes + launch.actions.selector_register_bits * kMuxesPerRegister;
  of(Action::metadata_byte) = launch.actions.metadata_bytes;
  of(Action::decode) = launch.actions.decodes;
  of(Action::register_byte) = launch.actions.register_bytes;
  of(Action::accumulator_byte) = launch.actions.accumulator_bytes;
  of(Action::shared_read_byte) = launch.count("shared_memory_read_bytes");
  of(Action::shared_write_byte) = launch.count("shared_memory_write_bytes");
  of(Action::l2_read_byte) = launch.count("l2_read_bytes");
  of(Action::l2_write_byte) = launch.count("l2_write_bytes");
  of(Action::bus_byte) = of(Action::l2_read_byte) + of(Action::l2_write_byte);
  of(Action::stored_byte) = of(Action::l2_write_byte);
  of(Action::dram_read_byte) = launch.count("dram_read_bytes");
  of(Action::dram_write_byte) = launch.count("dram_write_bytes");
  of(Action::sm_cycle) = launch.cycles * machine.accelerator.num_sms;
  return counts;
}

}  // namespace stcsim
