#include "models/l2_cache/l2_contents.hpp"

#include <limits>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// With what is left free after it. Strips of few slices lie close anyway, and grids of rows have
/// millions of them.
std::int64_t places_of_strip(std::int64_t slices, std::int64_t gap) {
  return slices + (slices < gap ? 0 : gap);
}

}  // namespace

void L2Contents::launch(const KernelLaunch& kernel, const L2Eighths& lives_bytes) {
  kernel_ = kernel;
  lives_bytes_ = lives_bytes;
  const auto slices_of = [&](const OperandStream& stream) {
    return static_cast<std::size_t>(kernel.batch_count * stream.distinct_strips *
                                    places_of_strip(stream.distinct_slices, kGap));
  };
  fills_ = {kNoFill, kAtLaunch};
  keeps_fills_ = false;
  for (const Operand operand : kernel.operands()) {
    const OperandStream& stream = kernel.stream(operand);
    is_noted_[index_of(operand)] = !kernel.reads_once(operand);
    if (kernel.reads_once(operand)) {
      first_[index_of(operand)] = stream.starts_in_l2 ? kAtLaunch : kNoFill;
      continue;
    }
    keeps_fills_ |= stream.strips > 0;
    first_[index_of(operand)] = fills_.size();
    fills_.resize(fills_.size() + slices_of(stream), stream.starts_in_l2 ? kAtLaunch : kNoFill);
  }
  find_fill_bytes();
  brought_in_before_.assign(keeps_fills_ ? kAtLaunch + 1 : 0, 0);
  not_kept_ = keeps_fills_ ? 0 : kAtLaunch + 1;
  brought_in_ = 0;
  oldest_.fill(kAtLaunch);
}

std::size_t L2Contents::place_of(Operand operand, std::int64_t strip, std::int64_t slice) const {
  if (!is_noted_[index_of(operand)]) return first_[index_of(operand)];
  const std::int64_t slices = places_of_strip(kernel_.stream(operand).distinct_slices, kGap);
  return first_[index_of(operand)] + static_cast<std::size_t>(strip * slices + slice);
}

std::int64_t L2Contents::lines(std::int64_t bytes) const {
  return cycles_for(bytes, line_bytes_).count() * line_bytes_;
}

void L2Contents::request_fill(std::int64_t bytes) {
  if (next_fill() == std::numeric_limits<std::int32_t>::max()) {
    throw SimulationError("a kernel that reads DRAM more than 2147483646 times is too long");
  }
  if (keeps_fills_) {
    brought_in_before_.push_back(brought_in_);
  } else {
    ++not_kept_;
  }
  bring_in(bytes);
}

void L2Contents::bring_in(std::int64_t bytes) {
  brought_in_ += bytes;
  for (std::size_t eighth = 0; eighth < kL2Eighths; ++eighth) {
    const std::int64_t life = lives_bytes_[eighth];
    std::int32_t& oldest = oldest_[eighth];
    if (!keeps_fills_) {
      // Only what was there at launch can be asked for.
      if (brought_in_ > life) oldest = next_fill();
      continue;
    }
    const auto is_gone = [&](std::int64_t fill) {
      return brought_in_ - brought_in_before_[static_cast<std::size_t>(fill)] > life;
    };
    while (oldest < next_fill() && is_gone(oldest)) ++oldest;
  }
}

std::int64_t L2Contents::fill_bytes(Operand operand, std::int64_t strip, std::int64_t slice,
                                    std::int64_t eighths) const {
  const OperandStream& stream = kernel_.stream(operand);
  const bool is_edge = kernel_.strip_of(operand, strip) == stream.strips - 1;
  const std::int64_t whole =
      fill_bytes_[index_of(operand)][is_edge ? 1 : 0][slice == kernel_.k_steps - 1 ? 1 : 0];
  return lines(eighths_of(whole, eighths));
}

void L2Contents::find_fill_bytes() {
  for (const Operand operand : kernel_.operands()) {
    for (const std::int64_t is_edge : {0, 1}) {
      for (const std::int64_t is_last : {0, 1}) {
        const std::int64_t strip = kernel_.stream(operand).strips - 2 + is_edge;
        fill_bytes_[index_of(operand)][static_cast<std::size_t>(is_edge)]
                   [static_cast<std::size_t>(is_last)] =
                       kernel_.fill_bytes(operand, strip, kernel_.k_steps - 2 + is_last);
      }
    }
  }
}

L2Contents::Mark L2Contents::mark() const {
  return {brought_in_, next_fill(), oldest_};
}

void L2Contents::go_back_to(const Mark& mark) {
  brought_in_ = mark.brought_in;
  if (keeps_fills_) {
    brought_in_before_.resize(static_cast<std::size_t>(mark.next_fill));
  } else {
    not_kept_ = mark.next_fill;
  }
  oldest_ = mark.oldest;
}

}  // namespace stcsim
