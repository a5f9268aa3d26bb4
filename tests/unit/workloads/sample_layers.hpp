#pragma once

#include <map>
#include <tuple>

#include "workloads/layer.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {

/// A convolution with a square input and kernel.
inline Layer conv_layer(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size,
                        std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  Layer layer;
  layer.name = "conv";
  layer.in_channels = in_channels;
  layer.out_channels = out_channels;
  layer.height = size;
  layer.width = size;
  layer.kernel_height = kernel;
  layer.kernel_width = kernel;
  layer.stride = stride;
  layer.pad = pad;
  return layer;
}

inline Layer linear_layer(std::int64_t in_features, std::int64_t out_features,
                          std::int64_t tokens) {
  Layer layer;
  layer.name = "linear";
  layer.kind = LayerKind::linear;
  layer.in_channels = in_features;
  layer.out_channels = out_features;
  layer.height = tokens;
  return layer;
}

inline Layer embedding_layer(std::int64_t vocabulary, std::int64_t features, std::int64_t tokens) {
  Layer layer;
  layer.name = "embedding";
  layer.kind = LayerKind::embedding;
  layer.in_channels = vocabulary;
  layer.out_channels = features;
  layer.height = tokens;
  layer.needs_dgrad = false;
  return layer;
}

inline Layer bmm_layer(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
  Layer layer;
  layer.name = "bmm";
  layer.kind = LayerKind::bmm;
  layer.bmm_m = m;
  layer.bmm_n = n;
  layer.bmm_k = k;
  layer.count = count;
  return layer;
}

/// How often a product of a shape (m, n, k, count) runs in a phase of a step: what a network is to
/// the simulator.
using ProductCounts =
    std::map<std::tuple<Phase, std::int64_t, std::int64_t, std::int64_t, std::int64_t>,
             std::int64_t>;

inline ProductCounts products_of(const Network& network, std::int64_t batch) {
  ProductCounts counts;
  for (const Layer& layer : network.layers) {
    for (const Phase phase : kPhases) {
      for (const GemmProblem& gemm : lower(layer, phase, batch)) {
        counts[{phase, gemm.m, gemm.n, gemm.k, gemm.batch_count}] += layer.repeat;
      }
    }
  }
  return counts;
}

}  // namespace stcsim
