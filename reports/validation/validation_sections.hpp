#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// "software of a100: nvidia (...)" for each machine.
[[nodiscard]] std::vector<std::string> validation_software(const ValidationResults& results);

/// What people read of instructions, networks and stream kernels, each with a title, and of the
/// machines' software;
/// "" if there are none.
[[nodiscard]] std::string validation_sections(const ValidationResults& results,
                                              std::size_t width = kAnyWidth);

/// The same in Markdown, for validation.md.
[[nodiscard]] std::string validation_sections_markdown(const ValidationResults& results);

/// What the figures of a section mean, a sentence or two without line breaks.
inline constexpr const char* kInstructionLegend =
    "Latency: cycles of a pass with one warp and one chain. FMA/clk/SM: dense-equivalent "
    "multiply-accumulates. ILP: independent chains per warp; where none is published, the smallest "
    "of 1 to 6 within 3 % of the best.";
inline constexpr const char* kStreamLegend =
    "Kernels of element-wise operations, softmax and layer normalisation on their own, held "
    "against "
    "those of the framework pytorch_eager that move the same tensors.";
inline constexpr const char* kNetworkLegend =
    "A range is met only if all simulated values lie in it: the error is that of the value "
    "furthest "
    "outside.";

}  // namespace stcsim
