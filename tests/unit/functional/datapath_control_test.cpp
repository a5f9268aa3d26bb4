#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/functional/functional_datapath.hpp"
#include "sim/functional/operands.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/run_without_timing.hpp"

namespace stcsim {
namespace {

/// 2 stages, 2 groups per step, 2 warps, 3 k-steps, 4 tiles.
FunctionalKernel kernel_under_test() {
  FunctionalKernel kernel;
  kernel.problem = test::make_problem(16, 16, 96, 1, DataType::fp16, {2, 4});
  kernel.pattern = {2, 4};
  kernel.tile_m = kernel.tile_n = 8;
  kernel.tile_k = 32;
  kernel.instruction_k = 16;
  kernel.stages = 2;
  kernel.warps_m = 2;
  kernel.num_sms = 2;
  return kernel;
}

class DatapathControl : public testing::Test {
 protected:
  void begin() { datapath_.begin_cta(1, 0, {0, 1, 0, 0, 0, 96}); }
  void fill(std::int64_t step) { datapath_.fill_stage(1, 0, step); }
  void fetch(std::int64_t warp, std::int64_t step, std::int64_t group) {
    datapath_.fetch_fragments(1, 0, warp, step, group);
  }
  void execute(std::int64_t warp, std::int64_t step, std::int64_t group) {
    datapath_.execute_mma(1, 0, warp, step, group);
  }
  void release(std::int64_t step) { datapath_.release_stage(1, 0, step); }
  void finish_step(std::int64_t step) {
    for (std::int64_t warp = 0; warp < 2; ++warp) {
      for (std::int64_t group = 0; group < 2; ++group) {
        fetch(warp, step, group);
        execute(warp, step, group);
      }
    }
    release(step);
  }

  /// The message of the SimulationError that `action` throws.
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "no error";
  }

