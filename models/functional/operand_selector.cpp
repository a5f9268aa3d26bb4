#include "models/functional/operand_selector.hpp"

#include <string>

#include "common/error.hpp"
#include "models/functional/packed_bits.hpp"

namespace stcsim {
namespace {

[[noreturn]] void throw_outside(std::int64_t position, std::int64_t group, std::int64_t positions) {
  throw SimulationError("operand_selector: metadata selects value " + std::to_string(position) +
                        " of group " + std::to_string(group) + ", but a group has " +
                        std::to_string(positions) + " values");
}

}  // namespace

FunctionalOperandSelector::FunctionalOperandSelector(Pattern hardware) : hardware_(hardware) {}

void FunctionalOperandSelector::select(std::span<const std::uint32_t> metadata,
                                       std::span<std::int32_t> b_rows) const {
  const std::int64_t bits = hardware_.position_bits();
  const Pattern granules = hardware_.of_granules();
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  std::int64_t offset = 0;
  std::int64_t stored = 0;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t slot = 0; slot < granules.n; ++slot, offset += bits) {
      const std::int64_t position = read_bits(metadata, offset, bits);
      if (position >= granules.m) throw_outside(position, group, granules.m);
      const std::int64_t first = group * hardware_.m + position * hardware_.granule;
      for (std::int64_t i = 0; i < hardware_.granule; ++i, ++stored) {
        b_rows[as_size(stored)] = static_cast<std::int32_t>(first + i);
      }
    }
  }
}

}  // namespace stcsim
