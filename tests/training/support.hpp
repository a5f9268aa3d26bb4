#pragma once

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "training/timeline.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

/// A run of 100 steps in which every period is one step.
inline Timeline timeline_of(const Scheme& scheme) {
  return {scheme, 100, Schedule{}, 300'000};
}

inline Layer conv_layer(std::int64_t in, std::int64_t out, std::int64_t side, std::int64_t kernel,
                        std::int64_t stride, std::int64_t pad) {
  Layer layer;
  layer.name = "conv";
  layer.in_channels = in;
  layer.out_channels = out;
  layer.height = layer.width = side;
  layer.kernel_height = layer.kernel_width = kernel;
  layer.stride = stride;
  layer.pad = pad;
  return layer;
}

inline Layer linear_layer(std::int64_t in, std::int64_t out, std::int64_t tokens) {
  Layer layer;
  layer.name = "linear";
  layer.kind = LayerKind::linear;
  layer.role = LayerRole::ffn;
  layer.in_channels = in;
  layer.out_channels = out;
  layer.height = tokens;
  return layer;
}

inline at::Tensor random_input(const Layer& layer, std::int64_t samples) {
  if (layer.kind == LayerKind::conv) {
    return at::randn({samples, layer.in_channels, layer.height, layer.width});
  }
  if (layer.height == 1) return at::randn({samples, layer.in_channels});
  return at::randn({samples, layer.height, layer.in_channels});
}

inline at::Tensor random_weight(const Layer& layer) {
  if (layer.kind == LayerKind::linear) return at::randn({layer.out_channels, layer.in_channels});
  return at::randn(
      {layer.out_channels, layer.in_channels_per_group(), layer.kernel_height, layer.kernel_width});
}

/// Equal but for the rounding of sums of fp32.
inline void expect_close(const at::Tensor& got, const at::Tensor& wanted, const std::string& what) {
  ASSERT_EQ(got.sizes(), wanted.sizes()) << what;
  const double scale = wanted.abs().max().item<double>();
  const double apart = (got.to(at::kDouble) - wanted.to(at::kDouble)).abs().max().item<double>();
  EXPECT_LE(apart, 1e-5 * (scale + 1e-30)) << what;
}

}  // namespace stcsim::training
