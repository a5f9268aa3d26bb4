#pragma once

#include <cstdint>
#include <string_view>

#include "common/config_field.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

enum class ScheduleKind : std::uint8_t { cosine, peak };

[[nodiscard]] constexpr std::string_view to_string(ScheduleKind kind) {
  return kind == ScheduleKind::cosine ? "cosine" : "peak";
}

/// The course of the learning rate over a run.
struct Schedule {
  ScheduleKind kind = ScheduleKind::peak;
  /// Part of the run in which it rises from 0 to the full rate. After that it falls to 0: as a
  /// straight line (peak), or half a wave of a cosine.
  double rise = 0.2;
  static constexpr double kMostRise = 0.999999;

  /// Part of the full rate at x, from 0 (start of the run) to 1 (end).
  [[nodiscard]] double factor(double x) const;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::one_of("type", "how the rate falls: straight, or as half a wave",
                                ScheduleKind::peak),
                  self.kind);
    visitor.field(
        field::real("rise", "part of the run in which it rises from 0").up_to(kMostRise).optional(),
        self.rise);
  }
};

/// The schedule of a scheme in a run of so many steps. Steps count from 0.
class Timeline {
 public:
  /// @param published_steps length of the runs that periods in steps (mask_every) were published
  ///        for: a period here is the same part of the run, at least one step
  Timeline(const Scheme& scheme, std::int64_t steps, Schedule schedule,
           std::int64_t published_steps);

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// True if operands are pruned in this step.
  [[nodiscard]] bool is_sparse(std::int64_t step) const {
    return step >= first_sparse_ && step < end_sparse_;
  }
  /// Steps since the first sparse one.
  [[nodiscard]] std::int64_t sparse_steps_before(std::int64_t step) const {
    return step - first_sparse_;
  }
  /// Part of the full learning rate, in the middle of the step.
  [[nodiscard]] double rate_factor(std::int64_t step) const;
  [[nodiscard]] bool freezes_variance(std::int64_t step) const {
    return freezes_variance_ && is_sparse(step);
  }
  /// A period of the scheme's file in steps of this run; 0 (never again) stays 0.
  [[nodiscard]] std::int64_t period(std::int64_t published) const;
  /// Bi-Mask looks for a new order of rows so often: no more than kOrderSearches times a run.
  [[nodiscard]] std::int64_t order_period() const;

  static constexpr std::int64_t kOrderSearches = 20;

 private:
  std::int64_t steps_;
  Schedule schedule_;
  std::int64_t published_steps_;
  /// The schedule begins anew here: half of the run, where a dense training comes before.
  std::int64_t pretraining_;
  std::int64_t first_sparse_;
  std::int64_t end_sparse_;
  bool freezes_variance_;
};

}  // namespace stcsim::training
