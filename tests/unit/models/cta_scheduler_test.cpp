#include "models/cta_scheduler/cta_scheduler.hpp"

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::run_core;

/// Five tiles of 2 x 3 elements of 4 bytes along m, the last one a row lower; two CTAs per SM.
KernelLaunch kernel() {
  KernelLaunch launch;
  launch.tiles_m = 5;
  launch.ctas_per_sm = 2;
  launch.tile_m = 2;
  launch.tile_n = launch.edge_n = 3;
  launch.edge_m = 1;
  launch.epilogue.element_bytes = 4;
  return launch;
}
constexpr std::int64_t kAllBytes = (4 * 2 + 1) * 3 * 4;

/// Launch 50 cycles, one dispatch in 3.
class CtaSchedulerTest : public testing::Test {
 protected:
  CtaSchedulerTest() : core_(CtaSchedulerConfig{50, 3, 0}, 2) {
    core_.sms = {&sms_[0], &sms_[1]};
    core_.launch(kernel());
  }
  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }
  void cta_done(std::int64_t at, std::int64_t sm) {
    core_.ctas_done.push(Cycle(at), sm, {sm});
    run(at);
  }
  void store_done(std::int64_t at, std::int64_t bytes) {
    core_.stores_done.push(Cycle(at), 0, {bytes});
    run(at);
  }

  CtaScheduler core_;
  test::RecordingPort<CtaAssignment> sms_[2];
};

TEST_F(CtaSchedulerTest, FillsTheSmsBreadthFirstOneCtaPerInterval) {
  EXPECT_EQ(core_.first_dispatch(), Cycle(50));
  run(50);
  EXPECT_EQ(sms_[0].arrivals(), (std::vector<std::int64_t>{51, 57}));
  EXPECT_EQ(sms_[1].arrivals(), (std::vector<std::int64_t>{54, 60}));
  EXPECT_EQ(sms_[0].sent[1].message.position.tile_m, 2);
  EXPECT_EQ(sms_[1].sent[1].message.position.tile_m, 3);
}

TEST_F(CtaSchedulerTest, RefillsASlotWhenItIsFree) {
  run(50);
  cta_done(200, 1);
  ASSERT_EQ(sms_[1].arrivals(), (std::vector<std::int64_t>{54, 60, 201}));
  EXPECT_EQ(sms_[1].sent[2].message.position.tile_m, 4);
}

TEST_F(CtaSchedulerTest, EndsWhenAllCtasAreDoneAndAllStoresVisible) {
  run(50);
  cta_done(200, 1);
  for (const std::int64_t sm : {0, 0, 1, 1}) cta_done(300 + sm, sm);
  EXPECT_EQ(core_.ended(), std::nullopt);
  EXPECT_EQ(core_.waiting_for(), "CTA scheduler: 5 of 5 CTAs done, 5 dispatched, " +
                                     std::to_string(kAllBytes) + " bytes not yet stored");
  store_done(400, kAllBytes - 4);
  EXPECT_EQ(core_.ended(), std::nullopt);
  store_done(410, 4);
  EXPECT_EQ(core_.ended(), Cycle(410));
  EXPECT_EQ(core_.waiting_for(), "");
}

TEST_F(CtaSchedulerTest, EndsWithTheLastCtaIfItsStoresWereFaster) {
  run(50);
  cta_done(200, 1);
  store_done(250, kAllBytes);
  for (const std::int64_t at : {300, 310, 320, 330}) cta_done(at, at / 20 % 2);
  EXPECT_EQ(core_.ended(), Cycle(330));
}

TEST_F(CtaSchedulerTest, LaunchAndDispatchTakeAtLeastACycle) {
  CtaScheduler core(CtaSchedulerConfig{0, 0, 0}, 1);
  core.sms = {&sms_[0]};
  core.launch(kernel());
  run_core(core, core.first_dispatch(), Cycle(100));
  EXPECT_EQ(sms_[0].arrivals(), (std::vector<std::int64_t>{2, 3}));
}

TEST_F(CtaSchedulerTest, LaunchStartsAnew) {
  run(50);
  core_.launch(kernel());
  run(50);
  EXPECT_EQ(sms_[0].arrivals(), (std::vector<std::int64_t>{51, 57, 51, 57}));
  EXPECT_EQ(sms_[0].sent[2].message.position, sms_[0].sent[0].message.position);
}

}  // namespace
}  // namespace stcsim
