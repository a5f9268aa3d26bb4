#include "models/l2_cache/l2_contents.hpp"

namespace stcsim {

void L2Contents::launch(const KernelLaunch& kernel) {
  kernel_ = kernel;
  const auto slices_of = [&](const OperandStream& stream) {
    return static_cast<std::size_t>(kernel.batch_count * stream.distinct_strips *
                                    (stream.distinct_slices + kGap));
  };
  fills_.clear();
  for (const Operand operand : kernel.operands()) {
    const OperandStream& stream = kernel.stream(operand);
    first_[index_of(operand)] = fills_.size();
    fills_.resize(fills_.size() + slices_of(stream), stream.starts_in_l2 ? kAtLaunch : kNoFill);
  }
  find_fill_bytes();
  brought_in_before_.assign(kAtLaunch + 1, 0);
  brought_in_ = 0;
  oldest_resident_ = kAtLaunch;
}

std::size_t L2Contents::place_of(Operand operand, std::int64_t strip, std::int64_t slice) const {
  const std::int64_t slices = kernel_.stream(operand).distinct_slices + kGap;
  return first_[index_of(operand)] + static_cast<std::size_t>(strip * slices + slice);
}

std::int64_t L2Contents::lines(std::int64_t bytes) const {
  return cycles_for(bytes, line_bytes_).count() * line_bytes_;
}

void L2Contents::request_fill(std::int64_t bytes) {
  brought_in_before_.push_back(brought_in_);
  bring_in(bytes);
}

void L2Contents::bring_in(std::int64_t bytes) {
  brought_in_ += bytes;
  const auto is_gone = [&](std::int64_t fill) {
    return brought_in_ - brought_in_before_[static_cast<std::size_t>(fill)] > capacity_bytes_;
  };
  while (oldest_resident_ < next_fill() && is_gone(oldest_resident_)) ++oldest_resident_;
}

std::int64_t L2Contents::fill_bytes(Operand operand, std::int64_t strip, std::int64_t slice) const {
  const OperandStream& stream = kernel_.stream(operand);
  const std::int64_t distinct = stream.distinct_strips;
  const bool is_edge = (strip < distinct ? strip : strip % distinct) == stream.strips - 1;
  return fill_bytes_[index_of(operand)][is_edge ? 1 : 0][slice == kernel_.k_steps - 1 ? 1 : 0];
}

void L2Contents::find_fill_bytes() {
  for (const Operand operand : kernel_.operands()) {
    for (const std::int64_t is_edge : {0, 1}) {
      for (const std::int64_t is_last : {0, 1}) {
        const std::int64_t strip = kernel_.stream(operand).strips - 2 + is_edge;
        fill_bytes_[index_of(operand)][static_cast<std::size_t>(is_edge)]
                   [static_cast<std::size_t>(is_last)] =
                       lines(kernel_.fill_bytes(operand, strip, kernel_.k_steps - 2 + is_last));
      }
    }
  }
}

L2Contents::Mark L2Contents::mark() const {
  return {brought_in_, brought_in_before_.size(), oldest_resident_};
}

void L2Contents::go_back_to(const Mark& before) {
  brought_in_ = before.brought_in;
  brought_in_before_.resize(before.fills);
  oldest_resident_ = before.oldest_resident;
}

}  // namespace stcsim
