#pragma once

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "models/base/time.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim::test {

/// 128 bytes per clk, latency 20, barrier 5. SM 3, one sub-core.
class SharedMemoryTest : public testing::Test {
 protected:
  SharedMemoryTest() : core_(config(), 3) {
    core_.fragments.get() = {&fragments_};
    core_.barriers.get() = {&barriers_};
    core_.freed = &freed_;
    core_.staged = &staged_;
    launch(256);
  }

  static SharedMemoryConfig config() {
    SharedMemoryConfig config;
    config.latency_cycles = 20;
    config.barrier_cycles = 5;
    return config;
  }
  /// Two warps that read 256 bytes each per k-step; two stages of so many bytes.
  static KernelLaunch kernel(std::int64_t stage_bytes) {
    KernelLaunch launch;
    launch.warps = 2;
    launch.stages = 2;
    launch.warp.fragments.a = 256;
    launch.a.row_bytes = launch.b.row_bytes = 4;
    launch.a.rows = 1;
    launch.b.rows = stage_bytes / 4 - 1;
    return launch;
  }
  void launch(std::int64_t stage_bytes) {
    core_.launch(kernel(stage_bytes));
    start(0, 4);
  }

  void start(std::int64_t at, std::int64_t steps) { core_.starts.push(Cycle(at), 0, {0, steps}); }
  /// A k-step's operands, there at `at`; their first byte came at `since`.
  void fill(std::int64_t since, std::int64_t at, std::int64_t step) {
    core_.fills.push(Cycle(at), 0, {0, step, Cycle(since)});
  }
  /// Its last instruction was issued a cycle before.
  void fetch(std::int64_t at, std::int64_t warp, std::int64_t group) {
    core_.fetches.push(Cycle(at), 0, {0, 0, warp, group, kOneCycle});
  }
  void stage_output(std::int64_t at, std::int64_t bytes) {
    core_.staging.push(Cycle(at), 0, {bytes});
  }
  void run(std::int64_t until) { run_core(core_, Cycle(0), Cycle(until)); }
  /// When the stage of the `which`-th fragments was full, if they had to wait for that.
  [[nodiscard]] std::optional<Cycle> full_at(std::size_t which) const {
    return if_ever(fragments_.sent[which].message.stage_full_at);
  }

  SharedMemory core_;
  RecordingPort<FetchResponse> fragments_;
  RecordingPort<BarrierOpen> barriers_;
  RecordingPort<StageFree> freed_;
  RecordingPort<StagingResponse> staged_;
};

}  // namespace stcsim::test
