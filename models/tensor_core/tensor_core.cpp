#include "models/tensor_core/tensor_core.hpp"

#include <algorithm>
#include <utility>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "models/functional/instruction_values.hpp"

namespace stcsim {
namespace {

/// Bytes of metadata of the launch's instructions.
std::int64_t metadata_bytes_of(const WarpProgram& program) {
  return program.instruction ? operands_of(*program.instruction).metadata_bytes : 0;
}

/// Cycles that words take from the register file into the buffer.
Cycles filling_cycles(const OperandSelectorConfig& config, std::int64_t bytes) {
  if (config.metadata_fill_bytes_per_clk >= field::kMostBytesPerClk) return {};
  return cycles_for(bytes, config.metadata_fill_bytes_per_clk);
}

bool has_room_for_two(const OperandSelectorConfig& config, std::int64_t bytes) {
  return config.metadata_buffer_bytes >= 2 * bytes;
}

}  // namespace

Cycles MetadataDecoder::cycles(const OperandSelectorConfig& config, std::int64_t bytes) {
  if (bytes == 0) return {};
  const Cycles least(config.metadata_decode_cycles);
  if (config.metadata_decode_bytes_per_clk >= field::kMostBytesPerClk) return least;
  return std::max(least, cycles_for(bytes, config.metadata_decode_bytes_per_clk));
}

Cycles MetadataDecoder::own_cycles(const WarpProgram& program) {
  return cycles(*config_, metadata_bytes_of(program));
}

std::int64_t MetadataDecoder::use(StageMessage& message, Cycle /*now*/) {
  return std::exchange(message.work.metadata_bytes, 0);
}

void MetadataDecoder::work_on(const StageMessage& message) {
  message.values->decode(message.values->is_sparse() ? buffer->take_words()
                                                     : std::vector<std::uint32_t>());
}

Cycles MetadataBuffer::cycles(const OperandSelectorConfig& config, std::int64_t bytes) {
  if (bytes == 0) return {};
  const Cycles decode = MetadataDecoder::cycles(config, bytes);
  const Cycles fill = filling_cycles(config, bytes);
  return has_room_for_two(config, bytes) ? std::max(fill, decode) : fill + decode;
}

Cycles MetadataBuffer::own_cycles(const WarpProgram& program) {
  const std::int64_t bytes = metadata_bytes_of(program);
  decoding_ = MetadataDecoder::cycles(*config_, bytes);
  held_.clear();  // of a launch that was given up
  queued_ = 0;
  if (queue_ != nullptr) queue_->reset();
  return cycles(*config_, bytes);
}

std::int64_t MetadataBuffer::use(StageMessage& message, Cycle now) {
  const std::int64_t bytes = message.work.metadata_bytes;
  if (!has_room_for_two(*config_, bytes)) message.first = now + filling_cycles(*config_, bytes);
  if (queue_ != nullptr && bytes > 0) {
    queue_->clock(true, false);
    ++queued_;
  }
  return bytes;
}

void MetadataBuffer::amend(const WarpProgram& program, InstructionPace& pace) const {
  const std::int64_t bytes = metadata_bytes_of(program);
  if (!has_room_for_two(*config_, bytes))
    pace.latency = pace.latency + filling_cycles(*config_, bytes);
}

bool MetadataBuffer::may_begin(const StageMessage& message, Cycle now) const {
  const std::int64_t bytes = message.work.metadata_bytes;
  if (bytes == 0) return next->has_room(now);
  if (queue_ != nullptr) {
    let_go(bytes, now);
    return next->has_room(now) && queue_->ready(false);
  }
  if (!has_room_for_two(*config_, bytes)) return next->is_idle(now);
  return next->has_room(now) && next->metadata_bytes(now) + bytes <= config_->metadata_buffer_bytes;
}

void MetadataBuffer::let_go(std::int64_t bytes, Cycle now) const {
  for (; queued_ > next->metadata_bytes(now) / bytes; --queued_) queue_->clock(false, true);
}

void MetadataBuffer::work_on(const StageMessage& message) {
  if (message.work.metadata_bytes == 0) return;
  // What leaves in a cycle makes room in that cycle, so that what was held before it is what
  // counts.
  std::int64_t held = 0;
  for (const Held& one : held_) held += one.bytes;
  if (held_.size() > 1 && held > config_->metadata_buffer_bytes) {
    throw SimulationError("the metadata buffer has no room for the words of an instruction");
  }
  held_.push_back({message.work.metadata_bytes, message.values->take_metadata()});
}

std::vector<std::uint32_t> MetadataBuffer::take_words() {
  if (held_.empty()) throw SimulationError("the metadata buffer holds no words to be decoded");
  std::vector<std::uint32_t> words = std::move(held_.front().words);
  held_.erase(held_.begin());
  return words;
}

Cycles OperandSelector::cycles(const OperandSelectorConfig& config,
                               const TensorCoreConfig& multipliers,
                               const MmaInstruction& instruction) {
  if (instruction.pattern.is_dense()) return {};
  const Cycles input = cycles_for(operands_of(instruction).b_bytes, config.b_bytes_per_clk);
  const std::int64_t passes = config.passes(instruction.pattern);
  if (passes == 1) return input;
  return std::max(input, Multipliers::cycles(multipliers, instruction) * passes);
}

Cycles OperandSelector::own_cycles(const WarpProgram& program) {
  if (!program.instruction) return {};
  products_ = Multipliers::cycles(*multipliers_, *program.instruction);
  return cycles(*config_, *multipliers_, *program.instruction);
}

Cycles OperandSelector::own_cycles_of(const StageMessage& message) const {
  const InstructionWork& work = message.work;
  if (work.looks == 0) return own();
  const Cycles input = cycles_for(work.b_bytes, config_->b_bytes_per_clk);
  if (work.looks <= work.groups) return input;
  return std::max(input, cycles_for(products_.count() * work.looks, work.groups));
}

std::int64_t OperandSelector::use(StageMessage& message, Cycle /*now*/) {
  return std::exchange(message.work.b_bytes, 0);
}

void OperandSelector::work_on(const StageMessage& message) {
  message.values->select();
}

Cycles Multipliers::cycles(const TensorCoreConfig& config, const MmaInstruction& instruction) {
  const std::int64_t rows = ceil_div(instruction.m, config.rows_at_a_time) * config.rows_at_a_time;
  return cycles_for(kept_macs(instruction) / instruction.m * rows,
                    config.fma_per_clk(instruction.dtype));
}

Cycles Multipliers::own_cycles_of(const StageMessage& message) const {
  return cycles_for(own().count() * message.work.slots, message.work.all_slots);
}

std::int64_t Multipliers::use(StageMessage& message, Cycle /*now*/) {
  put_off(message, message.bubble);
  return std::exchange(message.work.a_bytes, 0);
}

void Multipliers::work_on(const StageMessage& message) {
  message.values->multiply();
}

void Multipliers::amend(const WarpProgram& program, InstructionPace& pace) const {
  if (!program.instruction) return;
  pace.latency = std::max(Accumulators::latency(*config_, program), own());
  pace.same_warp_bubble = program.bubble;
  pace.has_bubbles_between_warps = program.bubble > Millicycles();
  if (pace.has_bubbles_between_warps) return;
  const Millicycles whole = program.instruction->accumulator == DataType::fp16
                                ? config_->same_warp_bubble_fp16
                                : config_->same_warp_bubble;
  pace.same_warp_bubble = Millicycles(whole.count() * own().count() / pace.interval.count());
}

Cycles Accumulators::latency(const TensorCoreConfig& config, const WarpProgram& program) {
  return Cycles(program.instruction->latency_cycles +
                (program.of_cta_pair ? config.cta_pair_cycles : 0));
}

std::int64_t Accumulators::use(StageMessage& message, Cycle now) {
  if (progress == nullptr) return 0;
  const Cycle soon = now + kOneCycle;
  const Cycle result = seen_from(message, now);
  using Kind = GroupProgress::Kind;
  if (message.opens_group) progress->push(result, 1, {message.warp, Kind::first_result});
  // The warp's end is told a cycle later, and not before its fragments have been read.
  const Cycle before = std::max({soon, result - kOneCycle, message.last});
  if (message.closes_group) progress->push(before, 1, {message.warp, Kind::last_result});
  return 0;
}

void Accumulators::work_on(const StageMessage& message) {
  message.values->accumulate();
}

}  // namespace stcsim
