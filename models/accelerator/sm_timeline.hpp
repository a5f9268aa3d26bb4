#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/accelerator/timeline.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/shared_state.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

namespace stcsim {

/// Watches SM 0 through a launch and writes down what its units do. Buckets are read off their
/// statistics after every turn; transfers through the port of shared memory, stages, barriers and
/// CTAs are told.
class SmTimeline final : public Datapath, public TurnWatcher {
 public:
  /// @param sm  SM 0, whose units it watches until it is destroyed
  /// @param has_fill_port  of its shared memory: copies are not in the way of reads
  SmTimeline(const StreamingMultiprocessor& sm, const LaunchClock& clock,
             const KernelLaunch& kernel, bool has_fill_port);
  ~SmTimeline() override;

  void begin_cta(std::int64_t sm, std::int64_t slot, const CtaCoordinates& cta) override;
  void request_step(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void fill_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void fill_port(std::int64_t sm, std::int64_t slot, std::int64_t step, Cycle begin,
                 Cycles length) override;
  void read_port(std::int64_t sm, Cycle begin, Cycles length, bool is_staging) override;
  void reach_barrier(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void open_barrier(std::int64_t sm, std::int64_t slot, std::int64_t step, Cycle at) override;
  void fetch_fragments(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                       std::int64_t) override {}
  void execute_mma(std::int64_t sm, std::int64_t slot, std::int64_t warp, std::int64_t step,
                   std::int64_t group) override;
  void release_stage(std::int64_t sm, std::int64_t slot, std::int64_t step) override;
  void store_tile(std::int64_t sm, std::int64_t slot) override;
  void end_cta(std::int64_t sm, std::int64_t slot) override;
  void acted(const Unit& unit) override;

  /// @param end  of the launch, or of the window if that ended first
  [[nodiscard]] Timeline finish(Cycle end, bool is_whole);

 private:
  using SlotStep = std::pair<std::int64_t, std::int64_t>;
  /// A unit whose buckets are slices.
  struct Watched {
    std::size_t track = 0;
    std::vector<std::pair<std::string, Cycles>> seen;
    Cycle until;               // what it has accounted
    std::int64_t busy = 0;     // of mma, that no slice has yet
    SlotStep at_work{-1, -1};  // since its last turn
  };
  /// A k-step's operands, from their request to the last read.
  struct Step {
    SlotStep of;
    Cycle asked;
    Cycle full = kNever;
    Cycle released = kNever;
    Cycle port_begin = kNever;
    Cycles port_length;
    TimelineFlow::Place first_use;
  };

  [[nodiscard]] Step& step_at(std::int64_t slot, std::int64_t step);
  [[nodiscard]] std::vector<TimelineSlice>& slices_of_slot(std::int64_t slot);
  [[nodiscard]] std::size_t stage_track(const SlotStep& of) const;
  void add(std::size_t track, const TimelineSlice& slice);
  void lay_out(const Unit& unit, Watched& watched);
  void draw_fills();
  void draw_stages();
  void draw_flows();

  const StreamingMultiprocessor& sm_;
  const LaunchClock& clock_;
  std::int64_t slots_;
  std::int64_t stages_;
  Timeline timeline_;
  // Places among the tracks; of slots and stages, the first.
  std::size_t ctas_ = 0;
  std::size_t copies_ = 0;
  std::size_t stage_tracks_ = 0;
  std::size_t barriers_ = 0;
  std::size_t fill_track_ = 0;
  std::size_t port_ = 0;
  std::map<const Unit*, Watched> watched_;
  std::vector<Step> steps_;
  std::map<SlotStep, std::size_t> step_of_;  // the last of that name
  std::map<SlotStep, Cycle> reached_;        // barriers that are not open yet
  std::vector<SlotStep> started_;            // by the unit whose turn it is
};

}  // namespace stcsim
