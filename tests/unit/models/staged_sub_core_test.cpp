#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/base/stage_queue.hpp"
#include "models/sub_core/sub_core.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

using test::bucket;
using test::run_core;

constexpr Cycle kEnd{200};

/// A sub-core whose stages pass messages: an instruction keeps the register file for 3 cycles, the
/// metadata buffer and the decoder for 1, the selector for 2, the multipliers for 4; its result is
/// there after 10. One warp has two groups, and a single fragment buffer. The fragments of the
/// first group come at 20.
class StagedSubCore {
 public:
  StagedSubCore(StreamingMultiprocessorConfig config, const std::string& queues,
                std::int64_t instructions)
      : config_(with(config, queues)), core_(config_, 0, 0) {
    DirectWires().connect_inside(core_);
    core_.warp_scheduler.fetches = &fetches_;
    core_.warp_scheduler.warps_done = &warps_done_;
    KernelLaunch launch;
    launch.warp.instructions_per_group = instructions;
    launch.warp.instruction = test::sparse_instruction();
    launch.warp.fragment_buffers = 1;
    core_.launch(launch);
    core_.warp_scheduler.starts.push(Cycle(5), 0, {0, 2});
    core_.warp_scheduler.fragments.push(Cycle(20), 0, {0, 0, kNever});
    run_core(core_, Cycle(5), kEnd);
  }

  /// When the fragments of the second group are asked for: a cycle after those of the first have
  /// been used.
  [[nodiscard]] std::int64_t asks_again_at() const { return fetches_.arrivals().at(1); }
  /// The fragments of the second group come at that cycle; when the warp's last result is there.
  std::int64_t done_if_the_rest_comes_at(std::int64_t cycle) {
    core_.warp_scheduler.fragments.push(Cycle(cycle), 0, {0, 0, kNever});
    run_core(core_, Cycle(cycle), kEnd);
    return warps_done_.arrivals().at(0);
  }
  [[nodiscard]] std::int64_t in(const std::string& name) const { return bucket(core_, kEnd, name); }
  [[nodiscard]] std::int64_t counted(const std::string& name) const {
    return test::count(core_, name);
  }
  [[nodiscard]] const SubCore& core() const { return core_; }

 private:
  static StreamingMultiprocessorConfig with(StreamingMultiprocessorConfig config,
                                            const std::string& queues) {
    config.detail = Detail::stages;
    config.queues = queues;
    return config;
  }

  const StreamingMultiprocessorConfig config_;
  SubCore core_;
  test::RecordingPort<FetchRequest> fetches_;
  test::RecordingPort<WarpDone> warps_done_;
};

/// No bubbles.
StreamingMultiprocessorConfig plain_hardware() {
  StreamingMultiprocessorConfig config = test::sub_core_hardware();
  config.tensor_core.same_warp_bubble = Millicycles();
  return config;
}

/// Four instructions, one every 4 cycles from 20 on: the last one's interval ends at 36, its result
/// is there at 32 + 10.
TEST(StagedSubCore, WithRigidQueuesIssuesAtThePaceOfTheSlowestStage) {
  StagedSubCore staged(plain_hardware(), "rigid", 4);
  EXPECT_EQ(staged.asks_again_at(), 36 + 1);
  EXPECT_EQ(staged.in("register_file.busy"), 4 * 3);
  EXPECT_EQ(staged.in("multipliers.busy"), 4 * 4);
  EXPECT_EQ(staged.done_if_the_rest_comes_at(100), 100 + 3 * 4 + 10);
}

/// The register file takes one every 3 cycles, the last one from 29 to 32; the multipliers begin it
/// at 32.
TEST(StagedSubCore, WithQueuesTheRegisterFileRunsAhead) {
  StagedSubCore staged(plain_hardware(), "2", 4);
  EXPECT_EQ(staged.asks_again_at(), 32 + 1);
  EXPECT_EQ(staged.in("tensor_core.busy"), 4);
  EXPECT_EQ(staged.done_if_the_rest_comes_at(100), 100 + 3 * 4 + 10);
}

