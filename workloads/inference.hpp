#pragma once

#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// The network as it is run after training: without dropout, and with batch normalisations folded
/// into the weights and biases of the layers before them, which leaves a bias (Jacob et al.,
/// "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
/// CVPR 2018, section 3.2).
[[nodiscard]] Network for_inference(Network network);

/// The scheme as its forward pass is run after training: its weights are pruned and compressed
/// beforehand, so work on weights is not done, and it is sparse whatever share of training it was.
[[nodiscard]] Scheme for_inference(Scheme scheme);

}  // namespace stcsim
