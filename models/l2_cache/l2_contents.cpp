#include "models/l2_cache/l2_cache.hpp"

namespace stcsim {

std::size_t L2Cache::index_of(Operand operand, std::int64_t strip, std::int64_t slice) const {
  const std::size_t first = operand == Operand::a ? 0 : first_b_slice_;
  const std::int64_t slices = kernel_.stream(operand).distinct_slices + kGap;
  return first + static_cast<std::size_t>(strip * slices + slice);
}

std::int64_t L2Cache::lines(std::int64_t bytes) const {
  return cycles_for(bytes, line_bytes_).count() * line_bytes_;
}

void L2Cache::bring_in(std::int64_t bytes) {
  brought_in_ += bytes;
  const auto is_gone = [&](std::int64_t fill) {
    return brought_in_ - brought_in_before_[static_cast<std::size_t>(fill)] >
           config_.capacity_bytes;
  };
  while (oldest_resident_ < next_fill() && is_gone(oldest_resident_)) ++oldest_resident_;
}

std::int64_t L2Cache::fill_bytes(Operand operand, std::int64_t strip, std::int64_t slice) const {
  const OperandStream& stream = kernel_.stream(operand);
  const std::int64_t distinct = stream.distinct_strips;
  const bool is_edge = (strip < distinct ? strip : strip % distinct) == stream.strips - 1;
  return fill_bytes_[static_cast<std::size_t>(operand)][is_edge ? 1 : 0]
                    [slice == kernel_.k_steps - 1 ? 1 : 0];
}

void L2Cache::find_fill_bytes() {
  for (const Operand operand : {Operand::a, Operand::b}) {
    for (const std::int64_t is_edge : {0, 1}) {
      for (const std::int64_t is_last : {0, 1}) {
        const std::int64_t strip = kernel_.stream(operand).strips - 2 + is_edge;
        fill_bytes_[static_cast<std::size_t>(operand)][static_cast<std::size_t>(is_edge)]
                   [static_cast<std::size_t>(is_last)] =
                       lines(kernel_.fill_bytes(operand, strip, kernel_.k_steps - 2 + is_last));
      }
    }
  }
}

bool L2Cache::stays(std::int64_t written_bytes) const {
  return written_bytes <= config_.capacity_bytes;
}

}  // namespace stcsim
