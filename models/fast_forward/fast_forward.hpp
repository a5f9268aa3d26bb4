#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/accelerator/block_diagram.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/recycling_queue.hpp"
#include "models/base/resident_ctas.hpp"
#include "models/base/shared_path.hpp"
#include "models/base/state_visitor.hpp"
#include "models/fast_forward/l2_replay.hpp"
#include "models/l2_cache/access_log.hpp"

namespace stcsim {

/// Skips whole periods of a launch, exactly. The machine is deterministic: when its whole state,
/// relative to now and to the CTAs and k-steps at work, comes round again, what follows is what
/// followed before, until something depends on *which* CTA or k-step it is. Those things are few
/// (sizes of edge tiles, hits in the L2 cache, the backlogs of writes, the ends of a CTA and of
/// the grid), and each is checked for every period skipped.
///
/// The state is compared with earlier ones at the end of cycles in which one CTA's k-step has been
/// read (state with the same CTAs, further steps) or SM 0 got a CTA (state with later CTAs at the
/// same steps). Once that has been in vain for a while, only when the SM that gives the occasion
/// has come round again itself.
class FastForward : public ProgressObserver {
 public:
  explicit FastForward(BlockDiagram& machine)
      : machine_(machine), replay_(machine.config.l2_cache, machine.l2_cache->core.contents()) {}

  /// Watches the launch of `kernel` that has just been prepared.
  void start(const KernelLaunch& kernel);
  /// Leaves the launches that follow alone.
  void stop();
  /// Forgets what was seen so far, which says nothing of what comes.
  void forget();

  void step_read(std::int64_t sm, std::int64_t slot) override;
  void cta_dispatched(std::int64_t sm) override;

 private:
  /// States kept for comparison: the longest period seen, in looks.
  static constexpr std::int64_t kHistory = 40;
  using Kind = StateWriter::Kind;
  struct Snapshot {
    Kind kind = Kind::same_ctas;
    StateOrigin origin;
    std::int64_t first_resident = 0;  // the lowest number of a CTA at work
    std::int64_t look = 0;            // its number
    DescribedState described;
    std::int64_t log_end = 0;  // number of the first batch after it
    /// Of the L2 cache and of DRAM, since the snapshot before.
    std::array<SharedPath::Backlog, 2> writes;
  };

  /// @param at  when the state is looked at, now or later
  void request(Kind kind, Cycle at);
  void look();
  void look_back(Kind kind);
  /// Remembers the state of the SM that made us look; returns whether it was the same lately. If
  /// not, the machine's state cannot have recurred.
  bool is_familiar(Kind kind);
  void find_origin(StateOrigin& origin) const;
  void describe(Kind kind, Snapshot& snapshot);
  /// From the state that stands there in the history, and came round again in the last one.
  /// Returns whether anything was skipped.
  bool try_skip(std::size_t at);
  [[nodiscard]] Period period_between(const Snapshot& before, const Snapshot& now) const;
  [[nodiscard]] std::int64_t most_periods(const Snapshot& before, const Snapshot& now,
                                          const Period& period) const;
  [[nodiscard]] std::int64_t periods_of_equal_ctas(const Snapshot& before,
                                                   const Period& period) const;
  /// @param before  where it stands in the history, of which `now` is the last
  [[nodiscard]] std::int64_t periods_of_backlog(std::size_t before, const Snapshot& now) const;
  [[nodiscard]] std::int64_t steps_left(std::int64_t sm, std::int64_t slot) const;
  /// A skip forgets the states before it, so one of few k-steps in every wave of CTAs would hide
  /// that waves recur.
  [[nodiscard]] bool is_better_left(const Snapshot& now, std::int64_t steps) const;
  void advance(const Snapshot& before, const Snapshot& now, const Period& period,
               std::int64_t times);
  /// Drops snapshots that are too old, and what nobody needs of the log.
  void drop_old();

  /// That SM, or the one that is simulated for it.
  [[nodiscard]] StreamingMultiprocessor& simulated_for(std::int64_t sm) const;

  BlockDiagram& machine_;
  KernelLaunch kernel_;
  L2Replay replay_;
  CtaSizes sizes_;
  RecyclingQueue<std::size_t> sm_states_;  // hashed, of the last looks
  RecyclingQueue<Snapshot> history_;
  // At work; kept for their memory.
  StateOrigin sm_origin_;
  DescribedState sm_described_;
  std::vector<std::int64_t> growth_;
  L2AccessLog log_;
  std::int64_t anchor_sm_ = -1;
  std::int64_t anchor_slot_ = 0;
  std::int64_t looks_ = 0;
  std::int64_t looks_in_vain_ = 0;
  std::int64_t looks_at_waves_ = 0;
  std::int64_t looks_skipped_ = 0;
  std::vector<std::pair<Cycle, Kind>> planned_;
};

}  // namespace stcsim
