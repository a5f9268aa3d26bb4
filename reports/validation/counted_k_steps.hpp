#pragma once

#include <cstdint>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/counter_rows.hpp"

namespace stcsim {

/// What a kernel's main loop takes: of one shape of C that was counted with two and more K by the
/// same kernel, the cycles from the least K to the most over the k-steps between, a tile.
struct CountedKStep {
  /// Those of the least and the most K.
  const CounterRow* first = nullptr;
  const CounterRow* last = nullptr;
  /// Tiles that follow each other on an SM.
  std::int64_t tiles_in_turn = 0;
  double counted_cycles = 0;
  double simulated_cycles = 0;
  /// Of the multipliers alone.
  double multiply_cycles = 0;

  [[nodiscard]] double error() const { return simulated_cycles / counted_cycles - 1; }
};

/// Of kernels of 10,000 cycles and more that were simulated as they ran. Points into `rows`.
[[nodiscard]] std::vector<CountedKStep> counted_k_steps(const std::vector<CounterRow>& rows);

/// A line for each, beside it what counters say of the longest launch: how busy the multipliers
/// are, and the bytes a clock that an SM gets, counted and simulated.
[[nodiscard]] Table k_step_table(const std::vector<CounterRow>& rows);

}  // namespace stcsim
