#include "models/cta_scheduler/cta_scheduler.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"

namespace stcsim {
namespace {

using test::run_core;

/// Five tiles of 2 x 3 elements of 4 bytes along m, the last one a row lower; two CTAs per SM.
KernelLaunch scheduled_kernel() {
  KernelLaunch launch;
  launch.tiles_m = 5;
  launch.ctas_per_sm = 2;
  launch.k_steps = 3;
  launch.tile_m = 2;
  launch.tile_n = launch.edge_n = 3;
  launch.edge_m = 1;
  launch.epilogue.element_bytes = 4;
  launch.warp.instruction = MmaInstruction{};
  return launch;
}
constexpr std::int64_t kAllBytes = (4 * 2 + 1) * 3 * 4;

class Watch : public ProgressObserver {
 public:
  void step_read(std::int64_t, std::int64_t) override {}
  void cta_dispatched(std::int64_t sm) override { sms.push_back(sm); }
  std::vector<std::int64_t> sms;
};

/// Launch 50 cycles, two SMs.
class CtaSchedulerTest : public testing::Test {
 protected:
  /// Arrival, CTA, SM, slot.
  using Given = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  CtaSchedulerTest() : sets_(2), core_(CtaSchedulerConfig{50, 0}, sets_, resident_) {
    core_.assignments = &assignments_;
    core_.launch(scheduled_kernel());
  }
  void launch_with_slots(std::int64_t ctas_per_sm, std::int64_t tiles) {
    KernelLaunch launch = scheduled_kernel();
    launch.ctas_per_sm = ctas_per_sm;
    launch.tiles_m = tiles;
    core_.launch(launch);
  }
  void run(std::int64_t from) { run_core(core_, Cycle(from), Cycle(100000)); }
  void done(std::int64_t at, std::int64_t slot, const SmNumbers& sms) {
    core_.ctas_done.push(Cycle(at), sms.front(), {slot, sets_.find(sms)});
    run(at);
  }
  void store_done(std::int64_t at, std::int64_t bytes) {
    core_.stores_done.push(Cycle(at), 0, {bytes});
    run(at);
  }
  /// CTAs handed out, from the `first`-th on.
  [[nodiscard]] std::vector<Given> given(std::size_t first = 0) const {
    std::vector<Given> all;
    for (std::size_t at = first; at < assignments_.sent.size(); ++at) {
      const auto& [when, cta] = assignments_.sent[at];
      all.emplace_back(when.index(), cta.cta, cta.sm, cta.slot);
    }
    return all;
  }

