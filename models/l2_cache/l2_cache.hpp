#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/bandwidth_server.hpp"
#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/message_state.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/unit_statistics.hpp"
#include "models/l2_cache/access_log.hpp"
#include "models/l2_cache/l2_cache_config.hpp"

namespace stcsim {

/// The L2 cache. It manages operand slices (one strip of one operand for one k-step), replaced
/// first-in first-out: a slice stays as long as it is among the last capacity_bytes brought in (the
/// replacement policy of real machines is not published). A slice that is already on its way from
/// DRAM is not fetched twice. Output is written through to DRAM, except for split-K workspace that
/// fits.
class L2Cache {
 public:
  /// @param hop_cycles  way between an SM and the cache, which the hit latencies include twice
  L2Cache(const L2CacheConfig& config, Cycles hop_cycles);

  Inbox<LoadRequest> loads;
  Inbox<StoreRequest> stores;
  Inbox<DramResponse> fills;
  OutPort<LoadResponse>* responses = nullptr;
  OutPort<DramRequest>* dram = nullptr;
  OutPort<StoreDone>* stores_done = nullptr;

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// Buckets of the read path and of the write path: busy, idle.
  [[nodiscard]] UnitBuckets read_buckets(Cycle end) const;
  [[nodiscard]] UnitBuckets write_buckets(Cycle end) const;
  [[nodiscard]] std::int64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::int64_t hit_bytes() const { return hit_bytes_; }
  [[nodiscard]] std::int64_t written_bytes() const { return written_bytes_; }
  [[nodiscard]] std::string waiting_for() const;

  /// If set, every access is noted in it.
  L2AccessLog* log = nullptr;
  [[nodiscard]] std::int64_t fills_requested() const { return fills_requested_; }

  /// Checks how far the accesses of a recurring period repeat. Applies them, moved by one period at
  /// a time, to the cache's contents (not to time), as long as each would be answered as it was in
  /// `log`: same size, hit or miss, partition. Stops before the first block of `block` periods in
  /// which one would not. Returns the periods applied, at most `most`, a multiple of `block`.
  std::int64_t replay(const L2AccessLog& accesses, const Period& period, std::int64_t most,
                      std::int64_t block);

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    loads.visit_state(visitor,
                      [&](LoadRequest& request) { visit_load(visitor, kernel_, request); });
    stores.visit_state(visitor, visit_store(visitor));
    fills.visit_state(visitor, [&](DramResponse& response) { visitor.fill(response.fill); });
    for (const Waiting& waiting : waiting_) slice_of(waiting.request).on_its_way = false;
    visitor.value(waiting_.size());
    for (Waiting& waiting : waiting_) {
      visitor.fill(waiting.fill);
      visit_load(visitor, kernel_, waiting.request);
    }
    for (const Waiting& waiting : waiting_) {
      slice_of(waiting.request).on_its_way = true;
      slice_of(waiting.request).fill = waiting.fill;
    }
    visitor.counter(fills_requested_);
    read_path_.visit_state(visitor);
    write_path_.visit_state(visitor);
    visitor.counter(read_bytes_);
    visitor.counter(hit_bytes_);
    visitor.counter(written_bytes_);
  }

 private:
  struct Slice {
    std::int64_t filled_at = kNever;  // brought_in_ when it was requested from DRAM
    bool on_its_way = false;
    std::int64_t fill = 0;  // the number of that request
  };
  struct Waiting {
    std::int64_t fill;
    LoadRequest request;
  };
  struct Undo {
    std::int64_t slice;
    std::int64_t filled_at;
  };
  static constexpr std::int64_t kNever = -1;

  void load(const LoadRequest& request, Cycle now);
  void fill(const DramResponse& response, Cycle now);
  void store(const StoreRequest& request, Cycle now);
  void respond(const LoadRequest& request, Cycle now);
  [[nodiscard]] std::int64_t index_of(Operand operand, std::int64_t strip,
                                      std::int64_t slice) const;
  [[nodiscard]] Slice& slice_of(const LoadRequest& request) {
    return slices_[static_cast<std::size_t>(
        index_of(request.operand, request.strip, request.slice))];
  }
  bool replay_access(const L2Access& access, const Period& period, std::int64_t times,
                     std::int64_t written_before, std::vector<Undo>& undo);
  bool replay_load(const L2Access& access, const CtaPosition& position, std::int64_t step,
                   std::vector<Undo>& undo);
  [[nodiscard]] bool stays(std::int64_t written_bytes) const;
  [[nodiscard]] bool is_resident(const Slice& slice) const;

  L2CacheConfig config_;
  Cycles hop_cycles_;
  KernelLaunch kernel_;
  BandwidthServer read_path_;
  BandwidthServer write_path_;
  std::vector<Slice> slices_;  // operand A's, then operand B's
  std::int64_t first_b_slice_ = 0;
  std::vector<Waiting> waiting_;  // requests for slices on their way
  std::int64_t fills_requested_ = 0;
  std::int64_t brought_in_ = 0;  // bytes, since launch
  std::int64_t read_bytes_ = 0;
  std::int64_t hit_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
};

}  // namespace stcsim
