#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/sub_core/sub_core.hpp"
#include "tests/support/core_runner.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/recording_port.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// Instructions of 2:4, m16n8k32: bytes of A, B and metadata, and products.
constexpr std::int64_t kA = 16 * 16 * 2;
constexpr std::int64_t kB = 32 * 8 * 2;
constexpr std::int64_t kMetadata = 16 * 4;
constexpr std::int64_t kProducts = 16 * 8 * 16;
constexpr std::int64_t kNeverSeen = std::int64_t{1} << 60;

/// What a drawn sub-core is made of, and its one warp does.
struct Drawn {
  std::int64_t register_bytes, fill_bytes, buffer_bytes, decode, selector_bytes, multipliers;
  std::int64_t latency, depth, instructions;
  std::vector<std::int64_t> fragments_at;  // of each group, at the earliest
};

Drawn draw(Dice& dice) {
  Drawn drawn{};
  drawn.register_bytes = dice.one_of({32, 48, 96, 192, 512, 1088});
  drawn.fill_bytes = dice.one_of({4, 8, 16, 64});
  drawn.buffer_bytes = dice.one_of({64, 127, 128, 191, 192, 1024});
  drawn.decode = dice.between(0, 12);
  drawn.selector_bytes = dice.one_of({32, 64, 128, 512});
  drawn.multipliers = dice.one_of({64, 128, 256, 512});
  drawn.latency = dice.between(1, 60);
  drawn.depth = dice.between(1, 4);
  drawn.instructions = dice.between(1, 9);
  std::int64_t at = 10;
  for (std::int64_t groups = dice.between(1, 6); groups > 0; --groups) {
    at += dice.one_of({1, 5, 40, 300});
    drawn.fragments_at.push_back(at);
  }
  return drawn;
}

std::int64_t over(std::int64_t bytes, std::int64_t width) {
  return (bytes + width - 1) / width;
}

/// The same pipeline, cycle by cycle, from the description of stages alone: a stage begins a
/// message with its first byte, is kept for its own time and until the last byte is there, and
/// sends on at once what it begins, if there is room.
class TickedPipeline {
 public:
  explicit TickedPipeline(const Drawn& drawn) : drawn_(drawn) {
    const std::int64_t fill = over(kMetadata, drawn.fill_bytes);
    has_room_for_two_ = drawn.buffer_bytes >= 2 * kMetadata;
    const std::int64_t buffer =
        has_room_for_two_ ? std::max(fill, drawn.decode) : fill + drawn.decode;
    own_ = {over(kA + kB + kMetadata, drawn.register_bytes), buffer, drawn.decode,
            over(kB, drawn.selector_bytes), over(kProducts, drawn.multipliers)};
    first_after_ = has_room_for_two_ ? 0 : fill;
  }

  /// Runs to the end; the cycles at which fragments were asked for again, after each group but the
  /// last, and the one at which the warp is done.
  std::vector<std::int64_t> run() {
    std::vector<std::int64_t> seen;
    while (done_at_ == kNeverSeen || now_ < done_at_) {
      if (read_at_ == now_) {
        if (++groups_read_ < std::ssize(drawn_.fragments_at)) seen.push_back(now_ + 1);
        read_at_ = kNeverSeen;
      }
      if (result_at_ == now_) awaits_result_ = false;
      for (std::size_t stage = kStages; stage-- > 0;) begin(stage);
      issue();
      ++now_;
    }
    seen.push_back(done_at_);
    return seen;
  }

 private:
  static constexpr std::size_t kStages = 5;
  static constexpr std::size_t kBuffer = 1, kDecoder = 2, kMultipliers = 4;
  struct Message {
    bool opens, closes;
    std::int64_t first, last;
  };
  struct Stage {
    std::deque<Message> waiting;
    std::int64_t free_at = 0;
  };

  [[nodiscard]] bool is_idle(std::size_t stage) const {
    return stages_.at(stage).waiting.empty() && stages_.at(stage).free_at <= now_;
  }
  [[nodiscard]] bool has_room(std::size_t stage) const {
    if (stage == kStages) return true;
    return std::ssize(stages_.at(stage).waiting) < drawn_.depth || is_idle(stage);
  }
  /// Words of metadata that wait to be decoded, or are.
  [[nodiscard]] std::int64_t held() const {
    const Stage& decoder = stages_.at(kDecoder);
    return kMetadata * (std::ssize(decoder.waiting) + (decoder.free_at > now_ ? 1 : 0));
  }
  [[nodiscard]] bool may_begin(std::size_t stage) const {
    if (stage != kBuffer) return has_room(stage + 1);
    if (!has_room_for_two_) return is_idle(kDecoder);
    return has_room(kDecoder) && held() + kMetadata <= drawn_.buffer_bytes;
  }

