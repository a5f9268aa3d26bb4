#pragma once

#include <cstdint>

namespace stcsim::test {

/// So many times: sets a number of a shipped machine to some value, small, huge, prime or any, and
/// does with it what `stcsim gemm` does. Expects a result, or a refusal that says what would be
/// right; never that the simulation fails.
void expect_results_or_refusals(std::uint64_t seed, std::int64_t cases);

}  // namespace stcsim::test
