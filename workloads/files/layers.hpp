#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/io/problems.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// A linear layer after which its bias is added, if it has one, and `after` done.
[[nodiscard]] Layer linear_layer(std::string name, LayerRole role, std::int64_t in,
                                 std::int64_t out, std::int64_t tokens, bool bias,
                                 std::vector<StreamOp> after = {});
[[nodiscard]] Layer embedding_layer(std::string name, std::int64_t rows, std::int64_t features,
                                    std::int64_t tokens, std::vector<StreamOp> after = {});

/// So many products of activations, C[m x n] = A[m x k] B[k x n].
[[nodiscard]] Layer product_layer(LayerRole role, std::int64_t count, std::int64_t m,
                                  std::int64_t n, std::int64_t k);

/// The layer whose product in `phase` is C[m x n] = A[m x k] B[k x n], and which has no other.
/// @param batch above 1: a bmm, which is no scheme's
[[nodiscard]] Layer gemm_layer(Phase phase, std::int64_t m, std::int64_t n, std::int64_t k,
                               std::int64_t batch = 1);

/// The convolution of [batch, channels, rows, columns] by [outputs, channels of a group, rows,
/// columns], without rows, or with planes before them: the planes that a plane of the output reads
/// are channels then, and `height` is one plane's. Nothing if they do not go together.
[[nodiscard]] std::optional<Layer> convolution_layer(const std::vector<std::int64_t>& data,
                                                     const std::vector<std::int64_t>& weight);

/// How a kernel moves along an axis.
struct AxisWindow {
  std::int64_t stride = 1;
  std::int64_t pad = 0;
};
void set_windows(Layer& layer, AxisWindow rows, AxisWindow columns);

/// Numbers layers of a name that is there already: "mm", "mm#2".
void number_equal_names(std::vector<Layer>& layers);

/// Fails if a layer of the network is impossible, or there is none.
void check_layers(const Network& network, Problems& problems);

}  // namespace stcsim
