#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// How long epochs of two schemes take, and what a published saving then says of their number.
[[nodiscard]] TtaComparison comparison_of(const std::string& machine, const SchemePair& pair,
                                          const ComposedTraining& own,
                                          const ComposedTraining& other);

/// The mean of the final values of `second` less that of `first`, and how likely chance makes it.
/// @param first, second with points
[[nodiscard]] curves::Difference difference_of_finals(const TtaCurves& first,
                                                      const TtaCurves& second, std::uint64_t seed);

/// Permutation tests that were made: of hours on every machine, of final values once.
[[nodiscard]] std::size_t count_of_tests(const TtaSummary& summary);

/// A measured training and what is simulated for its epochs.
[[nodiscard]] TtaMeasured measured_of(const MeasuredTraining& measured,
                                      const curves::TimedTraining& training, double epochs);

}  // namespace stcsim
