#pragma once

#include <filesystem>
#include <string>

#include "workloads/files/import.hpp"

namespace stcsim {

/// Reads an ONNX graph (opsets 6 to 23), with or without its weights: convolutions, Gemm, MatMul,
/// Einsum of two operands, attention as one operator (ai.onnx and com.microsoft), LSTM and GRU, and
/// the operations between them. A named dimension is what `sizes` says; of an input's first one,
/// the batch, 1 if nothing does: layers are of a sample.
/// @throws ConfigError with everything that is wrong: sizes that are not stated, products behind
///         operators that are not known
[[nodiscard]] ImportedNetwork read_onnx(const std::filesystem::path& path, const std::string& name,
                                        const ImportOptions& options);

}  // namespace stcsim
