#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/base/unit_statistics.hpp"
#include "models/functional/datapath.hpp"
#include "models/shared_memory/shared_memory_config.hpp"

namespace stcsim {

/// Shared memory of one SM: one port of banks * bank_bytes per clk, and the full/free state of every
/// CTA's pipeline stages. The port serves fills, fragment reads and epilogue staging in order of
/// arrival. A fragment read waits until its stage is full and until all warps of the CTA have read
/// the stage before (the barrier of the main loop).
class SharedMemory {
 public:
  SharedMemory(const SharedMemoryConfig& config, std::int64_t sm, std::int64_t sub_cores);

  Inbox<CtaStart> starts;
  Inbox<LoadResponse> fills;
  Inbox<FetchRequest> fetches;
  Inbox<StagingRequest> staging;
  std::vector<OutPort<FetchResponse>*> fragments;  // by sub-core
  OutPort<StageFree>* freed = nullptr;
  OutPort<StagingResponse>* staged = nullptr;
  Datapath* datapath = nullptr;

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);

  /// Buckets: fill, fetch, staging, idle.
  [[nodiscard]] UnitBuckets buckets(Cycle end) const;
  [[nodiscard]] std::int64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::int64_t written_bytes() const { return written_bytes_; }
  [[nodiscard]] std::string waiting_for() const;

 private:
  struct Stage {
    std::int64_t loads_missing = 0;
    std::int64_t reads_missing = 0;
    Cycle full_at;
  };
  struct Slot {
    std::int64_t open_step = 0;  // steps beyond it wait for the barrier
    Cycle open_at;
    std::vector<Stage> stages;
    std::vector<FetchRequest> waiting;
  };

  void start_cta(const CtaStart& start, Cycle now);
  void fill(const LoadResponse& response, Cycle now);
  void stage_output(const StagingRequest& request, Cycle now);
  void serve_waiting(Slot& slot, Cycle now);
  void serve(Slot& slot, const FetchRequest& request, Cycle now);
  void end_step(Slot& slot, std::int64_t slot_index, std::int64_t step, Cycle read_out);
  /// When the request may be served: the past, a known future cycle, or not yet known.
  [[nodiscard]] std::optional<Cycle> servable_at(const Slot& slot, const FetchRequest& request) const;
  /// Queues a transfer at the port; returns its start and end.
  struct Grant {
    Cycle start;
    Cycle end;
  };
  Grant occupy_port(Cycle now, std::int64_t bytes, Cycles& bucket);
  [[nodiscard]] Stage& stage_of(Slot& slot, std::int64_t step);
  [[nodiscard]] std::int64_t step_of(const FetchRequest& request) const {
    return request.group / kernel_.warp.groups_per_step;
  }

  SharedMemoryConfig config_;
  std::int64_t sm_;
  KernelLaunch kernel_;
  std::vector<Slot> slots_;
  Cycle port_free_at_;
  Cycles fill_cycles_;
  Cycles fetch_cycles_;
  Cycles staging_cycles_;
  std::int64_t read_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
};

}  // namespace stcsim
