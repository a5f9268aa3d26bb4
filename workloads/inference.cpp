#include "workloads/inference.hpp"

#include <algorithm>

namespace stcsim {

Network for_inference(Network network) {
  for (Layer& layer : network.layers) {
    std::erase(layer.after, StreamOp::dropout);
    std::replace(layer.after.begin(), layer.after.end(), StreamOp::batch_norm, StreamOp::bias);
  }
  return network;
}

Scheme for_inference(Scheme scheme) {
  std::erase_if(scheme.work, [](const SchemeWork& work) { return work.tensor == Tensor::weight; });
  scheme.pruned_before = {Tensor::weight};
  scheme.share_of_training = 1.0;
  return scheme;
}

}  // namespace stcsim
