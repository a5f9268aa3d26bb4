#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/gemm_run.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// The tiny machine, and what it stores may wait. What the launch before has left, 256 bytes, is
/// written while nothing is read yet.
MachineConfig small_machine() {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.dram.write_queue_bytes = 4096;
  return machine;
}

/// GEMMs on the small machine, followed by hand from launch to the last store. A tile is 16 x 8, a
/// k-step 16 deep: 512 bytes of A, 256 of B, 256 of C.
/// Simulated with and without leaving out what is the same.
LaunchResult run(const MachineConfig& machine, const GemmProblem& problem,
                 const std::string& kernel) {
  MachineRunner runner(machine);
  LaunchResult result = run_gemm(runner, problem, {kernel, 1}).result;
  test::expect_buckets_sum(result);
  runner.set_fast_forward(false);
  EXPECT_EQ(run_gemm(runner, problem, {kernel, 1}).result.cycles, result.cycles);
  return result;
}

/// Launch 100, dispatch 101, CTA set-up 111.
/// Requests: A issued 115 (512/128), B 117 (256/128); at L2, a hop later, 155 and 157; both miss.
/// DRAM: A on the channels 156 .. 164 (512/64), B 164 .. 168; every beat is at L2 a cycle after it
/// was read and 200 later: A 357 .. 364, B 365 .. 368.
/// L2 passes on what arrives a cycle later, and the hit latency less two hops (130 - 80) after
/// that: A 408 .. 415, B 416 .. 419. Bus: A on the SM's port 408 .. 416 (512/64), B 416 .. 420; a
/// cycle and a hop after the first beat in the SM, 449, the stage full a hop after the last, 460.
/// Shared memory: the port is taken 449 .. 455; fragments (768 bytes) 460 .. 466, there at 465
/// + 20. Tensor core: issue 485, result 510. Epilogue: start 511, set-up until 541, two trips of 40
/// (eight rows each; there and back, 20) until 621, staging 622 .. 630 (1024 bytes), there at 629 +
/// 20; store on the bus 650 .. 654, at L2 694, written 695.
TEST(WholeMachine, OneTileOneKStep) {
  const LaunchResult result = run(small_machine(), test::make_problem(16, 8, 16), "dense");
  EXPECT_EQ(result.cycles, 695);
  EXPECT_EQ(result.mma_instructions, 1);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.peak_macs, 695 * 256);
  EXPECT_EQ(result.count("l2_read_bytes"), 768);
  EXPECT_EQ(result.count("l2_hit_bytes"), 0);
  EXPECT_EQ(result.count("l2_write_bytes"), 256);
  EXPECT_EQ(result.count("dram_read_bytes"), 768);
  EXPECT_EQ(result.count("dram_write_bytes"), 256);
  EXPECT_EQ(result.count("shared_memory_write_bytes"), 768 + 512);
  EXPECT_EQ(result.count("shared_memory_read_bytes"), 768 + 512);
  EXPECT_EQ(result.count("metadata_bytes"), 0);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "busy"), 8);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_memory"), 460 - 111);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_shared_memory"), 485 - 460);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "idle"), 111 + 695 - 493);
  EXPECT_EQ(test::bucket_of(result, "copy_engine", "issuing"), 6);
  EXPECT_EQ(test::bucket_of(result, "dram", "busy"), 4 + 12);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "setup"), 30 + 2 * 40);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "waiting_shared_memory"), 649 - 621);
  EXPECT_EQ(test::bucket_of(result, "epilogue", "waiting_bus"), 654 - 649);
}

/// Nothing may wait: the store is at DRAM with L2's last write, 695, and takes 4 cycles (256/64).
TEST(WholeMachine, WithoutAWriteQueueALaunchEndsWhenItsOutputIsInDram) {
  EXPECT_EQ(run(test::tiny_machine(), test::make_problem(16, 8, 16), "dense").cycles, 695 + 4);
}

/// With one stage the second k-step's copies start when the first has been read out (466): all of
/// the 349 cycles from the first request to the full stage and the 6 of reading come again.
TEST(WholeMachine, TwoKStepsInOneStage) {
  const LaunchResult result = run(small_machine(), test::make_problem(16, 8, 32), "dense_s1");
  EXPECT_EQ(result.cycles, 695 + 349 + 6);
}

