#include "workloads/layer.hpp"

#include <array>

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"conv", "linear", "bmm", "embedding"};
constexpr std::array<std::string_view, 5> kRoleNames{"stem", "body", "attention", "ffn",
                                                     "classifier"};
constexpr std::array<std::string_view, kStreamOps> kOpNames{
    "bias",    "batch_norm", "layer_norm",   "relu",     "gelu",
    "softmax", "dropout",    "residual_add", "max_pool", "avg_pool"};
constexpr std::array<std::string_view, kOptimizers> kOptimizerNames{"sgd_momentum", "adam", "lamb"};

constexpr std::array<std::string_view, 2> kAttentionNames{"scores", "values"};

std::int64_t output_size(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                         std::int64_t pad) {
  return (input + 2 * pad - kernel) / stride + 1;
}

}  // namespace

std::string_view to_string(LayerKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}
std::string_view to_string(Attention attention) {
  return kAttentionNames.at(static_cast<std::size_t>(attention));
}
std::string_view to_string(LayerRole role) {
  return kRoleNames.at(static_cast<std::size_t>(role));
}
std::string_view to_string(StreamOp op) {
  return kOpNames.at(static_cast<std::size_t>(op));
}
std::string_view to_string(Optimizer optimizer) {
  return kOptimizerNames.at(static_cast<std::size_t>(optimizer));
}

std::int64_t Layer::out_height() const {
  return output_size(height, kernel_height, stride, pad);
}

std::int64_t Layer::out_width() const {
  return output_size(width, kernel_width, stride, pad);
}

std::int64_t Layer::output_elements() const {
  if (kind == LayerKind::bmm) return bmm_m * bmm_n * count;
  return out_channels * out_height() * out_width();
}

std::int64_t Layer::input_elements() const {
  if (kind == LayerKind::bmm) return bmm_m * bmm_k * count;
  if (kind == LayerKind::embedding) return height;
  return in_channels * height * width;
}

std::int64_t Layer::weight_elements() const {
  if (kind == LayerKind::bmm || tied) return 0;
  return out_channels * in_channels_per_group() * kernel_height * kernel_width;
}

std::int64_t Layer::forward_macs() const {
  if (kind == LayerKind::bmm) return bmm_m * bmm_n * bmm_k * count;
  if (!has_product()) return 0;
  return output_elements() * in_channels_per_group() * kernel_height * kernel_width;
}

std::int64_t Network::forward_macs() const {
  std::int64_t macs = 0;
  for (const Layer& layer : layers) macs += layer.repeat * layer.forward_macs();
  return macs;
}

std::int64_t Network::parameters() const {
  std::int64_t parameters = other_parameters;
  for (const Layer& layer : layers) {
    const std::int64_t biases = layer.bias ? layer.out_channels : 0;
    parameters += layer.repeat * (layer.weight_elements() + biases);
  }
  return parameters;
}

}  // namespace stcsim
