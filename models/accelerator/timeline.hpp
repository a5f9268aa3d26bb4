#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/statistics.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Something that a unit did from `begin` up to `end`.
struct TimelineSlice {
  std::string name;
  Cycle begin;
  Cycle end;
  /// Which CTA slot and k-step it was for; -1 for none in particular.
  std::int64_t slot = -1;
  std::int64_t step = -1;
  /// Of the slices called "mma": cycles that instructions kept the pipeline, without gaps between
  /// them. A batch's last instruction may be counted in the slice after it.
  std::int64_t busy = 0;

  [[nodiscard]] Cycles length() const { return end - begin; }
};

/// The slices of one unit by their beginnings: they do not overlap, but may lie inside each other.
struct TimelineTrack {
  /// Whose statistics they are, "" if nobody counts them.
  std::string_view unit;
  /// For people, e.g. "tensor core 2".
  std::string name;
  std::vector<TimelineSlice> slices;
};

/// Operands of a k-step on their way: asked for, there, first used. Each place lies in a slice of
/// its track.
struct TimelineFlow {
  struct Place {
    std::size_t track = 0;
    Cycle at = kNever;
  };
  std::array<Place, 3> places;
};

/// What the units of one SM did from the beginning of a launch.
struct Timeline {
  /// Turns of units up to this cycle are in it; what they took on by then is drawn to its end.
  Cycle end;
  /// Whether the launch ended by then.
  bool is_whole = false;
  std::vector<TimelineTrack> tracks;
  std::vector<TimelineFlow> flows;
  /// What the SM's units counted by then. Lengths of slices sum to the buckets of their unit: those
  /// of a name to the bucket of that name, those of "mma" to busy and issue_gap.
  std::vector<UnitTotals> units;
};

}  // namespace stcsim
