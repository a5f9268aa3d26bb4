#pragma once

#include <algorithm>
#include <cstdint>

#include "common/pattern.hpp"

namespace stcsim::pruning {

/// Groups of four that are worked on at once.
inline constexpr std::int64_t kQuadBlock = 128;

/// Calls body(group, a, b, c, d) for every contiguous group of four; what it leaves in a to d goes
/// to `out`. A block of groups is first turned so that loops over groups vectorise, which `body`
/// must not stand in the way of: no branches, no calls.
template <typename Body>
[[gnu::always_inline]] inline void for_each_quad(const float* in, std::int64_t count, float* out,
                                                 Body body) {
  float a[kQuadBlock];
  float b[kQuadBlock];
  float c[kQuadBlock];
  float d[kQuadBlock];
  for (std::int64_t begin = 0; begin < count; begin += kQuadBlock) {
    const std::int64_t now = std::min(kQuadBlock, count - begin);
    for (std::int64_t g = 0; g < now; ++g) {
      a[g] = in[4 * (begin + g)];
      b[g] = in[4 * (begin + g) + 1];
      c[g] = in[4 * (begin + g) + 2];
      d[g] = in[4 * (begin + g) + 3];
    }
    for (std::int64_t g = 0; g < now; ++g) body(begin + g, a[g], b[g], c[g], d[g]);
    for (std::int64_t g = 0; g < now; ++g) {
      out[4 * (begin + g)] = a[g];
      out[4 * (begin + g) + 1] = b[g];
      out[4 * (begin + g) + 2] = c[g];
      out[4 * (begin + g) + 3] = d[g];
    }
  }
}

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

/// See prune_approximate_mvue() in mvue.hpp.
/// @param uniforms two per group, in (0, 1)
void approximate_mvue_quads(const float* in, const float* uniforms, std::int64_t count, float* out);

}  // namespace stcsim::pruning
