#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/inbox.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/messages.hpp"
#include "models/base/port.hpp"
#include "models/functional/datapath.hpp"

namespace stcsim {

/// Control of one SM: puts CTAs into slots, starts the SM's units on them, and moves a CTA from its
/// main loop to its epilogue when its last warp is done.
class StreamingMultiprocessor {
 public:
  /// @param cta_setup  from a CTA's arrival to its first copy and fragment fetch
  StreamingMultiprocessor(std::int64_t sm, Cycles cta_setup);

  Inbox<CtaAssignment> assignments;
  Inbox<WarpDone> warps_done;
  Inbox<EpilogueDone> epilogues_done;
  std::vector<OutPort<CtaStart>*> starts;  // copy engine, shared memory, sub-cores
  OutPort<EpilogueStart>* epilogue = nullptr;
  OutPort<CtaDone>* ctas_done = nullptr;
  Datapath* datapath = nullptr;

  void launch(const KernelLaunch& kernel);
  [[nodiscard]] std::optional<Cycle> advance(Cycle now);
  [[nodiscard]] std::string waiting_for() const;

 private:
  struct Slot {
    bool occupied = false;
    CtaPosition position;
    std::int64_t warps_left = 0;
  };

  void start_cta(const CtaAssignment& assignment, Cycle now);
  void end_warp(const WarpDone& warp, Cycle now);
  void end_cta(const EpilogueDone& epilogue_done, Cycle now);

  std::int64_t sm_;
  Cycles cta_setup_;
  KernelLaunch kernel_;
  std::vector<Slot> slots_;
};

}  // namespace stcsim