  FunctionalKernel kernel_ = kernel_under_test();
  FunctionalDatapath datapath_{kernel_,
                               to_machine(kernel_, random_operands(kernel_.problem, /*seed=*/3))};
};

TEST_F(DatapathControl, AStageCannotBeReadBeforeItIsFilled) {
  begin();
  EXPECT_EQ(error_of([&] { fetch(1, 0, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 1 step 0 group 0: the stage is empty");
}

TEST_F(DatapathControl, AStageCannotBeReadAfterItsRelease) {
  begin();
  fill(0);
  finish_step(0);
  EXPECT_EQ(error_of([&] { fetch(0, 0, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 0 step 0 group 0: the stage is empty");
}

TEST_F(DatapathControl, AStageCannotBeReadForAnotherStep) {
  begin();
  fill(0);
  EXPECT_EQ(error_of([&] { fetch(0, 2, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 0 step 2 group 0: the stage holds step 0");
}

TEST_F(DatapathControl, AStageCannotBeFilledBeforeItsRelease) {
  begin();
  fill(0);
  fill(1);
  EXPECT_EQ(error_of([&] { fill(2); }),
            "fill_stage: sm 1 slot 0 step 2: the stage still holds step 0");
}

TEST_F(DatapathControl, AStageCannotBeReleasedBeforeAllWarpsHaveReadIt) {
  begin();
  fill(0);
  fetch(0, 0, 0);
  fetch(0, 0, 1);
  fetch(1, 0, 0);
  EXPECT_EQ(error_of([&] { release(0); }),
            "release_stage: sm 1 slot 0 step 0: warp 1 has not read the stage completely");
}

TEST_F(DatapathControl, AnEmptyStageCannotBeReleased) {
  begin();
  EXPECT_EQ(error_of([&] { release(1); }), "release_stage: sm 1 slot 0 step 1: the stage is empty");
}

TEST_F(DatapathControl, AnMmaCannotRunBeforeItsFragmentArrived) {
  begin();
  fill(0);
  fetch(0, 0, 0);
  EXPECT_EQ(error_of([&] { execute(1, 0, 0); }),
            "execute_mma: sm 1 slot 0 warp 1 step 0 group 0: its fragments have not been fetched");
}

TEST_F(DatapathControl, AnMmaCannotRunTwiceOrOutOfOrder) {
  begin();
  fill(0);
  fetch(0, 0, 0);
  fetch(0, 0, 1);
  EXPECT_EQ(error_of([&] { execute(0, 0, 1); }),
            "execute_mma: sm 1 slot 0 warp 0 step 0 group 1: out of order, 0 groups were executed "
            "before");
  execute(0, 0, 0);
  EXPECT_EQ(error_of([&] { execute(0, 0, 0); }),
            "execute_mma: sm 1 slot 0 warp 0 step 0 group 0: out of order, 1 groups were executed "
            "before");
}

TEST_F(DatapathControl, FragmentsCannotBeOverwrittenBeforeTheyWereUsed) {
  begin();
  fill(0);
  fill(1);
  fetch(0, 0, 0);
  fetch(0, 0, 1);
  EXPECT_EQ(error_of([&] { fetch(0, 1, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 0 step 1 group 0: all register buffers hold "
            "fragments not yet executed");
}

TEST_F(DatapathControl, FragmentsCannotBeFetchedOutOfOrder) {
  begin();
  fill(0);
  EXPECT_EQ(error_of([&] { fetch(0, 0, 1); }),
            "fetch_fragments: sm 1 slot 0 warp 0 step 0 group 1: out of order, 0 groups were "
            "fetched before");
}

TEST_F(DatapathControl, ATileCannotBeStoredBeforeAllItsGroupsRan) {
  begin();
  fill(0);
  finish_step(0);
  EXPECT_EQ(error_of([&] { datapath_.store_tile(1, 0); }),
            "store_tile: sm 1 slot 0 warp 0: executed 2 of 6 mma groups");
}

TEST_F(DatapathControl, ASlotRunsOneCtaAtATime) {
  begin();
  EXPECT_EQ(error_of([&] {
              datapath_.begin_cta(1, 0, {0, 0, 0, 0, 0, 96});
            }),
            "begin_cta: sm 1 slot 0 still runs a CTA");
}

TEST_F(DatapathControl, ACtaThatEndsLeavesItsStagesFree) {
  begin();
  fill(0);
  finish_step(0);
  fill(1);
  finish_step(1);
  fill(2);
  for (std::int64_t group = 0; group < 4; ++group) {  // two of each warp; never released
    fetch(group % 2, 2, group / 2);
    execute(group % 2, 2, group / 2);
  }
  datapath_.store_tile(1, 0);
  datapath_.begin_cta(1, 0, {0, 0, 0, 0, 0, 96});
  EXPECT_EQ(error_of([&] { fetch(0, 0, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 0 step 0 group 0: the stage is empty");
  EXPECT_NO_THROW(fill(0));
}

TEST_F(DatapathControl, ATileIsGivenOutOnce) {
  begin();
  EXPECT_EQ(error_of([&] {
              datapath_.begin_cta(0, 0, {0, 1, 0, 0, 0, 96});
            }),
            "begin_cta: tile (batch 0, m 1, n 0, split 0) was given to a CTA before");
}

TEST_F(DatapathControl, CtasOfDifferentSlotsDoNotDisturbEachOther) {
  const std::vector<CtaCoordinates> ctas = test::all_ctas(kernel_);
  FunctionalDatapath alone(kernel_, to_machine(kernel_, random_operands(kernel_.problem, 3)));
  test::run_without_timing(alone, kernel_);
  for (std::int64_t half = 0; half < 2; ++half) {
    for (std::int64_t sm = 0; sm < 2; ++sm)
      datapath_.begin_cta(sm, 0, ctas[as_size(2 * half + sm)]);
    for (std::int64_t at = 0; at < 3 * 2 * 2; ++at) {  // step, group, warp
      const std::int64_t step = at / 4;
      for (std::int64_t sm = 0; sm < 2; ++sm) {
        if (at % 4 == 0) datapath_.fill_stage(sm, 0, step);
        datapath_.fetch_fragments(sm, 0, at % 2, step, at / 2 % 2);
      }
      for (std::int64_t sm = 0; sm < 2; ++sm) {
        datapath_.execute_mma(sm, 0, at % 2, step, at / 2 % 2);
        if (at % 4 == 3) datapath_.release_stage(sm, 0, step);
      }
    }
    for (std::int64_t sm = 0; sm < 2; ++sm) datapath_.store_tile(sm, 0);
  }
  EXPECT_EQ(datapath_.c().bits, alone.c().bits);
}

TEST_F(DatapathControl, NamesThatDoNotExistAreRefused) {
  EXPECT_EQ(error_of([&] { datapath_.begin_cta(2, 0, {}); }),
            "begin_cta: sm 2 slot 0 does not exist");
  EXPECT_EQ(error_of([&] { datapath_.fill_stage(0, -1, 0); }),
            "fill_stage: sm 0 slot -1 does not exist");
  EXPECT_EQ(error_of([&] { datapath_.fill_stage(0, 0, 0); }),
            "fill_stage: sm 0 slot 0 runs no CTA");
  EXPECT_EQ(error_of([&] {
              datapath_.begin_cta(0, 0, {0, 2, 0, 0, 0, 96});
            }),
            "begin_cta: there is no tile (batch 0, m 2, n 0, split 0)");
  begin();
  EXPECT_EQ(error_of([&] { fill(3); }),
            "fill_stage: sm 1 slot 0: there is no step 3, the CTA has 3");
  EXPECT_EQ(error_of([&] { fetch(2, 0, 0); }),
            "fetch_fragments: sm 1 slot 0 warp 2 step 0 group 0: the CTA has 2 warps and 2 groups "
            "per step");
}

TEST_F(DatapathControl, KRangesStartAtWholeGroupsInsideTheProblem) {
  EXPECT_EQ(error_of([&] {
              datapath_.begin_cta(0, 0, {0, 0, 0, 0, 2, 96});
            }),
            "begin_cta: tile (batch 0, m 0, n 0, split 0) has k range [2, 96), must lie in [0, 96) "
            "and start at a multiple of 4");
  EXPECT_EQ(error_of([&] {
              datapath_.begin_cta(0, 0, {0, 0, 0, 0, 0, 97});
            }),
            "begin_cta: tile (batch 0, m 0, n 0, split 0) has k range [0, 97), must lie in [0, 96) "
            "and start at a multiple of 4");
}

TEST_F(DatapathControl, CIsNotReadableBeforeAllTilesAreStored) {
  test::run_cta(datapath_, kernel_, 1, 0, {0, 1, 0, 0, 0, 96});
  EXPECT_EQ(error_of([&] { (void)datapath_.c(); }),
            "C is incomplete: 3 of 4 CTA tiles were never stored");
}

TEST_F(DatapathControl, CIsNotReadableBeforeTheSplitsAreReduced) {
  kernel_.split_k = 2;
  FunctionalDatapath split(kernel_, to_machine(kernel_, random_operands(kernel_.problem, 3)));
  EXPECT_EQ(error_of([&] { split.reduce_split_k(); }),
            "C is incomplete: 8 of 8 CTA tiles were never stored");
  for (const CtaCoordinates& cta : test::all_ctas(kernel_)) {
    test::run_cta(split, kernel_, 0, 0, cta);
  }
  EXPECT_EQ(error_of([&] { (void)split.c(); }),
            "C is incomplete: the splits of k were never reduced");
  split.reduce_split_k();
  EXPECT_EQ(split.c().bits.size(), 256U);
}

TEST_F(DatapathControl, ReleasedStorageHoldsNaN) {
  StageBuffer stage(kernel_);
  const FragmentShape shape(kernel_);
  Fragment fragment{std::vector<std::uint32_t>(as_size(shape.rows * shape.stored_values)),
                    std::vector<std::uint32_t>(as_size(shape.rows * shape.metadata_words)),
                    std::vector<std::uint32_t>(as_size(shape.k * shape.pitch))};
  stage.fill(kernel_, to_machine(kernel_, random_operands(kernel_.problem, 3)), {0, 0, 0, 0, 0, 96},
             0);
  stage.poison();
  EXPECT_EQ(stage.step(), std::nullopt);
  stage.read(kernel_, 0, 0, fragment);
  EXPECT_EQ(fragment.a.back(), kPoison);
  EXPECT_EQ(fragment.metadata.back(), 0xffffU);  // 4 groups of 4 bits
  EXPECT_EQ(fragment.b.front(), kPoison);
}

}  // namespace
}  // namespace stcsim
