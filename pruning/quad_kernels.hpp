#pragma once

#include <cstdint>

#include "common/pattern.hpp"

namespace stcsim::pruning {

/// The pattern these kernels are for.
inline constexpr Pattern kTwoOfFour{2, 4};

/// The inner loops for 2:4, free of branches so that they vectorise. All take `count` contiguous
/// groups of four and write as many; `in` and `out` may be the same.

/// The two largest magnitudes of each group, the lower index where they are equal; else 0.
void keep_largest_quads(const float* in, std::int64_t count, float* out);

/// scale * sign(x) * max(|x| - t, 0), t the second-smallest magnitude of the group.
void soft_threshold_quads(const float* in, std::int64_t count, float scale, float* out);

/// See mvue_group() in mvue.hpp with n = 2.
/// @param uniforms one per group, in (0, 1)
void mvue_quads(const float* in, const float* uniforms, std::int64_t count, float* out);

/// See approximate_mvue_group() in mvue.hpp.
/// @param uniforms two per group, in (0, 1)
void approximate_mvue_quads(const float* in, const float* uniforms, std::int64_t count, float* out);

}  // namespace stcsim::pruning
