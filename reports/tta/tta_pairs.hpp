#pragma once

#include <string>

#include "reports/tta/timed_trainings.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// How long epochs of two schemes take, and what a published saving then says of their number.
[[nodiscard]] TtaComparison comparison_of(const std::string& machine, const SchemePair& pair,
                                          const SchemeTraining& own, const SchemeTraining& other);

/// A measured training and what is simulated for its epochs.
[[nodiscard]] TtaMeasured measured_of(const MeasuredTraining& measured,
                                      const curves::TimedTraining& training, double epochs);

}  // namespace stcsim
