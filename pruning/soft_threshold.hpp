#pragma once

#include <optional>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// S-STE (Hu et al., "S-STE: Continuous Pruning Function for Efficient 2:4 Sparse Pre-training",
/// NeurIPS 2024): out = beta * S(w), S(w) = sign(w) * max(|w| - t, 0), where t is the largest
/// magnitude of the group that must go, the (n+1)-th largest. At most n elements are left, fewer
/// where magnitudes are equal; the function is continuous.
void soft_threshold(const Matrix& in, Pattern pattern, float beta, int threads, Matrix& out);

/// The scale that brings beta * S(w) closest to w: <w, S(w)> / |S(w)|^2, once per tensor at the
/// start of training and then frozen (as above). 1 if S(w) is all zeros. The sums are those of the
/// rows in order, so the number of threads makes no difference.
[[nodiscard]] float soft_threshold_scale(const Matrix& in, Pattern pattern, int threads);

}  // namespace stcsim::pruning
