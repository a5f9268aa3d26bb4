#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/drawn_sub_core.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kNeverSeen = std::int64_t{1} << 60;

std::int64_t over(std::int64_t bytes, std::int64_t width) {
  return (bytes + width - 1) / width;
}

/// The same pipeline, cycle by cycle, from the description of stages alone: a stage begins a
/// message with its first byte, is kept for its own time and until the last byte is there, and
/// sends on at once what it begins, if there is room. Behind a stage with registers its work goes
/// on as beats, one a cycle, each of which moves if there is a free register before it or the beat
/// that is there moves, too; the first beat out is the first byte, the last one the last.
class TickedPipeline {
 public:
  explicit TickedPipeline(const DrawnSubCore& drawn) : drawn_(drawn) {
    const std::int64_t fill = over(kBytesOfMetadata, drawn.fill_bytes);
    has_room_for_two_ = drawn.buffer_bytes >= 2 * kBytesOfMetadata;
    const std::int64_t buffer =
        has_room_for_two_ ? std::max(fill, drawn.decode) : fill + drawn.decode;
    const std::int64_t supplied = kBytesOfA + kBytesOfB + kBytesOfMetadata;
    own_ = {over(supplied, drawn.register_bytes), buffer, drawn.decode,
            over(kBytesOfB, drawn.selector_bytes), over(kProductsOfOne, drawn.multipliers)};
    first_after_ = has_room_for_two_ ? 0 : fill;
    // What takes no time passes by.
    const std::int64_t of_decoder = drawn.decode > 0 ? drawn.decoder_registers : 0;
    stages_.at(kDecoder).registers.resize(static_cast<std::size_t>(of_decoder));
    stages_.at(kSelector).registers.resize(static_cast<std::size_t>(drawn.selector_registers));
  }

  /// Runs to the end; what event_by_event() tells.
  std::vector<std::int64_t> run() {
    std::vector<std::int64_t> seen;
    std::int64_t done_at = kNeverSeen;
    while (done_at == kNeverSeen || now_ < done_at) {
      if (reading_ && std::max(left(*reading_, 0), reading_->begun[0] + 1) == now_) {
        if (++groups_read_ < std::ssize(drawn_.fragments_at)) seen.push_back(now_ + 1);
        reading_ = nullptr;
      }
      if (opening_ && result_of(*opening_) <= now_) {
        opening_ = nullptr;
        awaits_ = false;
      }
      for (std::size_t stage = kStages; stage-- > 0;) {
        let_out(stage);
        begin(stage);
        let_in(stage);
      }
      issue();
      for (std::size_t stage = kStages; stage-- > 0;) let_in(stage);
      for (Stage& stage : stages_) stage.has_taken = false;
      if (closing_ && left(*closing_, kMultipliers) < kNeverSeen) {
        const std::int64_t soon = closing_->begun[kMultipliers] + 1;
        done_at = std::max({soon, result_of(*closing_) - 1, left(*closing_, kMultipliers)}) + 1;
      }
      ++now_;
    }
    seen.push_back(done_at);
    return seen;
  }

 private:
  static constexpr std::size_t kStages = 5;
  static constexpr std::size_t kBuffer = 1, kDecoder = 2, kSelector = 3, kMultipliers = 4;
  struct Message {
    bool opens, closes;
    std::int64_t first;  // when its first byte is there, for the stage where it waits
    std::array<std::int64_t, kStages> begun{kNeverSeen, kNeverSeen, kNeverSeen, kNeverSeen,
                                            kNeverSeen};
    std::array<std::int64_t, kStages> out = begun;  // behind registers: its last beat
  };
  struct Beat {
    std::shared_ptr<Message> message;
    bool is_first = false, is_last = false;
  };
  struct Stage {
    std::deque<std::shared_ptr<Message>> waiting;
    std::shared_ptr<Message> at_work;
    std::vector<Beat> registers;  // the last one's beat leaves next
    std::int64_t beats = 0;       // of the message at work that have come in
    bool has_taken = false;       // in this cycle
  };

  /// When the last byte of a message has left a stage, as far as is known.
  [[nodiscard]] std::int64_t left(const Message& message, std::size_t at) const {
    if (!stages_.at(at).registers.empty()) return message.out.at(at);
    if (message.begun.at(at) == kNeverSeen) return kNeverSeen;
    const std::int64_t before = at == 0 ? message.begun[0] : left(message, at - 1);
    return std::max(before, message.begun.at(at) + own_.at(at));
  }
  [[nodiscard]] std::int64_t result_of(const Message& message) const {
    const std::int64_t begun = message.begun[kMultipliers];
    return std::max({begun + 1, begun + drawn_.latency, left(message, kMultipliers)});
  }
  [[nodiscard]] bool is_free(std::size_t at) const {
    const Stage& stage = stages_.at(at);
    if (!stage.registers.empty()) return !stage.at_work && !stage.has_taken;
    return !stage.at_work || own_.at(at) == 0 || left(*stage.at_work, at) <= now_;
  }
  [[nodiscard]] bool has_room(std::size_t at) const {
    if (at == kStages) return true;
    const auto waiting = std::ssize(stages_.at(at).waiting);
    return waiting < drawn_.depth || (waiting == 0 && is_free(at));
  }
  /// Words of metadata that wait to be decoded, or are.
  [[nodiscard]] std::int64_t held() const {
    const auto waiting = std::ssize(stages_.at(kDecoder).waiting);
    return kBytesOfMetadata * (waiting + (is_free(kDecoder) ? 0 : 1));
  }
  [[nodiscard]] bool may_begin(std::size_t at) const {
    if (!stages_.at(at).registers.empty()) return has_free_register(at);
    if (at != kBuffer) return has_room(at + 1);
    if (!has_room_for_two_) return stages_.at(kDecoder).waiting.empty() && is_free(kDecoder);
    return has_room(kDecoder) && held() + kBytesOfMetadata <= drawn_.buffer_bytes;
  }
  [[nodiscard]] bool has_free_register(std::size_t at) const {
    return !stages_.at(at).registers.front().message;
  }