  void begin(std::size_t at) {
    if (at == kStages) return;
    Stage& stage = stages_.at(at);
    while (!stage.waiting.empty() && stage.free_at <= now_ && stage.waiting.front().first <= now_ &&
           may_begin(at)) {
      Message message = stage.waiting.front();
      stage.waiting.pop_front();
      message.first = now_;
      message.last = std::max(message.last, now_ + own_.at(at));
      stage.free_at = own_.at(at) > 0 ? message.last : now_;
      if (at == 0 && message.closes) read_at_ = std::max(message.last, now_ + 1);
      if (at == kBuffer) message.first += first_after_;
      if (at == kMultipliers) {
        take_result(message);
      } else {
        stages_.at(at + 1).waiting.push_back(message);
        begin(at + 1);
      }
    }
  }

  void take_result(const Message& message) {
    const std::int64_t result = std::max({now_ + 1, message.first + drawn_.latency, message.last});
    if (message.opens) result_at_ = result;
    if (!message.closes || ++groups_done_ < std::ssize(drawn_.fragments_at)) return;
    done_at_ = std::max({now_ + 1, result - 1, message.last}) + 1;
  }

  void issue() {
    const auto groups = std::ssize(drawn_.fragments_at);
    if (left_ == 0 && started_ < groups && groups_read_ == started_ && !awaits_result_ &&
        now_ >= drawn_.fragments_at[static_cast<std::size_t>(started_)]) {
      ++started_;
      left_ = drawn_.instructions;
      awaits_result_ = true;
    }
    if (left_ == 0 || now_ < next_issue_ || !has_room(0)) return;
    const bool opens = left_ == drawn_.instructions;
    stages_[0].waiting.push_back({opens, left_ == 1, now_, now_});
    --left_;
    next_issue_ = now_ + 1;
    begin(0);
  }

  Drawn drawn_;
  bool has_room_for_two_ = false;
  std::array<std::int64_t, kStages> own_{};
  std::int64_t first_after_ = 0;
  std::array<Stage, kStages> stages_;
  std::int64_t now_ = 0, next_issue_ = 0, left_ = 0, started_ = 0, groups_read_ = 0,
               groups_done_ = 0;
  std::int64_t read_at_ = kNeverSeen, result_at_ = kNeverSeen, done_at_ = kNeverSeen;
  bool awaits_result_ = false;
};

StreamingMultiprocessorConfig config_of(const Drawn& drawn) {
  StreamingMultiprocessorConfig config;
  config.sub_cores = 1;
  config.vector_lanes_per_sub_core = 16;
  config.tensor_core.multipliers = {{DataType::fp16, drawn.multipliers}};
  config.tensor_core.same_warp_bubble = Millicycles();
  config.operand_selector = {{{2, 4}}, drawn.selector_bytes, drawn.decode};
  config.operand_selector.metadata_fill_bytes_per_clk = drawn.fill_bytes;
  config.operand_selector.metadata_buffer_bytes = drawn.buffer_bytes;
  config.operand_fetch = {drawn.register_bytes, 1};
  config.detail = Detail::stages;
  config.queues = std::to_string(drawn.depth);
  return config;
}

/// The sub-core itself.
std::vector<std::int64_t> event_by_event(const Drawn& drawn) {
  const StreamingMultiprocessorConfig config = config_of(drawn);
  SubCore core(config, 0, 0);
  DirectWires().connect_inside(core);
  RecordingPort<FetchRequest> fetches;
  RecordingPort<WarpDone> warps_done;
  core.warp_scheduler.fetches = &fetches;
  core.warp_scheduler.warps_done = &warps_done;
  KernelLaunch launch;
  launch.warp.instructions_per_group = drawn.instructions;
  launch.warp.instruction = {DataType::fp16, {2, 4}, 16, 8, 32, drawn.latency, 0};
  launch.warp.fragment_buffers = 1;
  core.launch(launch);
  core.warp_scheduler.starts.push(Cycle(1), 0, {0, std::ssize(drawn.fragments_at)});
  std::int64_t from = 1;
  for (const std::int64_t at : drawn.fragments_at) {
    run_core(core, Cycle(from), Cycle(at - 1));
    core.warp_scheduler.fragments.push(Cycle(at), 0, {0, 0, kNever});
    from = at;
  }
  run_core(core, Cycle(from), Cycle(100'000));
  std::vector<std::int64_t> seen = fetches.arrivals();
  seen.erase(seen.begin());  // of the first group, asked for before anything has been read
  seen.push_back(warps_done.arrivals().at(0));
  return seen;
}

/// Random sub-cores with one warp: every group's operands have been read, and its last result is
/// there, at the cycle at which a pipeline says so that is ticked cycle by cycle.
TEST(TickedStages, AreTheStagesEventByEvent) {
  const std::uint64_t first = seed_or(65'500);
  for (std::uint64_t seed = first; seed < first + 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const Drawn drawn = draw(dice);
    ASSERT_EQ(event_by_event(drawn), TickedPipeline(drawn).run());
  }
}

}  // namespace
}  // namespace stcsim::test
