#include "models/functional/operand_selector.hpp"

#include "common/counts.hpp"
#include "models/functional/metadata_codec.hpp"

namespace stcsim {

FunctionalOperandSelector::FunctionalOperandSelector(Pattern hardware, MetadataFormat format)
    : hardware_(hardware),
      format_(format),
      group_bits_(metadata_bits_per_group(hardware, format)) {}

void FunctionalOperandSelector::select(std::span<const std::uint32_t> metadata,
                                       std::span<std::int32_t> b_rows) const {
  const auto groups = static_cast<std::int64_t>(b_rows.size()) / hardware_.n;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto kept = b_rows.subspan(as_size(group * hardware_.n), as_size(hardware_.n));
    decode_group(hardware_, format_, metadata, group * group_bits_, group, kept);
    for (std::int32_t& row : kept) {
      const std::int64_t selected =
          row == kNoElement ? groups * hardware_.m : group * hardware_.m + row;
      row = static_cast<std::int32_t>(selected);
    }
  }
}

}  // namespace stcsim
