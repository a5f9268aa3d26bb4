#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/l2_cache/l2_cache.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim::test {

/// 5000 bytes, of which the first eighth of a slice is gone after 1495; 100 bytes/clk read, 50
/// written; near hits after 60 cycles, far ones after 90, of which two hops of 20 are spent
/// elsewhere; interleaved every 400 bytes; lines of 10 bytes.
///
/// Four SMs. Slot s of each holds the CTA of tile (s, 0): strip s of A, strip 0 of B. There are two
/// tiles and four k-steps, so a k-step is a slice. All slices have 200 bytes. SM 0 is near the
/// slices whose strip and slice add up to an even number, SM 1 near the others, and so on.
class L2CacheTest : public testing::Test {
 protected:
  static constexpr DramConfig kDram{.burst_bytes = 10};

  L2CacheTest()
      : sets_(4), core_({7500, 100, 50, 60, 90, 400, 1}, Cycles(20), kDram, sets_, resident_) {
    core_.responses = &responses_;
    core_.dram = &dram_;
    core_.stores_done = &stores_done_;
    launch(kernel());
  }

  static KernelLaunch kernel(std::int64_t slice_bytes = 200) {
    KernelLaunch launch;
    launch.tiles_m = 2;
    launch.ctas_per_sm = 2;
    launch.k_steps = 4;
    launch.warp.instruction = MmaInstruction{};  // other kernels have a part of the cache
    launch.a = {2, slice_bytes, slice_bytes, 1, 1, 2, 4};
    launch.b = {1, slice_bytes, slice_bytes, 1, 1, 1, 4};
    return launch;
  }
  void launch(const KernelLaunch& kernel) {
    core_.launch(kernel);
    resident_.launch(kernel, 4);
    for (const std::int64_t sm : {0, 1, 2, 3}) {
      for (const std::int64_t slot : {0, 1}) resident_.assign(sm, slot, {kernel, slot});
    }
  }

  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }
  /// A request for A; run() has to follow.
  void ask(std::int64_t at, std::int64_t slice, const SmNumbers& sms = {0}, std::int64_t slot = 0,
           Operand operand = Operand::a) {
    core_.loads.push(Cycle(at), sms.front(), {slot, operand, slice, sets_.find(sms)});
  }
  void load(std::int64_t at, std::int64_t slice, const SmNumbers& sms = {0},
            std::int64_t slot = 0) {
    ask(at, slice, sms, slot);
    run(at);
  }
  /// The answer to the request to DRAM of that number, from cycle `first` to `last`.
  void fill(std::int64_t first, std::int64_t last, std::size_t request) {
    core_.fills.push(Cycle(first), 0, {dram_.sent[request].message.fill, Cycle(last)});
    run(first);
  }
  /// Loads a slice that is not there and brings it in 10 cycles later, all at once.
  void bring_in(std::int64_t at, std::int64_t slice, std::int64_t slot = 0) {
    load(at, slice, {0}, slot);
    fill(at + 10, at + 10, dram_.sent.size() - 1);
    responses_.sent.clear();
  }
  /// Bytes that loading the slice asks DRAM for.
  std::int64_t missed(std::int64_t at, std::int64_t slice) {
    const std::size_t before = dram_.sent.size();
    load(at, slice);
    return dram_.sent.size() == before ? 0 : dram_.sent.back().message.bytes;
  }
  bool hits(std::int64_t at, std::int64_t slice) { return missed(at, slice) == 0; }
  void store(std::int64_t at, std::int64_t bytes) { core_.stores.push(Cycle(at), 0, {bytes}); }
  /// When the last byte of every response arrives.
  [[nodiscard]] std::vector<std::int64_t> ends() const {
    std::vector<std::int64_t> all;
    for (const auto& response : responses_.sent) all.push_back(response.message.last.index());
    return all;
  }
  [[nodiscard]] SmNumbers sms_of(std::size_t response) const {
    return sets_.members(responses_.sent[response].message.sms);
  }

  SmSets sets_;
  ResidentCtas resident_;
  L2Cache core_;
  RecordingPort<LoadResponse> responses_;
  RecordingPort<DramRequest> dram_;
  RecordingPort<StoreDone> stores_done_;
};

}  // namespace stcsim::test
