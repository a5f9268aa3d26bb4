#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/base/arguments.hpp"
#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/experiment.hpp"
#include "sim/functional/operands.hpp"

namespace stcsim {

/// A GEMM of a network's layer, as a study would run it.
struct LayerGemmChoice {
  GemmProblem problem;
  /// The dense baseline: never transposed, and in the data type asked for.
  GemmProblem dense;
  /// How the scheme prunes its sparse operand; "" if there is none.
  std::string prune;
  /// Why it is not what the scheme asks for; "" if it is.
  std::string reason;
  /// "layer3.0.conv2 of resnet50, batch 256, backward (dgrad), scheme sdgp: ...".
  std::string title;
};

/// @param dtype of the dense baseline, and of the GEMM unless the scheme has another
/// @throws ConfigError for names that are not known, options that would have no effect, a phase
///         that the layer does not have, one of several GEMMs without --part
[[nodiscard]] LayerGemmChoice layer_gemm_of(const Arguments& arguments, const MachineSpec& machine,
                                            DataType dtype);

/// What was asked for, for the resolved configuration.
[[nodiscard]] nlohmann::ordered_json layer_gemm_json(const Arguments& arguments,
                                                     const LayerGemmChoice& choice);

/// Reads operand A or B of `problem` from a NumPy file: M x K or K x N, before it the batch if
/// there is more than one GEMM. The second axis may be several (the weights of a convolution, C_out
/// x height x width x C_in). Throws ConfigError "FILE: error: ..." for another shape, and for what
/// is no such file.
[[nodiscard]] PlainMatrix operand_file(const std::string& file, const GemmProblem& problem,
                                       Operand operand);

/// Hash of the numbers.
[[nodiscard]] std::string sha256_of(const PlainMatrix& matrix);

}  // namespace stcsim
