#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/config/machine.hpp"
#include "sim/cost/cost_table.hpp"
#include "sim/cost/selector_gates.hpp"

namespace stcsim {

/// What one kind of part takes.
struct PartOfMachine {
  Part part = Part::multiplier;
  /// How many of them (bytes, bytes/clk, multiplexers, ...) one SM has, or the machine where they
  /// are outside the SMs.
  double amount = 0;
  double um2 = 0;

  friend bool operator==(const PartOfMachine&, const PartOfMachine&) = default;
};

/// What a machine's chip takes, as far as it is simulated: pads, links, video and what a product
/// switches off are left out.
struct MachineArea {
  /// Of one SM, and of all that SMs share.
  std::vector<PartOfMachine> sm;
  std::vector<PartOfMachine> shared;
  /// Parts the table has no area for, and parts the machine has without a limit: neither counts.
  std::vector<Part> missing;
  std::vector<Part> unlimited;
  std::int64_t sms = 0;
  /// Multipliers of one SM alone, and with selectors and metadata buffers.
  double dense_core_um2 = 0;
  double tensor_core_um2 = 0;
  /// The same with the selector's multiplexers by gates (selector_gates.hpp), from the least to the
  /// most; 0 where no gates of its patterns are known.
  double least_core_um2 = 0;
  double most_core_um2 = 0;
  double sm_um2 = 0;
  double machine_um2 = 0;
  /// Nothing where the table does not say how fast logic is.
  std::optional<SelectorDepth> depth = {};

  /// What selecting adds to the multipliers: 1.02 if a fiftieth.
  [[nodiscard]] double core_ratio() const {
    return dense_core_um2 > 0 ? tensor_core_um2 / dense_core_um2 : 1.0;
  }
  [[nodiscard]] double of(Part part) const;
  /// machine_um2 with the selectors by gates; that itself where no gates are known.
  [[nodiscard]] double least_machine_um2() const { return with_cores_of(least_core_um2); }
  [[nodiscard]] double most_machine_um2() const { return with_cores_of(most_core_um2); }

  friend bool operator==(const MachineArea&, const MachineArea&) = default;

 private:
  [[nodiscard]] double with_cores_of(double core_um2) const {
    if (core_um2 <= 0) return machine_um2;
    return machine_um2 + static_cast<double>(sms) * (core_um2 - tensor_core_um2);
  }
};

/// 2-input multiplexers of one bit in the operand selector of one sub-core: for each value of B
/// that goes to a multiplier in a clock, all but one of the inputs of a full crossbar from the m of
/// a group to each of the n kept, as wide as an operand. So many values leave as its input of
/// `b_bytes_per_clk` lets through (16 rows of A meet each column of B), no more than there are
/// multipliers; the most that any of its patterns and types takes.
[[nodiscard]] double selector_muxes(const StreamingMultiprocessorConfig& sm);

/// Bytes of the registers between the selector's stages in one sub-core: of the values that leave
/// it in a clock, as above. Registers inside a multiplexer would hold more, those of settings are
/// left out.
[[nodiscard]] double selector_register_bytes(const StreamingMultiprocessorConfig& sm);

/// Bytes the metadata buffer of one sub-core holds: the machine's, or those of two instructions if
/// it does not say.
[[nodiscard]] double metadata_buffer_bytes(const StreamingMultiprocessorConfig& sm);

/// @throws ConfigError if the table has no areas
void require_areas(const CostTable& table);

/// What `machine` takes by the areas of `table`, which must have some (require_areas()).
[[nodiscard]] MachineArea area_of(const MachineConfig& machine, const CostTable& table);

}  // namespace stcsim
