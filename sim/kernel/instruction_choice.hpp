#pragma once

#include <optional>

#include "models/base/mma_instruction.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// The instruction kernels use for `dtype` on hardware pattern `pattern`: of those listed with the
/// usual accumulator (accumulator_of) the one with the longest k. For a native pattern without a
/// listed instruction it is derived from the dense one: the same kept values per instruction
/// (logical k grows by m/n) and the same latency. Nothing if the machine does not multiply this
/// type or has no such pattern.
[[nodiscard]] std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                                            DataType dtype, Pattern pattern);

}  // namespace stcsim
