#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "sim/config/machine.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// What one action came to.
struct ActionCost {
  Action action = Action::mac;
  std::int64_t count = 0;
  double joules = 0;

  friend bool operator==(const ActionCost&, const ActionCost&) = default;
};

/// What a launch costs.
struct LaunchCost {
  /// All actions the table knows, in the order of kActionNames.
  std::vector<ActionCost> actions;
  /// Actions that happened and that the table has no energy for.
  std::vector<Action> missing;
  double joules = 0;
  double seconds = 0;

  /// Joules of one action; 0 if the table does not know it.
  [[nodiscard]] double of(Action action) const;
  /// Energy-delay product, joule seconds.
  [[nodiscard]] double energy_delay() const { return joules * seconds; }

  friend bool operator==(const LaunchCost&, const LaunchCost&) = default;
};

/// Whether the table can say what the machine's products of that type cost: it knows a
/// multiply-accumulate of it or, for basis `board`, the machine's `power` does.
[[nodiscard]] bool has_costs(const MachineConfig& machine, DataType dtype, const CostTable& table);

/// @throws ConfigError unless has_costs()
void require_costs(const MachineConfig& machine, DataType dtype, const CostTable& table);

/// What `launch` cost on `machine`, which ran it at the launch's clock.
///
/// Basis `own`: counts times the table's energies. Basis `board`: what board_energy() says, to the
/// last joule, so that energy is board power times time. Its term of the multiply-accumulates is
/// divided: register file, selector, metadata and L2 cache get what `power` says of them, the
/// multipliers the rest. Where those come to more than the term (small tiles), they share it.
/// @param machine  at its own clock, as its file has it
/// @throws ConfigError unless has_costs()
[[nodiscard]] LaunchCost cost_of(const MachineConfig& machine, DataType dtype,
                                 const LaunchResult& launch, const CostTable& table,
                                 OperandValues values = OperandValues::random);

/// How often each action happened, by Action.
using ActionCounts = std::array<std::int64_t, kActionCount>;

/// Of a launch, or of several added up. Exact: taken from what the units counted, so the same with
/// fast-forward on and off. What crosses the bus is counted where it leaves the L2 cache or comes
/// to it, and results by what is stored there. Vector instructions are not counted.
[[nodiscard]] ActionCounts action_counts(const MachineConfig& machine, const LaunchResult& launch);

}  // namespace stcsim
