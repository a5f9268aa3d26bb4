#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/memory_bus/memory_bus.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim::test {

/// Three SMs; hop of 10 cycles; ports of 50 bytes/clk to the SM, 20 from it. Two CTAs in each SM
/// with two stages and 8 k-steps, the last one half as long. A full tile of C has 1000 bytes.
class MemoryBusTest : public testing::Test {
 protected:
  MemoryBusTest() : sets_(3), core_(MemoryBusConfig{10, 50, 20}, sets_, resident_) {
    core_.to_shared_memory = &fills_;
    core_.to_epilogue = &accepted_;
    core_.to_l2 = &stores_;
    core_.launch(kernel());
    resident_.launch(kernel(), 3);
    for (const std::int64_t sm : {0, 1, 2}) {
      for (const std::int64_t slot : {0, 1}) give(sm, slot, 50, 50);
    }
  }
  static KernelLaunch kernel() {
    KernelLaunch launch;
    launch.ctas_per_sm = 2;
    launch.stages = 2;
    launch.k_steps = 8;
    launch.a.row_bytes = launch.b.row_bytes = 2;
    launch.a.edge_row_bytes = launch.b.edge_row_bytes = 1;
    launch.edge_m = 100;
    launch.edge_n = 10;
    launch.epilogue.element_bytes = 1;
    return launch;
  }
  /// Puts a CTA into a slot that loads so many bytes in every full k-step. Even numbers.
  void give(std::int64_t sm, std::int64_t slot, std::int64_t a_bytes, std::int64_t b_bytes,
            std::int64_t store_bytes = 1000) {
    ResidentCta cta;
    cta.rows = {a_bytes / 2, b_bytes / 2};
    cta.steps = 8;
    cta.store_bytes = store_bytes;
    resident_.assign(sm, slot, cta);
  }
  /// Data of an operand that come from cycle `first` to `last`.
  void data(std::int64_t first, std::int64_t last, Operand operand, std::int64_t step,
            const SmNumbers& sms = {0}, std::int64_t slot = 0) {
    core_.load_data.push(Cycle(first), 0, {slot, operand, step, Cycle(last), sets_.find(sms)});
  }
  /// Both operands of a k-step at once.
  void stage(std::int64_t at, std::int64_t step, const SmNumbers& sms, std::int64_t slot = 0) {
    data(at, at, Operand::a, step, sms, slot);
    data(at, at, Operand::b, step, sms, slot);
  }
  void store(std::int64_t at, std::int64_t slot, std::int64_t offset, std::int64_t bytes,
             const SmNumbers& sms) {
    core_.stores.push(Cycle(at), sms.front(), {slot, offset, bytes, sets_.find(sms)});
  }
  void run() { run_core(core_, Cycle(0), Cycle(100000)); }
  [[nodiscard]] SmNumbers filled(std::size_t which) const {
    return sets_.members(fills_.sent[which].message.sms);
  }
  [[nodiscard]] SmNumbers accepted(std::size_t which) const {
    return sets_.members(accepted_.sent[which].message.sms);
  }
  /// Bytes of every message to the cache.
  [[nodiscard]] std::vector<std::int64_t> stored() const {
    std::vector<std::int64_t> bytes;
    for (const auto& one : stores_.sent) bytes.push_back(one.message.bytes);
    return bytes;
  }

  SmSets sets_;
  ResidentCtas resident_;
  MemoryBus core_;
  RecordingPort<StageFill> fills_;
  RecordingPort<StoreAccepted> accepted_;
  RecordingPort<StoreData> stores_;
};

}  // namespace stcsim::test
