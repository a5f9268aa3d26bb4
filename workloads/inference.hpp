#pragma once

#include "workloads/layer.hpp"

namespace stcsim {

/// The network as it is run after training: without dropout, and with batch normalisations folded
/// into the weights and biases of the layers before them, which leaves a bias (Jacob et al.,
/// "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
/// CVPR 2018, section 3.2).
[[nodiscard]] Network for_inference(Network network);

}  // namespace stcsim
