#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/accelerator/block_diagram.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim::test {

/// The tiny machine with some SMs (a way on the bus takes 40 cycles), elaborated, with a launch
/// prepared of which nothing has happened yet. Nobody gives out CTAs: the tests play the other
/// units.
class DiagramTest : public testing::Test {
 protected:
  static AcceleratorConfig machine_of(std::int64_t sms) {
    AcceleratorConfig config = tiny_machine().accelerator;
    config.num_sms = sms;
    return config;
  }
  explicit DiagramTest(std::int64_t sms) : machine_("accelerator", machine_of(sms), 0) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
  }

  /// `rows` tiles below each other, all but the last alike, of `k_steps` k-steps; stages of 100
  /// bytes; output is stored directly.
  static KernelLaunch kernel(std::int64_t rows, std::int64_t k_steps) {
    KernelLaunch launch;
    launch.tiles_m = launch.raster_group = rows;
    launch.k_steps = k_steps;
    launch.tile_m = launch.edge_m = 10;
    launch.tile_n = launch.edge_n = 10;
    launch.a = {rows, 10, 10, 10, 10, rows, k_steps};
    launch.b = {1, 10, 10, 10, 10, 1, k_steps};
    launch.warp.instructions_per_group = 1;
    launch.epilogue.staging_bytes_per_element = 0;
    return launch;
  }
  /// @param together  all SMs in one group, which may run ahead
  void launch(const KernelLaunch& launch, bool together) {
    machine_.shared.clock.restart();
    machine_.router->launch(together, launch.ctas());
    for (const auto& sm : machine_.sms) sm->prepare(together);
    machine_.for_each_acting([&](ActiveUnit& unit) { unit.launch(launch); });
  }

  /// Everything that happens in this cycle.
  static void settle() {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// Lets time pass, to the end of a cycle.
  void run_until(Cycle at) {
    sc_core::sc_start(sc_time_of(at - now()));
    settle();
  }
  [[nodiscard]] Cycle now() const { return machine_.shared.clock.now(); }
  [[nodiscard]] StreamingMultiprocessor& sm(std::int64_t number) {
    return *machine_.sms[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] SmSet set(const SmNumbers& sms) { return machine_.shared.sets.find(sms); }
  /// Numbers of the SMs of every group, each after its representative's.
  [[nodiscard]] std::vector<SmNumbers> groups() const {
    std::vector<SmNumbers> all;
    const SmGroups& groups = machine_.shared.groups;
    for (const std::int64_t one : groups.representatives()) {
      all.push_back(machine_.shared.sets.members(groups.members(one)));
    }
    return all;
  }
  [[nodiscard]] DescribedState described(std::int64_t number) {
    DescribedState into;
    sm(number).describe(into);
    return into;
  }
  /// Gives an SM something to do in a later cycle, which tells its state from the others'.
  void plan_something(std::int64_t number, Cycle at) {
    sm(number).cta_slots->core.assignments.push(at, 0, {number, 0, 3, 0});
  }

  BlockDiagram machine_;
};

}  // namespace stcsim::test
