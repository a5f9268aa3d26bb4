#pragma once

#include <cstdint>
#include <string_view>

#include "pruning/matrix.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {

/// True if `text` asks for generated numbers, "KIND:SHAPE" with letters before the colon.
[[nodiscard]] bool is_generated_input(std::string_view text);

/// Generates "normal:1024x1024" (mean 0, variance 1, by Box and Muller), "uniform:..." (from -1 to
/// 1) or "constant:..." (ones), with any number of axes. The same for the same seed everywhere, up
/// to the rounding of the C library's logarithm and sine. Throws ConfigError for anything else.
[[nodiscard]] Tensor generated_input(std::string_view text, std::uint64_t seed,
                                     Purpose purpose = Purpose::input);

}  // namespace stcsim::pruning
