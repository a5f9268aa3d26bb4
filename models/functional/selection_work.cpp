#include "models/functional/selection_work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "common/counts.hpp"

namespace stcsim {
SelectionWork::SelectionWork(const SelectionRules& rules, Pattern hardware,
                             const FragmentShape& shape, MetadataFormat format)
    : rules_(rules),
      hardware_(hardware),
      shape_(shape),
      format_(format),
      selector_(hardware, format),
      places_(as_size(shape.rows * shape.stored_values)) {
  rules_.window = std::clamp<std::int64_t>(rules.window, 1, shape.stored_values);
}

std::span<const InstructionWork> SelectionWork::of(const Fragment& fragment) {
  find_places(fragment);
  work_.clear();
  const std::int64_t columns = shape_.columns;
  for (std::int64_t row = 0; row < shape_.rows; row += shape_.instruction_rows) {
    for (std::int64_t column = 0; column < columns; column += shape_.instruction_columns) {
      work_.push_back(of_one(fragment, row, column));
    }
  }
  return work_;
}

void SelectionWork::find_places(const Fragment& fragment) {
  const std::size_t words = as_size(shape_.metadata_words);
  const std::size_t stored = as_size(shape_.stored_values);
  for (std::size_t row = 0; row < as_size(shape_.rows); ++row) {
    const auto into = std::span(places_).subspan(row * stored, stored);
    selector_.select(std::span(fragment.metadata).subspan(row * words, words), into);
  }
}

InstructionWork SelectionWork::of_one(const Fragment& fragment, std::int64_t first_row,
                                      std::int64_t first_column) const {
  InstructionWork work;
  work.all_slots = shape_.stored_values;
  work.slots = slots(fragment, first_row, first_column);
  if (!hardware_.is_dense()) {
    work.groups = shape_.stored_values / hardware_.n;
    work.looks = looks(fragment, first_row);
  }
  count_bytes(fragment, first_row, work);
  return work;
}

bool SelectionWork::holds_value(const Fragment& fragment, std::int64_t row,
                                std::int64_t slot) const {
  return (fragment.a[as_size(row * shape_.stored_values + slot)] & rules_.value_bits) != 0;
}

std::int64_t SelectionWork::slots(const Fragment& fragment, std::int64_t first_row,
                                  std::int64_t first_column) const {
  if (!rules_.skips_a && !rules_.skips_b) return shape_.stored_values;
  const std::int64_t columns = rules_.skips_b ? shape_.instruction_columns : 1;
  std::int64_t sum = 0;
  for (std::int64_t slot = 0; slot < shape_.stored_values; slot += rules_.window) {
    std::int64_t most = 0;  // the slowest of those that wait for each other
    for (std::int64_t row = first_row; row < first_row + shape_.instruction_rows; ++row) {
      for (std::int64_t column = first_column; column < first_column + columns; ++column) {
        most = std::max(most, needed(fragment, row, column, slot));
      }
    }
    sum += most;
  }
  return sum;
}

std::int64_t SelectionWork::needed(const Fragment& fragment, std::int64_t row, std::int64_t column,
                                   std::int64_t first_slot) const {
  const std::int64_t end = std::min(first_slot + rules_.window, shape_.stored_values);
  std::int64_t count = 0;
  for (std::int64_t slot = first_slot; slot < end; ++slot) {
    if (rules_.skips_a && !holds_value(fragment, row, slot)) continue;
    const std::int64_t place = places_[as_size(row * shape_.stored_values + slot)];
    const bool meets_zero =
        place >= shape_.k ||
        (fragment.b[as_size(place * shape_.pitch + column)] & rules_.value_bits) == 0;
    if (!rules_.skips_b || !meets_zero) ++count;
  }
  return count;
}

std::int64_t SelectionWork::collisions(const Fragment& fragment, std::int64_t row,
                                       std::int64_t group) const {
  const Pattern granules = hardware_.of_granules();
  std::array<std::int64_t, kMaxGroup> on_wire{};
  std::int64_t last = -1;  // granule, as places ascend
  for (std::int64_t slot = group * hardware_.n; slot < (group + 1) * hardware_.n; ++slot) {
    const std::int64_t place = places_[as_size(row * shape_.stored_values + slot)];
    if (place >= shape_.k || (rules_.skips_a && !holds_value(fragment, row, slot))) continue;
    const std::int64_t granule = (place - group * hardware_.m) / hardware_.granule;
    if (granule != last) ++on_wire.at(as_size(granule % granules.n));
    last = granule;
  }
  return *std::max_element(on_wire.begin(), on_wire.end());
}

std::int64_t SelectionWork::looks(const Fragment& fragment, std::int64_t first_row) const {
  if (pass_by_place(rules_.lanes)) {
    std::int64_t passes = 0;
    for (std::int64_t group = 0; group < shape_.stored_values / hardware_.n; ++group) {
      std::int64_t most = 1;
      for (std::int64_t row = first_row; row < first_row + shape_.instruction_rows; ++row) {
        most = std::max(most, collisions(fragment, row, group));
      }
      passes += most;
    }
    return passes;
  }
  const std::int64_t granule = hardware_.is_composed() ? 1 : hardware_.granule;
  const std::int64_t seen = rules_.lane_inputs;
  std::int64_t sum = 0;
  for (std::int64_t group = 0; group < shape_.stored_values / hardware_.n; ++group) {
    std::vector<bool> parts(as_size(ceil_div(hardware_.m / granule, seen)));
    for (std::int64_t row = first_row; row < first_row + shape_.instruction_rows; ++row) {
      for (std::int64_t slot = group * hardware_.n; slot < (group + 1) * hardware_.n; ++slot) {
        const std::int64_t place = places_[as_size(row * shape_.stored_values + slot)];
        if (place >= shape_.k || (rules_.skips_a && !holds_value(fragment, row, slot))) continue;
        parts[as_size((place - group * hardware_.m) / granule / seen)] = true;
      }
    }
    sum += std::max<std::int64_t>(1, std::count(parts.begin(), parts.end(), true));
  }
  return sum;
}

void SelectionWork::count_bytes(const Fragment& fragment, std::int64_t first_row,
                                InstructionWork& work) const {
  const auto bytes = [](std::int64_t bits) { return ceil_div(bits, 8); };
  work.b_bytes = shape_.instruction_columns * bytes(shape_.k * rules_.element_bits);
  const std::int64_t groups = hardware_.is_dense() ? 0 : shape_.stored_values / hardware_.n;
  const std::int64_t group_bits = metadata_bits_per_group(hardware_, format_);
  if (!rules_.is_packed) {
    work.a_bytes = shape_.instruction_rows * bytes(shape_.stored_values * rules_.element_bits);
    work.metadata_bytes = shape_.instruction_rows * bytes(groups * group_bits);
    return;
  }
  const bool is_mask = format_.coding == MetadataCoding::bitmask;
  const auto count_bits =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(hardware_.n)));
  for (std::int64_t row = first_row; row < first_row + shape_.instruction_rows; ++row) {
    std::int64_t values = 0;
    for (std::int64_t slot = 0; slot < shape_.stored_values; ++slot) {
      if (holds_value(fragment, row, slot)) ++values;
    }
    work.a_bytes += bytes(values * rules_.element_bits);
    const std::int64_t bits =
        is_mask ? groups * group_bits : groups * count_bits + values * group_bits / hardware_.n;
    work.metadata_bytes += bytes(bits);
  }
}

}  // namespace stcsim
