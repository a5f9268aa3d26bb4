#include "models/memory_bus/memory_bus.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

/// Hop of 10 cycles; ports of 50 bytes/clk to the SM, 20 from it.
class MemoryBusTest : public testing::Test {
 protected:
  MemoryBusTest() : core_(MemoryBusConfig{10, 50, 20}, 2) {
    for (const std::size_t sm : {0U, 1U}) {
      core_.to_shared_memory[sm] = &loads_[sm];
      core_.to_epilogue[sm] = &accepted_[sm];
    }
    core_.to_l2 = &stores_;
    core_.launch();
  }

  MemoryBus core_;
  test::RecordingPort<LoadResponse> loads_[2];
  test::RecordingPort<StoreAccepted> accepted_[2];
  test::RecordingPort<StoreRequest> stores_;
};

/// 120 bytes take 2.4 cycles, the next 30 the rest of the third cycle; then the hop.
TEST_F(MemoryBusTest, LoadsShareThePortOfTheirSm) {
  core_.load_data.push(Cycle(100), 0, {0, 0, 0, 120});
  core_.load_data.push(Cycle(100), 0, {0, 0, 1, 30});
  core_.load_data.push(Cycle(100), 0, {0, 0, 2, 1});
  core_.load_data.push(Cycle(100), 0, {1, 0, 0, 50});
  run_core(core_, Cycle(100), Cycle(200));
  EXPECT_EQ(loads_[0].arrivals(), (std::vector<std::int64_t>{113, 113, 114}));
  EXPECT_EQ(loads_[1].arrivals(), std::vector<std::int64_t>{111});
  EXPECT_EQ(bucket(core_.read_buckets(0, Cycle(120)), "busy"), 4);  // 3.02
  EXPECT_EQ(bucket(core_.read_buckets(0, Cycle(120)), "idle"), 116);
  EXPECT_EQ(bucket(core_.read_buckets(1, Cycle(120)), "busy"), 1);
  EXPECT_EQ(bucket(core_.write_buckets(0, Cycle(120)), "busy"), 0);
}

/// The epilogue goes on when its bytes have left the SM; the cache sees them a hop later.
TEST_F(MemoryBusTest, StoresTakeTheWritePort) {
  core_.stores.push(Cycle(5), 0, {0, 3, 100, true});
  core_.stores.push(Cycle(5), 1, {1, 0, 1, false});
  core_.stores.push(Cycle(6), 0, {0, 4, 40, false});
  run_core(core_, Cycle(5), Cycle(200));
  EXPECT_EQ(accepted_[0].arrivals(), (std::vector<std::int64_t>{10, 12}));
  EXPECT_EQ(accepted_[0].sent[0].message.slot, 3);
  EXPECT_EQ(accepted_[1].arrivals(), std::vector<std::int64_t>{6});
  EXPECT_EQ(stores_.arrivals(), (std::vector<std::int64_t>{20, 16, 22}));
  EXPECT_TRUE(stores_.sent[0].message.workspace);
  EXPECT_EQ(bucket(core_.write_buckets(0, Cycle(100)), "busy"), 7);
  EXPECT_EQ(bucket(core_.read_buckets(0, Cycle(100)), "busy"), 0);
}

TEST_F(MemoryBusTest, EmptyMessagesTakeOneCycleAndTheHop) {
  core_.load_data.push(Cycle(7), 0, {0, 0, 0, 0});
  core_.stores.push(Cycle(7), 0, {1, 0, 0, false});
  run_core(core_, Cycle(7), Cycle(200));
  EXPECT_EQ(loads_[0].arrivals(), std::vector<std::int64_t>{18});
  EXPECT_EQ(accepted_[1].arrivals(), std::vector<std::int64_t>{8});
}

TEST_F(MemoryBusTest, LaunchFreesThePorts) {
  core_.load_data.push(Cycle(0), 0, {0, 0, 0, 5000});
  run_core(core_, Cycle(0), Cycle(0));
  core_.launch();
  core_.load_data.push(Cycle(0), 0, {0, 0, 0, 50});
  run_core(core_, Cycle(0), Cycle(0));
  EXPECT_EQ(loads_[0].arrivals(), (std::vector<std::int64_t>{110, 11}));
}

}  // namespace
}  // namespace stcsim