/// The register file begins instruction i at 20 + 3 i, the multipliers at 20 + 4 i. With room for
/// one before the multipliers, the selector passes it at 20 + 4 (i - 1) at the earliest: it is kept
/// waiting for 1, 2 and 2 cycles from the sixth on, as it selects until 42 before the last. With
/// room for two it never waits.
TEST(StagedSubCore, AStageWaitsForRoomInTheNextOne) {
  StagedSubCore one(plain_hardware(), "1", 8);
  EXPECT_EQ(one.in("operand_selector.blocked"), 1 + 2 + 2);
  EXPECT_EQ(one.in("operand_selector.busy"), 8 * 2);
  EXPECT_EQ(one.in("operand_selector.starved"), 200 - 16 - 5);
  StagedSubCore two(plain_hardware(), "2", 8);
  EXPECT_EQ(two.in("operand_selector.blocked"), 0);
}

/// The multipliers wait a cycle between two instructions of a group.
TEST(StagedSubCore, BubblesAreWaitsOfTheMultipliers) {
  StagedSubCore staged(test::sub_core_hardware(), "4", 4);
  EXPECT_EQ(staged.done_if_the_rest_comes_at(100), 100 + 3 * (4 + 1) + 10);
  EXPECT_EQ(staged.in("multipliers.busy"), 8 * 4);
}

/// Each instruction takes 512 bytes of A and B and 32 of metadata out of the registers, and all its
/// words are decoded.
TEST(StagedSubCore, NoWordIsLost) {
  StagedSubCore staged(plain_hardware(), "3", 4);
  EXPECT_EQ(staged.counted("fragment_bytes"), 4 * (512 + 32));
  EXPECT_EQ(staged.counted("decoded_metadata_bytes"), 4 * 32);
}

/// Words come in for 4 cycles and are decoded in 3: as they come, if there is room for those of two
/// instructions; else afterwards, and then the buffer takes no others until they are decoded: 7
/// cycles each, and the multipliers begin the last one at 20 + 3 * 7 + 4.
TEST(StagedSubCore, WithoutRoomForTwoTheBufferIsFilledOrDecoded) {
  StreamingMultiprocessorConfig config = plain_hardware();
  config.operand_selector.metadata_decode_cycles = 3;
  config.operand_selector.metadata_fill_bytes_per_clk = 8;
  config.operand_selector.metadata_buffer_bytes = 64;
  StagedSubCore roomy(config, "4", 4);
  EXPECT_EQ(roomy.in("metadata_buffer.busy"), 4 * 3);
  EXPECT_EQ(roomy.in("metadata_buffer.filling"), 4 * (4 - 3));
  EXPECT_EQ(roomy.done_if_the_rest_comes_at(100), 100 + 3 * 4 + 10);
  config.operand_selector.metadata_buffer_bytes = 63;
  StagedSubCore narrow(config, "4", 4);
  EXPECT_EQ(narrow.in("metadata_buffer.busy"), 4 * 3);
  EXPECT_EQ(narrow.in("metadata_buffer.filling"), 4 * 4);
  EXPECT_EQ(narrow.done_if_the_rest_comes_at(100), 100 + 3 * 7 + 4 + 10);
}

/// A message that the stage in front could not have sent.
TEST(StageQueue, RefusesWhatItHasNoRoomFor) {
  StageQueue queue;
  queue.open(std::nullopt);
  StageMessage message;
  queue.push(message, Cycle(1));
  EXPECT_FALSE(queue.has_room(Cycle(1)));
  EXPECT_THROW(queue.push(message, Cycle(1)), SimulationError);
  queue.open(2);
  queue.push(message, Cycle(1));
  EXPECT_THROW(queue.push(message, Cycle(1)), SimulationError);
}

}  // namespace
}  // namespace stcsim