/// With two stages the second k-step's copies follow the first's: issued 121 and 123, on the DRAM
/// channels 168 .. 176 and 176 .. 180, at L2 369 .. 376 and 377 .. 380, off it 420 .. 427 and 428
/// .. 431, on the port 420 .. 428 and 428 .. 432, so that the stage is full at 472; its bytes came
/// from 461 on and took shared memory's port behind the fragments of step 0, 466 .. 472. The
/// fragments are there at 477 + 20, but the accumulators only at 510: 25 more cycles.
TEST(WholeMachine, TwoKStepsInTwoStages) {
  const LaunchResult result = run(small_machine(), test::make_problem(16, 8, 32), "dense");
  EXPECT_EQ(result.cycles, 695 + 25);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_dependency"), 510 - 497);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_memory"), 460 - 111);
  EXPECT_EQ(test::bucket_of(result, "tensor_core", "waiting_shared_memory"), 25 + 4);
}

/// The second tile starts when the scheduler knows of the free slot, at 654 + 2: set-up done 667.
/// A is in the L2 cache: at the cache 711, off it 762 and 763, on the port 762 .. 770. B: on the
/// DRAM channels 714 .. 718, at L2 915 .. 918, off it 966 .. 969, on the port 966 .. 970: the stage
/// is full at 1010. From there on as for the first tile, whose stage was full at 460: 550 later.
TEST(WholeMachine, TwoTilesOneAfterTheOther) {
  MachineConfig machine = small_machine();
  machine.accelerator.sm.max_ctas = 1;
  const LaunchResult result = run(machine, test::make_problem(16, 16, 16), "dense");
  EXPECT_EQ(result.cycles, 695 + 550);
  EXPECT_EQ(result.count("l2_hit_bytes"), 512);
  EXPECT_EQ(result.count("dram_read_bytes"), 768 + 256);
}

/// 2:4, k = 32: A has 512 bytes, B 512 and the metadata of A 64. Issued 115, 119 and 120, on the
/// DRAM channels 156 .. 164, .. 172 and .. 173, at L2 357 .. 364, 365 .. 372 and 373, off it 408 ..
/// 415, 416 .. 423 and 424, on the port 408 .. 416, .. 424 and .. 425: full at 465. Read (1088
/// bytes) 465 .. 474, there at 493: 8 later than dense.
TEST(WholeMachine, OneSparseTile) {
  const LaunchResult result =
      run(small_machine(), test::make_problem(16, 8, 32, 1, DataType::fp16, {2, 4}), "sparse");
  EXPECT_EQ(result.cycles, 695 + 8);
  EXPECT_EQ(result.mma_instructions, 1);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.count("metadata_bytes"), 64);
  EXPECT_EQ(result.count("dram_read_bytes"), 576 + 512);
}

/// A GEMM of 9 x 5 x 7 is one tile: A has 9 rows of 14 bytes, B 5, C 45 elements; the other rows of
/// the stage, of 14 bytes too, are filled with zeros. Requests for 224 and 112 bytes, two at a time
/// as rows of 14 allow, take 14 and 7 cycles: at L2 165 and 172, for 126 and 70 bytes, both two
/// lines of 64, in DRAM 166 .. 168 and 173 .. 175. At L2 367 .. 368 and 374 .. 375, off it 418 ..
/// 419 and 425 .. 426. On the port 418 .. 420 and 425 .. 427: full at 467; the zeros are in by
/// then. The math is that of a full tile: fragments 467 .. 473, there at 492, result 517, epilogue
/// set up 548 and ready 628. 360 bytes of staging 629 .. 632, there at 651; 90 bytes on the bus 652
/// .. 654, at L2 694, written 695.
TEST(WholeMachine, ASmallGemmMovesLessAndMultipliesTheSame) {
  const LaunchResult result = run(small_machine(), test::make_problem(9, 5, 7), "dense");
  EXPECT_EQ(result.cycles, 695);
  EXPECT_EQ(result.multiplier_macs, 16 * 8 * 16);
  EXPECT_EQ(result.count("l2_read_bytes"), 196);
  EXPECT_EQ(result.count("dram_read_bytes"), 256);
}

