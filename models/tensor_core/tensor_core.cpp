#include "models/tensor_core/tensor_core.hpp"

#include <algorithm>

#include "common/counts.hpp"

namespace stcsim {

Cycles MetadataBuffer::decoding_cycles(const OperandSelectorConfig& config,
                                       const MmaInstruction& instruction) {
  const std::int64_t bytes = operands_of(instruction).metadata_bytes;
  if (bytes == 0) return {};
  const Cycles least(config.metadata_decode_cycles);
  if (config.metadata_decode_bytes_per_clk >= field::kMostBytesPerClk) return least;
  return std::max(least, cycles_for(bytes, config.metadata_decode_bytes_per_clk));
}

Cycles MetadataBuffer::cycles(const OperandSelectorConfig& config,
                              const MmaInstruction& instruction) {
  const std::int64_t bytes = operands_of(instruction).metadata_bytes;
  if (bytes == 0) return {};
  const Cycles decode = decoding_cycles(config, instruction);
  if (config.metadata_fill_bytes_per_clk >= field::kMostBytesPerClk) return decode;
  const Cycles fill = cycles_for(bytes, config.metadata_fill_bytes_per_clk);
  return config.metadata_buffer_bytes >= 2 * bytes ? std::max(fill, decode) : fill + decode;
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

Cycles Multipliers::cycles(const TensorCoreConfig& config, const MmaInstruction& instruction) {
  const std::int64_t rows = ceil_div(instruction.m, config.rows_at_a_time) * config.rows_at_a_time;
  return cycles_for(kept_macs(instruction) / instruction.m * rows,
                    config.fma_per_clk(instruction.dtype));
}

InstructionPace Multipliers::pace_at_end(const WarpProgram& program, Cycles slowest) const {
  if (!program.instruction) return {};
  const Cycles latency(program.instruction->latency_cycles +
                       (program.of_cta_pair ? config_->cta_pair_cycles : 0));
  if (program.bubble > Millicycles()) return {slowest, program.bubble, latency, true};
  const Millicycles whole = program.instruction->accumulator == DataType::fp16
                                ? config_->same_warp_bubble_fp16
                                : config_->same_warp_bubble;
  return {slowest, Millicycles(whole.count() * own().count() / slowest.count()), latency};
}

}  // namespace stcsim
