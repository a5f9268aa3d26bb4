#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/accelerator/accelerator_config.hpp"
#include "models/accelerator/sm_router.hpp"
#include "models/base/core_unit.hpp"
#include "models/base/shared_state.hpp"
#include "models/cta_scheduler/cta_scheduler.hpp"
#include "models/dram/dram.hpp"
#include "models/l2_cache/l2_cache.hpp"
#include "models/memory_bus/memory_bus.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

namespace stcsim {

/// The whole machine as a module: the units that all SMs share, the SMs, and every wire between
/// them.
class BlockDiagram : public Unit {
 public:
  /// @param construction_seed  shuffles the order in which units are constructed (0 = the natural
  ///                           order)
  BlockDiagram(const sc_core::sc_module_name& name, const AcceleratorConfig& machine,
               std::uint64_t construction_seed);

  AcceleratorConfig config;
  SharedState shared;
  std::unique_ptr<Clockless<CtaScheduler>> cta_scheduler;
  std::unique_ptr<Clockless<MemoryBus>> memory_bus;
  std::unique_ptr<Clockless<L2Cache>> l2_cache;
  std::unique_ptr<Clockless<Dram>> dram;
  StreamingMultiprocessors sms;
  /// No hardware: it knows who is simulated for whom.
  std::unique_ptr<SmRouter> router;

  /// The units that act and that all SMs share.
  [[nodiscard]] const std::vector<ClocklessUnit*>& shared_units() const { return shared_units_; }
  /// All units that have statistics, each before those inside it.
  [[nodiscard]] const std::vector<const Unit*>& telling_units() const { return telling_units_; }
  /// Activations of all units and of the router, since construction.
  [[nodiscard]] std::int64_t activations() const;
  /// Calls `visit(unit)` for the units of the SMs that are simulated, and for those they share.
  template <class Visit>
  void for_each_simulated(Visit&& visit) {
    for (ClocklessUnit* const unit : shared_units_) visit(*unit);
    for (const std::int64_t sm : shared.groups.representatives()) {
      for (ActiveUnit* const unit : sms[static_cast<std::size_t>(sm)]->units()) visit(*unit);
    }
  }
  /// Calls `visit(unit)` for every unit that acts.
  template <class Visit>
  void for_each_acting(Visit&& visit) {
    for (ClocklessUnit* const unit : shared_units_) visit(*unit);
    for (const auto& sm : sms) {
      for (ActiveUnit* const unit : sm->units()) visit(*unit);
    }
  }

 private:
  using Steps = std::vector<std::function<void()>>;
  void plan_shared_units(Steps& steps);
  void plan_sms(Steps& steps, std::uint64_t construction_seed);
  void connect_shared_units();
  void connect_sm(StreamingMultiprocessor& sm);

  std::vector<ClocklessUnit*> shared_units_;
  std::vector<const Unit*> telling_units_;
};

}  // namespace stcsim
