#pragma once

#include "models/base/statistics.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The machine's counters as a result; kernel and MAC counts are left to the caller.
[[nodiscard]] LaunchResult to_result(const LaunchStatistics& statistics);

/// Adds a launch that ran after `first` (split-K reduction): cycles, buckets, traffic and events
/// add up; the kernel stays that of the first.
void append_launch(LaunchResult& first, const LaunchStatistics& second);

/// The same for a launch that already is a result; MAC counts add up too.
void append_result(LaunchResult& first, const LaunchResult& more);

}  // namespace stcsim
