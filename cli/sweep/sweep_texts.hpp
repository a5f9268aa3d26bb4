#pragma once

#include <filesystem>
#include <string>

#include "reports/sweep/sweep_table.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {

/// What the actions of `stcsim sweep` say.
[[nodiscard]] std::string plan_text(const SweepPlan& plan, const SweepForecast& forecast);
[[nodiscard]] std::string plan_json(const SweepPlan& plan, const SweepForecast& forecast);
[[nodiscard]] std::string outcome_text(const SweepOutcome& outcome,
                                       const std::filesystem::path& results);
[[nodiscard]] std::string status_text(const SweepTable& table,
                                      const std::filesystem::path& results);
[[nodiscard]] std::string status_json(const Space& space, const SweepTable& table);

}  // namespace stcsim