/// Both CTAs of an SM load at once: issued 115, 117, 121 and 123. The second A waits at L2 for the
/// first's fill; the second B is on the channels 168 .. 172, off L2 420 .. 423. On the port: A 408
/// .. 416 .. 424, B 424 .. 428 .. 432: stages full at 468 and 472. Fragments of the first 468 ..
/// 474, then the second's fill 474 .. 480 and its fragments 480 .. 486: there at 493 and 505,
/// results 518 and 530. Epilogues begin at 519 and 531 and are ready for the port at 629 and 641.
/// The first is staged 630 .. 638, there at 657, on the bus 658 .. 662; then the second: staged 663
/// .. 671, there at 690, bus 691 .. 695, L2 735.
TEST(WholeMachine, TwoTilesInOneSm) {
  const LaunchResult result = run(small_machine(), test::make_problem(16, 16, 16), "dense");
  EXPECT_EQ(result.cycles, 736);
  EXPECT_EQ(result.count("l2_hit_bytes"), 512);
  EXPECT_EQ(result.count("dram_read_bytes"), 512 + 2 * 256);
}

MachineConfig two_sms() {
  MachineConfig machine = small_machine();
  machine.accelerator.num_sms = 2;
  return machine;
}

/// Two SMs in step. A: one fill, 1024 bytes for both off L2 as they come, 408 .. 415. B: two slices
/// of the same cycle, one fill of 512 bytes, on the channels 164 .. 172, off L2 416 .. 423, at each
/// SM at 424: full at 464, 4 later than one tile alone. Both store in the same cycle, 2 cycles of
/// the write path, not 1.
TEST(WholeMachine, TwoTilesInTwoSms) {
  const LaunchResult result = run(two_sms(), test::make_problem(16, 16, 16), "dense");
  EXPECT_EQ(result.cycles, 695 + 4 + 1);
  EXPECT_EQ(result.count("l2_read_bytes"), 2 * 768);
  EXPECT_EQ(result.count("l2_hit_bytes"), 512);
  EXPECT_EQ(result.count("dram_read_bytes"), 512 + 2 * 256);
}

/// The same with a far partition 70 cycles away. A (strip 0) is near SM 0 and far from SM 1, both B
/// are near (strip 0, SM 0 and strip 1, SM 1). SM 1's A comes 478 .. 485, on its port 478 .. 486:
/// full at 526, 66 later than one tile alone, and SM 0 has long stored.
TEST(WholeMachine, AFarSmIsLater) {
  MachineConfig machine = two_sms();
  machine.accelerator.l2_cache.far_hit_cycles += 70;
  EXPECT_EQ(run(machine, test::make_problem(16, 16, 16), "dense").cycles, 695 + 66);
}

/// Tiles of 16 and 9 rows on two SMs, requested in the same cycles. Of A 512 and 9 * 32 = 288
/// bytes: one fill of 8 and 5 lines, 832 bytes, on the channels 156 .. 169; B, shared, 169 .. 173.
/// At L2 357 .. 369 and 370 .. 373; off it, for both SMs, 408 .. 420 and 421 .. 424. Both ports
/// wait for the last of A, which is in at 421; B 421 .. 425: full at 465, 5 later than one tile
/// alone. Both stage a full tile. The edge tile's 144 bytes are on the bus for 3 cycles, the full
/// one's for 4: they are at L2 a cycle apart, and the later one is written as if it were alone.
TEST(WholeMachine, AnEdgeTileBesideAFullOne) {
  const LaunchResult result = run(two_sms(), test::make_problem(25, 8, 16), "dense");
  EXPECT_EQ(result.cycles, 695 + 5);
  EXPECT_EQ(result.count("l2_read_bytes"), 512 + 288 + 2 * 256);
  EXPECT_EQ(result.count("l2_hit_bytes"), 256);
  EXPECT_EQ(result.count("dram_read_bytes"), 512 + 320 + 256);
}

}  // namespace
}  // namespace stcsim
