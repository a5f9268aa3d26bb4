#include "pruning/sr_ste.hpp"

namespace stcsim::pruning {

Matrix sr_ste_decay(const Matrix& weights, const Matrix& pruned, float lambda) {
  Matrix decay(weights.rows, weights.columns);
  for (std::size_t i = 0; i < decay.values.size(); ++i) {
    // A kept zero and a pruned zero are alike: neither decays.
    decay.values[i] = pruned.values[i] == 0 ? lambda * weights.values[i] : 0.0F;
  }
  return decay;
}

}  // namespace stcsim::pruning