  SmSets sets_;
  ResidentCtas resident_;
  CtaScheduler core_;
  test::RecordingPort<CtaAssignment> assignments_;
};

TEST_F(CtaSchedulerTest, FillsAllSlotsInOneCycleBreadthFirst) {
  EXPECT_EQ(core_.first_dispatch(), Cycle(50));
  run(50);
  EXPECT_EQ(given(),
            (std::vector<Given>{{51, 0, 0, 0}, {51, 1, 1, 0}, {51, 2, 0, 1}, {51, 3, 1, 1}}));
  EXPECT_EQ(core_.dispatched(), 4);
}

TEST_F(CtaSchedulerTest, CtasLeftOutCountAsDone) {
  run(50);
  core_.leave_out(1);
  done(60, 0, {1});
  EXPECT_EQ(given(4), (std::vector<Given>{}));
  done(61, 1, {1});
  done(62, 0, {0});
  done(63, 1, {0});
  store_done(64, 4 * 2 * 3 * 4);
  EXPECT_EQ(core_.ended(), Cycle(64));
}

TEST_F(CtaSchedulerTest, HandsOutNoMoreThanThereAre) {
  launch_with_slots(4, 3);
  run(50);
  EXPECT_EQ(given(), (std::vector<Given>{{51, 0, 0, 0}, {51, 1, 1, 0}, {51, 2, 0, 1}}));
}

TEST_F(CtaSchedulerTest, RefillsASlotWhenItIsFree) {
  run(50);
  done(200, 0, {1});
  EXPECT_EQ(given(4), (std::vector<Given>{{201, 4, 1, 0}}));
}

/// Of the four CTAs that are left SM 0 takes on three, one for each slot, though only one is free.
TEST_F(CtaSchedulerTest, AnSmTakesOnAsManyCtasAsItHasSlots) {
  launch_with_slots(3, 10);
  run(50);
  core_.ctas_done.push(Cycle(200), 1, {0, SmSets::alone(1)});
  core_.ctas_done.push(Cycle(200), 1, {2, SmSets::alone(1)});
  core_.ctas_done.push(Cycle(200), 1, {1, SmSets::alone(1)});
  done(200, 2, {0});
  EXPECT_EQ(given(6), (std::vector<Given>{{201, 6, 0, 2}, {201, 7, 1, 0}}));
  done(300, 0, {0});
  EXPECT_EQ(given(8), (std::vector<Given>{{301, 8, 0, 0}}));
}

/// Of what does not multiply the four CTAs that are left go round the SMs that have free slots.
TEST_F(CtaSchedulerTest, CtasThatStreamGoRoundTheSms) {
  KernelLaunch launch = scheduled_kernel();
  launch.ctas_per_sm = 3;
  launch.tiles_m = 10;
  launch.warp.instruction.reset();
  core_.launch(launch);
  run(50);
  core_.ctas_done.push(Cycle(200), 1, {0, SmSets::alone(1)});
  core_.ctas_done.push(Cycle(200), 0, {2, SmSets::alone(0)});
  done(200, 1, {0});
  EXPECT_EQ(given(6), (std::vector<Given>{{201, 6, 0, 1}, {201, 7, 1, 0}, {201, 8, 0, 2}}));
  done(300, 2, {1});
  EXPECT_EQ(given(9), (std::vector<Given>{{301, 9, 1, 2}}));
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 5);
  launch.warp.instruction = MmaInstruction{};
  EXPECT_EQ(CtaScheduler::most_ctas_of_an_sm(launch, 2), 6);
}

TEST_F(CtaSchedulerTest, OneMessageFreesTheSlotsOfASetOfSms) {
  launch_with_slots(2, 8);
  run(50);
  done(200, 1, {0, 1});
  EXPECT_EQ(given(4), (std::vector<Given>{{201, 4, 0, 1}, {201, 5, 1, 1}}));
}

/// Three k-steps in two parts: CTAs 0 and 1 have two, CTAs 2 and 3 one.
TEST_F(CtaSchedulerTest, TellsTheSmHowManyKSteps) {
  KernelLaunch launch = scheduled_kernel();
  launch.tiles_m = 2;
  launch.splits = 2;
  core_.launch(launch);
  run(50);
  ASSERT_EQ(assignments_.sent.size(), 4U);
  for (const auto& sent : assignments_.sent) {
    EXPECT_EQ(sent.message.steps, sent.message.cta < 2 ? 2 : 1) << sent.message.cta;
  }
}

/// The memory system has to know that CTA 4 is an edge tile, of 1 x 3 elements.
TEST_F(CtaSchedulerTest, NotesTheSizesOfEveryCta) {
  run(50);
  done(200, 0, {1});
  EXPECT_EQ(resident_.at(0, 0).store_bytes, 2 * 3 * 4);
  EXPECT_EQ(resident_.at(1, 0).store_bytes, 1 * 3 * 4);
  EXPECT_EQ(resident_.at(1, 0).steps, 3);
}

TEST_F(CtaSchedulerTest, NotesWhichCtaIsWhere) {
  run(50);
  done(200, 0, {1});
  EXPECT_EQ(resident_.at(0, 0).cta, 0);
  EXPECT_EQ(resident_.at(1, 0).cta, 4);
  EXPECT_EQ(resident_.at(0, 1).cta, 2);
  EXPECT_EQ(resident_.at(1, 1).cta, 3);
}

TEST_F(CtaSchedulerTest, TellsItsObserverOfEveryCta) {
  Watch watch;
  core_.observer = &watch;
  run(50);
  EXPECT_EQ(watch.sms, (std::vector<std::int64_t>{0, 1, 0, 1}));
}

TEST_F(CtaSchedulerTest, EndsWhenAllCtasAreDoneAndAllStoresVisible) {
  run(50);
  done(200, 0, {1});
  done(300, 0, {0, 1});
  done(301, 1, {0, 1});
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
  done(200, 0, {1});
  store_done(250, kAllBytes);
  done(300, 0, {0});
  done(310, 1, {0, 1});
  EXPECT_EQ(core_.ended(), std::nullopt);
  done(330, 0, {1});
  EXPECT_EQ(core_.ended(), Cycle(330));
}

TEST_F(CtaSchedulerTest, LaunchAndDispatchTakeAtLeastACycle) {
  CtaScheduler core(CtaSchedulerConfig{0, 0}, sets_, resident_);
  core.assignments = &assignments_;
  core.launch(scheduled_kernel());
  run_core(core, core.first_dispatch(), Cycle(100));
  EXPECT_EQ(assignments_.arrivals(), (std::vector<std::int64_t>{2, 2, 2, 2}));
}

TEST_F(CtaSchedulerTest, LaunchStartsAnew) {
  run(50);
  done(200, 0, {1});
  core_.launch(scheduled_kernel());
  EXPECT_EQ(core_.dispatched(), 0);
  run(50);
  EXPECT_EQ(given(5),
            (std::vector<Given>{{51, 0, 0, 0}, {51, 1, 1, 0}, {51, 2, 0, 1}, {51, 3, 1, 1}}));
}

}  // namespace
}  // namespace stcsim
