#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/recycling_queue.hpp"
#include "models/base/shared_state.hpp"
#include "models/base/sm_groups.hpp"
#include "models/base/state_visitor.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

namespace stcsim {

/// Simulates SMs that are in the same state once: keeps their groups, splits them where only a part
/// is meant, merges them where states are equal, and keeps the counters of members apart.
class AlikeSms {
 public:
  AlikeSms(SharedState& shared, const StreamingMultiprocessors& sms);

  /// @param together  start with all SMs in one group and merge groups; else every SM is simulated
  ///                  on its own
  void launch(bool together);
  /// Representatives of the groups that make up `sms`, after splitting. Valid until the next call.
  const std::vector<std::int64_t>& isolate(SmSet sms);
  /// Merges those of these groups that are in the same state; returns whether there were any.
  bool merge_equal(std::span<const std::int64_t> representatives);
  /// The same, but less and less often while it is in vain.
  void try_merge(std::span<const std::int64_t> representatives);
  /// After a launch: brings every SM's counters up to date, also of those that were not simulated
  /// on their own.
  void restore_counters();

  /// The groups, and how far members' counters are ahead of their representative's.
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    for (const std::int64_t sm : groups_.representatives()) visitor.value(groups_.members(sm));
    for (std::size_t sm = 0; sm < ahead_.size(); ++sm) {
      if (!ahead_[sm].empty()) visitor.value(sm);
      for (std::int64_t& count : ahead_[sm]) visitor.counter(count);
    }
  }

 private:
  using Counters = std::vector<std::int64_t>;
  /// A group whose state others are compared with.
  struct Compared {
    std::int64_t representative = 0;
    DescribedState described;
  };

  /// To the representative of a group that has just been split off.
  void give_own_counters(std::int64_t representative);
  void merge(const Compared& into, const Compared& from);
  [[nodiscard]] StreamingMultiprocessor& sm_of(std::int64_t number);

  const StreamingMultiprocessors& sms_;
  const SmSets& sets_;
  SmGroups& groups_;
  bool together_ = false;
  /// By SM: what a member's counters are above those of its representative, from before it joined.
  /// A representative's own are true. Empty until there is a difference.
  std::vector<Counters> ahead_;
  std::int64_t merges_to_skip_ = 0;
  std::int64_t skip_after_failure_ = 0;
  // At work; kept for their memory.
  std::vector<std::int64_t> isolated_;
  SmNumbers rest_;
  SmNumbers left_;
  SmNumbers part_;
  Counters own_;
  RecyclingQueue<Compared> compared_;
};

}  // namespace stcsim
