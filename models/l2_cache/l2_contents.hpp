#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/state_visitor.hpp"
#include "models/l2_cache/l2_cache_config.hpp"

namespace stcsim {

/// The contents of the L2 cache: operand slices (one strip of one operand for one k-step), of which
/// the least recently used go first. An eighth of a slice's lines each stays until its share of the
/// capacity has been brought in since the slice was last asked for. Everything that one cycle's
/// loads miss is one fill from DRAM; fills are numbered as they are requested.
///
/// Slices that are read once need not be found again: nothing is noted of them, so that a stream
/// kernel takes no more memory for being larger.
class L2Contents {
 public:
  /// Numbers of fills: of slices that were never there, and of those that were there at launch.
  static constexpr std::int32_t kNoFill = 0;
  static constexpr std::int32_t kAtLaunch = 1;

  /// @param line_bytes  what comes from DRAM comes in lines of so many bytes
  explicit L2Contents(std::int64_t line_bytes) : line_bytes_(line_bytes) {}

  /// @param lives_bytes  brought in until an eighth is gone, in ascending order
  void launch(const KernelLaunch& kernel, const L2Eighths& lives_bytes);

  /// Where a slice is noted. Its successor along the strip follows, unless slices are read once:
  /// these share a place in which nothing is noted.
  [[nodiscard]] std::size_t place_of(Operand operand, std::int64_t strip, std::int64_t slice) const;
  /// The fill that brought the slice in, or the last that had arrived when it was used later.
  [[nodiscard]] const std::int32_t& fill_at(std::size_t place) const { return fills_[place]; }
  void note(std::size_t place, std::int32_t fill) {
    if (place >= kSharedPlaces) fills_[place] = fill;
  }
  /// Fills of slices that follow one another along a strip, all of which are noted.
  [[nodiscard]] std::int32_t* fills_from(std::size_t place) { return &fills_[place]; }
  /// By eighths that are missing at least, less one: the oldest fill that misses fewer. Later
  /// ones do too.
  using Oldest = std::array<std::int32_t, kL2Eighths>;
  [[nodiscard]] const Oldest& oldest() const { return oldest_; }
  /// Of a slice last used at that fill.
  [[nodiscard]] std::int64_t missing_eighths(std::int32_t fill) const {
    std::int64_t missing = 0;
    for (const std::int32_t oldest : oldest_) missing += fill < oldest ? 1 : 0;
    return missing;
  }
  /// The one that is requested next.
  [[nodiscard]] std::int32_t next_fill() const {
    return not_kept_ + static_cast<std::int32_t>(brought_in_before_.size());
  }
  /// Fills asked for, and the number of the last.
  [[nodiscard]] std::int64_t fills_requested() const { return next_fill() - std::int64_t{1}; }
  /// Bytes, in whole lines, that come from DRAM when so many eighths of a slice are missing.
  [[nodiscard]] std::int64_t fill_bytes(Operand operand, std::int64_t strip, std::int64_t slice,
                                        std::int64_t eighths) const;
  /// The next fill is requested.
  void request_fill(std::int64_t bytes);
  /// Adds to what has been brought in; what that replaces is resident no more.
  void bring_in(std::int64_t bytes);

  /// The state that request_fill() and bring_in() change.
  struct Mark {
    std::int64_t brought_in = 0;
    std::int32_t next_fill = 0;
    Oldest oldest{};
  };
  [[nodiscard]] Mark mark() const;
  void go_back_to(const Mark& mark);

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    for (std::int32_t& fill : fills_) visitor.value(fill);
    visitor.value(not_kept_);
    visit_size(visitor, brought_in_before_);
    for (std::int64_t& bytes : brought_in_before_) visitor.value(bytes);
    visitor.value(brought_in_);
    for (std::int32_t& fill : oldest_) visitor.value(fill);
  }

 private:
  /// Places left free after each strip: slices of the same k-step, which are asked for together,
  /// would otherwise share a few cache lines of the computer that simulates.
  static constexpr std::int64_t kGap = 20;
  /// Places of slices that are read once: of those that were never there, and of those that were
  /// there at launch.
  static constexpr std::size_t kSharedPlaces = 2;

  [[nodiscard]] std::int64_t lines(std::int64_t bytes) const;
  void find_fill_bytes();

  L2Eighths lives_bytes_{};
  std::int64_t line_bytes_;
  KernelLaunch kernel_;
  std::vector<std::int32_t> fills_;                 // by operand, strip and slice
  std::array<std::size_t, kOperandCount> first_{};  // of each operand
  std::array<bool, kOperandCount> is_noted_{};      // or all slices share the place
  bool keeps_fills_ = true;                         // some slices are noted
  std::int32_t not_kept_ = 0;                       // fills
  std::vector<std::int64_t> brought_in_before_;     // bytes brought in before a fill, by fill
  std::int64_t brought_in_ = 0;                     // bytes, since launch
  Oldest oldest_{};
  /// By operand, last strip or not, last slice or not; of whole slices, not in lines.
  std::array<std::array<std::array<std::int64_t, 2>, 2>, kOperandCount> fill_bytes_{};
};

}  // namespace stcsim
