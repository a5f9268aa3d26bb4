#include "workloads/layer.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

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

using Sizes = std::initializer_list<std::int64_t>;
using NamedSizes = std::initializer_list<std::pair<const char*, std::int64_t>>;

/// True if the product of sizes of at least 1 is above kMaxLayerCount; does not overflow.
bool exceeds_limit(Sizes sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (size > kMaxLayerCount / product) return true;
    product *= size;
  }
  return false;
}

std::string below_one(NamedSizes sizes) {
  for (const auto& [name, size] : sizes) {
    if (size < 1) return std::string(name) + " is " + std::to_string(size) + ", must be at least 1";
  }
  return "";
}

std::string too_large(const char* what) {
  return std::string("the layer has more than 2^53 ") + what + " in a training step";
}

std::string bmm_fault(const Layer& layer, std::int64_t batch) {
  const std::string fault = below_one(
      {{"m", layer.bmm_m}, {"n", layer.bmm_n}, {"k", layer.bmm_k}, {"count", layer.count}});
  if (!fault.empty()) return fault;
  if (layer.weight_pattern) return "a bmm has no weights, so no weight pattern";
  const Sizes macs{layer.bmm_m, layer.bmm_n, layer.bmm_k, layer.count, layer.repeat, batch};
  return exceeds_limit(macs) ? too_large("multiply-accumulates") : "";
}

std::string embedding_fault(const Layer& layer, std::int64_t batch) {
  const std::string fault = below_one({{"vocabulary", layer.in_channels},
                                       {"features", layer.out_channels},
                                       {"tokens", layer.height}});
  if (!fault.empty()) return fault;
  if (exceeds_limit({layer.in_channels, layer.out_channels, layer.repeat})) {
    return too_large("parameters");
  }
  const Sizes activations{layer.out_channels, layer.height, layer.repeat, batch};
  return exceeds_limit(activations) ? too_large("activations") : "";
}

std::string window_fault(const Layer& layer) {
  const auto fits = [&](std::int64_t kernel, std::int64_t input) {
    return kernel - 2 * layer.pad <= input;
  };
  if (fits(layer.kernel_height, layer.height) && fits(layer.kernel_width, layer.width)) return "";
  return "kernel " + std::to_string(layer.kernel_height) + "x" +
         std::to_string(layer.kernel_width) + " is larger than the input " +
         std::to_string(layer.height) + "x" + std::to_string(layer.width) + " with pad " +
         std::to_string(layer.pad);
}

std::string channel_fault(const Layer& layer) {
  if (layer.in_channels % layer.groups == 0 && layer.out_channels % layer.groups == 0) return "";
  return "groups " + std::to_string(layer.groups) + " must divide the " +
         std::to_string(layer.in_channels) + " input and " + std::to_string(layer.out_channels) +
         " output channels";
}

std::string size_fault(const Layer& layer, std::int64_t batch) {
  const std::int64_t times = layer.repeat;
  if (exceeds_limit({layer.in_channels, layer.height, layer.width, times, batch}) ||
      exceeds_limit({layer.out_channels, layer.out_height(), layer.out_width(), times, batch})) {
    return too_large("activations");
  }
  if (exceeds_limit({layer.out_channels, layer.out_height(), layer.out_width(),
                     layer.in_channels_per_group(), layer.kernel_height, layer.kernel_width, times,
                     batch})) {
    return too_large("multiply-accumulates");
  }
  return "";
}

std::string conv_fault(const Layer& layer, std::int64_t batch) {
  std::string fault = below_one({{"input channels", layer.in_channels},
                                 {"output channels", layer.out_channels},
                                 {"input height", layer.height},
                                 {"input width", layer.width},
                                 {"kernel height", layer.kernel_height},
                                 {"kernel width", layer.kernel_width},
                                 {"stride", layer.stride},
                                 {"groups", layer.groups}});
  if (fault.empty() && (layer.pad < 0 || layer.pad > kMaxLayerCount)) {
    fault = "pad is " + std::to_string(layer.pad) + ", must be 0 to 2^53";
  }
  if (fault.empty()) fault = channel_fault(layer);
  if (fault.empty()) fault = window_fault(layer);
  if (fault.empty()) fault = size_fault(layer, batch);
  return fault;
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

std::string find_fault(const Layer& layer, std::int64_t batch) {
  const std::string fault = below_one({{"batch", batch}, {"repeat", layer.repeat}});
  if (!fault.empty()) return fault;
  if (layer.kind == LayerKind::embedding) return embedding_fault(layer, batch);
  return layer.kind == LayerKind::bmm ? bmm_fault(layer, batch) : conv_fault(layer, batch);
}

}  // namespace stcsim
