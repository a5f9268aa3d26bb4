#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/recycling_queue.hpp"
#include "models/base/state_visitor.hpp"
#include "models/base/time.hpp"
#include "models/base/unit_kind.hpp"
#include "models/epilogue/epilogue_config.hpp"
#include "models/shared_memory/shared_memory_config.hpp"

namespace stcsim {

/// Stores the output tiles of one SM's CTAs: CTAs prepare theirs side by side (see preparation),
/// then the port and the bus take them one CTA after the other, chunk by chunk: through shared
/// memory (so that rows leave coalesced), then over the bus. While a chunk is on the bus the next
/// one is staged. A kernel that reads C first waits for the tile's before it stages any; of that
/// read the latency is modelled, not the traffic.
class Epilogue {
 public:
  static constexpr UnitKind kKind{"epilogue", "stores of C, through shared memory and the bus"};
  static constexpr Hooks kHooks{.visit_ports = true,
                                .visit_statistics = true,
                                .waiting_for = true,
                                .settle = true,
                                .finish = true};

  Epilogue(const EpilogueConfig& config, const SharedMemoryConfig& memory, std::int64_t sm);

  /// The time of a CTA for its tile besides port and bus: its setup; the instructions for each
  /// element (of one group of warps, where several take turns); and for every trip of eight rows of
  /// each warp through shared memory two barriers and two latencies, one each way.
  [[nodiscard]] static Cycles preparation(const EpilogueConfig& config,
                                          const SharedMemoryConfig& memory,
                                          const KernelLaunch& kernel);
  /// From its start, at least, to the first chunk of output that can be stored, and to the last, of
  /// the smallest tile.
  [[nodiscard]] static Cycles to_first_chunk(const EpilogueConfig& config,
                                             const SharedMemoryConfig& memory,
                                             const KernelLaunch& kernel);
  [[nodiscard]] static Cycles to_last_chunk(const EpilogueConfig& config,
                                            const SharedMemoryConfig& memory,
                                            const KernelLaunch& kernel);

  Inbox<EpilogueStart> starts;
  Inbox<StagingResponse> staged;
  Inbox<StoreAccepted> accepted;
  Wired<OutPort<StagingRequest>*> staging;
  Wired<OutPort<StoreRequest>*> stores;
  Wired<OutPort<AccumulatorsFree>*> accumulators_free;
  Wired<OutPort<EpilogueDone>*> done;
  template <class Visitor>
  void visit_ports(Visitor& visitor) {
    visitor.in("starts", starts);
    visitor.in("staged", staged);
    visitor.in("accepted", accepted);
    visitor.out("staging", staging);
    visitor.out("stores", stores);
    visitor.out("accumulators_free", accumulators_free);
    visitor.out("done", done);
  }

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  void finish(Cycle end);

  /// True if a store waits for the bus to accept it.
  [[nodiscard]] bool has_stores_on_bus() const { return stores_on_bus_ > 0; }
  /// waiting_source: for C, of kernels that read it.
  template <class Visitor>
  void visit_statistics(Visitor& visitor, Cycle) const {
    visitor.bucket("setup", buckets_.in(Bucket::setup));
    visitor.bucket("waiting_source", buckets_.in(Bucket::waiting_source));
    visitor.bucket("waiting_shared_memory", buckets_.in(Bucket::waiting_shared_memory));
    visitor.bucket("waiting_bus", buckets_.in(Bucket::waiting_bus));
    visitor.bucket("idle", buckets_.in(Bucket::idle));
  }
  [[nodiscard]] std::string waiting_for() const;

  void settle(Cycle now) { buckets_.account(now, doing_); }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    const auto visit_job = [&](EpilogueStart& start) {
      visitor.value(start.slot);
      visitor.value(start.bytes);
    };
    starts.visit_state(visitor, visit_job);
    staged.visit_state(visitor, [](StagingResponse&) {});
    accepted.visit_state(visitor, [&](StoreAccepted& store) { visitor.value(store.slot); });
    visit_size(visitor, queue_);
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      visit_job(queue_[at].start);
      visitor.deadline(queue_[at].prepared);
    }
    visitor.value(doing_);
    visitor.deadline(wait_ends_);
    visitor.value(bytes_left_);
    if (!queue_.empty()) visitor.value(chunk_bytes_);
    visitor.value(stores_on_bus_);
    buckets_.visit_state(visitor);
  }

 private:
  enum class Bucket : std::uint8_t {
    setup,
    waiting_source,
    waiting_shared_memory,
    waiting_bus,
    idle,
    count
  };

  /// A CTA's tile, and when it is prepared.
  struct Job {
    EpilogueStart start;
    Cycle prepared;
  };

  void begin_next(Cycle now);
  void begin_chunks(Cycle now);
  void stage_chunks(Cycle now);
  void store_chunk(Cycle now);
  void end_if_stored(Cycle now);

  EpilogueConfig config_;
  SharedMemoryConfig memory_;
  Wired<std::int64_t> sm_;
  KernelLaunch kernel_;
  RecyclingQueue<Job> queue_;  // the front is being stored
  Bucket doing_ = Bucket::idle;
  Cycle wait_ends_;               // of the setup, or of the wait for C
  std::int64_t bytes_left_ = 0;   // not yet staged
  std::int64_t chunk_bytes_ = 0;  // being staged
  std::int64_t stores_on_bus_ = 0;
  BucketClock<Bucket> buckets_;
};

}  // namespace stcsim
