#pragma once

#include <filesystem>
#include <string>

#include "workloads/files/import.hpp"

namespace stcsim {

/// Reads a PyTorch profile recorded with shapes: the products and convolutions that ran in its last
/// step, each forward with its gradients by autograd's sequence numbers, how often, and what their
/// kernels took (Layer::measured). Strides that the profile does not state follow from the size of
/// the output: its gradient's, or what the next operator reads.
/// @throws ConfigError with all that is wrong: no shapes, convolutions whose output is not known
[[nodiscard]] ImportedNetwork read_trace(const std::filesystem::path& path,
                                         const std::string& name);

}  // namespace stcsim