  void begin(std::size_t at) {
    Stage& stage = stages_.at(at);
    while (!stage.waiting.empty() && is_free(at) && stage.waiting.front()->first <= now_ &&
           may_begin(at)) {
      const std::shared_ptr<Message> message = stage.waiting.front();
      stage.waiting.pop_front();
      stage.at_work = message;
      stage.beats = 0;
      message->begun.at(at) = now_;
      if (!stage.registers.empty()) return;
      if (at == kBuffer) message->first = now_ + first_after_;
      if (at == 0 && message->closes) reading_ = message;
      send(message, at);
    }
  }
  void send(const std::shared_ptr<Message>& message, std::size_t from) {
    if (from == kMultipliers) {
      if (message->opens) opening_ = message;
      if (message->closes && ++groups_done_ == std::ssize(drawn_.fragments_at)) closing_ = message;
      return;
    }
    message->first = std::max(message->first, now_);
    stages_.at(from + 1).waiting.push_back(message);
    begin(from + 1);
    let_in(from + 1);
  }

  /// The last register's beat goes on if it may; then each beat that has a free register before it.
  void let_out(std::size_t at) {
    std::vector<Beat>& registers = stages_.at(at).registers;
    if (registers.empty()) return;
    const Beat beat = registers.back();
    if (beat.message && (!beat.is_first || has_room(at + 1))) {
      registers.back() = {};
      if (beat.is_last) beat.message->out.at(at) = now_ + 1;
      if (beat.is_first) send(beat.message, at);
    }
    for (std::size_t place = registers.size() - 1; place > 0; --place) {
      if (!registers[place].message) std::swap(registers[place], registers[place - 1]);
    }
  }
  /// A beat of the message at work comes into the first register, from which it moves on in the
  /// next cycle.
  void let_in(std::size_t at) {
    Stage& stage = stages_.at(at);
    if (stage.registers.empty() || !stage.at_work || stage.has_taken || !has_free_register(at)) {
      return;
    }
    const std::int64_t there = left(*stage.at_work, at - 1);
    const bool is_first = stage.beats == 0;
    const std::int64_t begun = stage.at_work->begun.at(at);
    if (is_first) beats_of_.at(at) = std::max<std::int64_t>(own_.at(at), there > begun + 1 ? 2 : 1);
    const bool is_last = stage.beats + 1 == beats_of_.at(at);
    if (is_last && !is_first && there > now_ + 1) return;
    stage.has_taken = true;
    ++stage.beats;
    stage.registers.front() = {stage.at_work, is_first, is_last};
    if (is_last) stage.at_work = nullptr;
  }

  void issue() {
    const auto groups = std::ssize(drawn_.fragments_at);
    if (left_ == 0 && started_ < groups && groups_read_ == started_ && !awaits_ &&
        now_ >= drawn_.fragments_at[static_cast<std::size_t>(started_)]) {
      ++started_;
      left_ = drawn_.instructions;
      awaits_ = true;
    }
    if (left_ == 0 || now_ < next_issue_ || !has_room(0)) return;
    const bool opens = left_ == drawn_.instructions;
    stages_[0].waiting.push_back(std::make_shared<Message>(Message{opens, left_ == 1, now_}));
    --left_;
    next_issue_ = now_ + 1;
    begin(0);
  }

  DrawnSubCore drawn_;
  bool has_room_for_two_ = false;
  std::array<std::int64_t, kStages> own_{};
  std::array<std::int64_t, kStages> beats_of_{};  // of the message that a stage is at work on
  std::int64_t first_after_ = 0;
  std::array<Stage, kStages> stages_;
  std::shared_ptr<Message> reading_, opening_, closing_;
  bool awaits_ = false;  // the result of a group's first instruction
  std::int64_t now_ = 0, next_issue_ = 0, left_ = 0, started_ = 0, groups_read_ = 0,
               groups_done_ = 0;
};

/// Registers behind the decoder.
class RegistersOfDecoder final : public CircuitsOnly {
 public:
  explicit RegistersOfDecoder(std::int64_t depth) : registers_(depth) {}
  ClockedUnit* circuit_of(const UnitKind& stage) override {
    const bool is_meant = &stage == &MetadataDecoder::kKind && registers_.depth() > Cycles();
    return is_meant ? &registers_ : nullptr;
  }

 private:
  ElasticRegisters registers_;
};

/// Random sub-cores with one warp: every group's operands have been read, and its last result is
/// there, at the cycle at which a pipeline says so that is ticked cycle by cycle.
TEST(TickedStages, AreTheStagesEventByEvent) {
  const std::uint64_t first = seed_or(65'500);
  for (std::uint64_t seed = first; seed < first + 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const DrawnSubCore drawn = draw_sub_core(dice);
    RegistersOfDecoder registers(drawn.decoder_registers);
    ASSERT_EQ(event_by_event(drawn, &registers), TickedPipeline(drawn).run());
  }
}

}  // namespace
}  // namespace stcsim::test
