#pragma once

#include <cstdint>

namespace stcsim::test {

/// Runs GEMMs and stream kernels one after the other on so many random machines and expects that
/// none of them, nor the sequence as a whole, is faster than what it moves and multiplies allows.
void expect_physics_on_random_machines(std::uint64_t seed, std::int64_t machines);

}  // namespace stcsim::test
