#include "models/functional/operand_selector.hpp"

#include <string>

#include "common/error.hpp"
#include "models/functional/packed_bits.hpp"

namespace stcsim {

FunctionalOperandSelector::FunctionalOperandSelector(Pattern hardware)
    : hardware_(hardware), position_bits_(hardware.metadata_bits_per_group() / hardware.n) {}

void FunctionalOperandSelector::select(std::span<const std::uint32_t> metadata,
                                       std::span<std::int32_t> b_rows) const {
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  std::int64_t stored = 0;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t slot = 0; slot < hardware_.n; ++slot, ++stored) {
      const std::int64_t position = read_bits(metadata, stored * position_bits_, position_bits_);
      if (position >= hardware_.m) {
        throw SimulationError("operand_selector: metadata selects value " +
                              std::to_string(position) + " of group " + std::to_string(group) +
                              ", but a group has " + std::to_string(hardware_.m) + " values");
      }
      b_rows[as_size(stored)] = static_cast<std::int32_t>(group * hardware_.m + position);
    }
  }
}

}  // namespace stcsim
