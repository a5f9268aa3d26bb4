#pragma once

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// What SR-STE adds to the gradient of the dense weights: lambda * (1 - E) * W, E the mask of
/// magnitude pruning (Zhou et al., "Learning N:M Fine-grained Structured Sparse Neural Networks
/// From Scratch", ICLR 2021; lambda = 2e-4 there).
/// @param pruned the weights as prune_by_magnitude() left them
[[nodiscard]] Matrix sr_ste_decay(const Matrix& weights, const Matrix& pruned, float lambda);

}  // namespace stcsim::pruning
