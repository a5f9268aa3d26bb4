#pragma once

#include <optional>
#include <vector>

#include "models/base/mma_instruction.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// The instructions kernels may use for `dtype` on hardware pattern `pattern`, the one with the
/// longest k first. Of those listed with the usual accumulator (accumulator_of) that is the longest
/// only. For a native pattern without a listed instruction they are derived from the longest dense
/// one: whole groups of the pattern, at most as many kept values of a row of A as that has (but at
/// least one group), in equal parts of this, and a logical k not below the dense one's. Their
/// latency is that of the shortest dense instruction listed that has as many values. None if the
/// machine does not multiply this type or has no such pattern.
[[nodiscard]] std::vector<MmaInstruction> instructions_for(const StreamingMultiprocessorConfig& sm,
                                                           DataType dtype, Pattern pattern);

/// The first of them.
[[nodiscard]] std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                                            DataType dtype, Pattern pattern);

}  // namespace stcsim
