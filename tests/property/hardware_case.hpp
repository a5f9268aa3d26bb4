#pragma once

#include <cstdint>

namespace stcsim::test {

/// Draws pairs of machines, of which the second has one pattern more or one unit wider, and expects
/// that no GEMM takes longer on the second by more than 1 % or 64 cycles, whichever is larger, if
/// the fastest of all candidates counts on both.
void expect_hardware_never_hurts(std::uint64_t seed, std::int64_t pairs);

}  // namespace stcsim::test
