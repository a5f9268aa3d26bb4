#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/state_visitor.hpp"
#include "models/l2_cache/access_log.hpp"
#include "models/l2_cache/l2_cache_config.hpp"
#include "models/l2_cache/l2_contents.hpp"

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

class ReplayPlan;

/// Goes through the accesses of a recurring period once more, moved by one period at a time, on the
/// contents of the cache.
class L2Replay {
 public:
  L2Replay(const L2CacheConfig& config, L2Contents& contents)
      : config_(config), contents_(contents) {}
  L2Replay(const L2Replay&) = delete;
  L2Replay& operator=(const L2Replay&) = delete;

  void launch(const KernelLaunch& kernel) { kernel_ = kernel; }
  /// Applies the accesses as long as each would be answered as it was in the log. Stops before the
  /// first block of `block` periods in which one would not. Returns the periods applied, at most
  /// `most`, a multiple of `block`.
  std::int64_t run(const L2Accesses& accesses, const Period& period, std::int64_t most,
                   std::int64_t block);

  /// Accesses looked at one by one, since construction.
  [[nodiscard]] std::int64_t one_by_one() const { return one_by_one_; }

 private:
  struct Undo {
    std::size_t place;
    std::int32_t fill;
  };
  /// One access of a period, followed along its strip from period to period.
  struct Walk {
    const L2Access* access = nullptr;
    std::size_t batch = 0;
    std::size_t place = 0;  // in the first period
    std::int64_t slice = 0;
  };
  /// The course of fills and residency while periods repeat: every period misses the same bytes.
  struct Timeline {
    std::int32_t first_fill = 0;
    std::int32_t fills_per_period = 0;
    std::vector<std::int32_t> fills_before;  // by batch: of its period, before it
    std::vector<std::int64_t> missed_bytes;  // by batch
    /// As L2Contents::oldest(): by eighth, then batch, then period. One more is always there.
    std::array<std::vector<std::int32_t>, kL2Eighths + 1> oldest;
  };
  /// Periods `done` + 1 to `done` + `periods` of those that are `steps` k-steps long.
  struct Repeats {
    std::int64_t steps = 0;
    std::int64_t done = 0;
    std::int64_t periods = 0;
  };

  bool run_block(ReplayPlan& plan, const Period& period, std::int64_t done, std::int64_t block);
  bool run_period(const ReplayPlan& plan, std::int64_t steps);
  bool run_loads(const ReplayPlan& plan, std::span<const L2Access> asked, std::int64_t steps);
  void undo_since(const L2Contents::Mark& before);

  /// Applies these periods, strip by strip: a period of k-steps does the same to slice after slice.
  /// Returns false, and changes nothing, if an access would not be answered as before, or if that
  /// can be told only access by access.
  bool run_by_strip(const ReplayPlan& plan, const Repeats& repeats);
  bool find_walks(const ReplayPlan& plan, const Repeats& repeats);
  bool find_walk(const ReplayPlan& plan, const Repeats& repeats, const L2Access& access);
  void run_timeline(const Repeats& repeats);
  bool follow(const Walk& walk, const Repeats& repeats);
  bool bring_in_along(const Walk& walk, const Repeats& repeats);
  bool use_along(const Walk& walk, const Repeats& repeats);
  [[nodiscard]] bool waits_along(const Walk& walk, const Repeats& repeats) const;
  [[nodiscard]] std::int32_t* room_for_replaced(const Repeats& repeats);
  /// Takes back what walks have brought in and used.
  void give_back_replaced(const Repeats& repeats);

  const L2CacheConfig& config_;
  L2Contents& contents_;
  KernelLaunch kernel_;
  std::vector<Undo> undo_;
  std::vector<Walk> walks_;
  Timeline timeline_;
  std::vector<std::int32_t> replaced_;  // fills, by walk that brought in, then by period
  std::int64_t one_by_one_ = 0;
};

}  // namespace stcsim
