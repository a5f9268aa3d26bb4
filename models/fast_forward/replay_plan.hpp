#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/state_visitor.hpp"
#include "models/l2_cache/access_log.hpp"

namespace stcsim {

/// The accesses of a recurring period, prepared for being checked for one period after the other.
/// CTAs that ask for the same slice in the same cycle get the same answer (the first brings it in
/// for all), so one of them is enough, as long as they go on sharing.
class ReplayPlan {
 public:
  /// @param accesses  their log outlives the plan
  ReplayPlan(const KernelLaunch& kernel, const L2Accesses& accesses);

  /// Moves to the period that comes `times` after the logged one. Returns false if it goes beyond
  /// the last CTA.
  bool move_to(const Period& period, std::int64_t times);
  /// The accesses to be checked for that period, with the CTAs and steps of the logged one.
  [[nodiscard]] const L2Accesses& accesses() const { return sharing_ ? shared_ : all_; }
  /// The CTA that takes the place of the logged CTA number `cta`.
  [[nodiscard]] const ResidentCta& resident(std::int64_t cta) const {
    return residents_[static_cast<std::size_t>(cta - first_cta_)];
  }

 private:
  void find_sharing();
  [[nodiscard]] bool still_shares() const;
  void keep_first_of_each();

  const KernelLaunch& kernel_;
  L2Accesses all_;
  L2AccessLog first_of_each_;
  L2Accesses shared_;  // of these
  std::int64_t first_cta_ = 0;
  std::int64_t moved_by_ = 0;           // CTAs
  std::vector<ResidentCta> residents_;  // from first_cta_ on
  /// By CTA and operand: the first CTA that reads the same strip from the same k-step on.
  std::vector<std::array<std::size_t, kOperandCount>> same_as_;
  bool sharing_ = true;
};

}  // namespace stcsim
