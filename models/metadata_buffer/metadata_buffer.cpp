#include "models/metadata_buffer/metadata_buffer.hpp"

#include <algorithm>

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

}  // namespace stcsim
