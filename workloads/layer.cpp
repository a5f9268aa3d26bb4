#include "workloads/layer.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "common/io/problems.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"conv", "linear", "bmm", "embedding"};
constexpr std::array<std::string_view, 5> kRoleNames{"stem", "body", "attention", "ffn",
                                                     "classifier"};
constexpr std::array<std::string_view, kOptimizers> kOptimizerNames{"sgd_momentum", "adam", "lamb",
                                                                    "adam_fused"};

constexpr std::array<std::string_view, 2> kAttentionNames{"scores", "values"};
/// Blocks of queries are counted one by one.
constexpr std::int64_t kMostQueries = std::int64_t{1} << 24;
/// So are the input pixels between two strides where taps lie apart.
constexpr std::int64_t kMostDilatedStride = 4096;

/// Pixels from a kernel's first tap to its last.
std::int64_t extent(std::int64_t kernel, std::int64_t dilation) {
  return dilation * (kernel - 1) + 1;
}

std::int64_t output_size(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                         std::int64_t pad) {
  return (input + 2 * pad - kernel) / stride + 1;
}

/// Pairs of queries and keys in the blocks that hold one which is seen. The last query sees the
/// last key.
std::int64_t pairs_met(const Layer& layer, std::int64_t queries, std::int64_t keys) {
  const std::int64_t block = layer.skipped_block;
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t last = std::min(first + block, queries) - 1;
    const std::int64_t end = std::clamp<std::int64_t>(last + keys - queries + 1, 0, keys);
    const std::int64_t begin =
        layer.window == 0 ? 0
                          : std::max<std::int64_t>(0, first + keys - queries - layer.window + 1);
    const std::int64_t whole = std::min(keys, (end + block - 1) / block * block);
    pairs += std::max<std::int64_t>(0, whole - begin / block * block) * (last - first + 1);
  }
  return pairs;
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
  if (layer.shared_by < 1 || layer.count % layer.shared_by != 0) {
    return "shared_by " + std::to_string(layer.shared_by) + " must divide the count " +
           std::to_string(layer.count);
  }
  if (layer.window != 0 && !layer.causal) return "only a causal bmm has a window";
  if (layer.causal && layer.bmm_n > kMostQueries) return "a causal bmm has at most 2^24 queries";
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
  if (exceeds_limit({layer.dilation, layer.kernel_height, layer.kernel_width})) {
    return "dilation " + std::to_string(layer.dilation) + " is larger than any input";
  }
  if (layer.dilation > 1 && std::max(layer.stride, layer.column_stride()) > kMostDilatedStride) {
    return "stride must be at most " + std::to_string(kMostDilatedStride) +
           " where dilation is above 1";
  }
  const auto fits = [&](std::int64_t kernel, std::int64_t pad, std::int64_t input) {
    return extent(kernel, layer.dilation) - 2 * pad <= input;
  };
  if (fits(layer.kernel_height, layer.pad, layer.height) &&
      fits(layer.kernel_width, layer.column_pad(), layer.width)) {
    return "";
  }
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
  if (exceeds_limit({layer.repeat, layer.experts_per_token})) return too_large("activations");
  const std::int64_t times = layer.repeat * layer.experts_per_token;
  if (exceeds_limit({layer.in_channels, layer.height, layer.width, times, batch}) ||
      exceeds_limit({layer.out_channels, layer.out_height(), layer.out_width(), times, batch})) {
    return too_large("activations");
  }
  if (exceeds_limit({layer.out_channels, layer.out_height(), layer.out_width(),
                     layer.in_channels_per_group(), layer.kernel_height, layer.kernel_width, times,
                     batch})) {
    return too_large("multiply-accumulates");
  }
  if (exceeds_limit({layer.out_channels, layer.in_channels_per_group(), layer.kernel_height,
                     layer.kernel_width, layer.repeat, layer.experts})) {
    return too_large("parameters");
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
                                 {"stride_columns", layer.column_stride()},
                                 {"dilation", layer.dilation},
                                 {"experts", layer.experts},
                                 {"experts_per_token", layer.experts_per_token},
                                 {"groups", layer.groups}});
  for (const std::int64_t pad : {layer.pad, layer.column_pad()}) {
    if (!fault.empty() || (pad >= 0 && pad <= kMaxLayerCount)) continue;
    fault = "pad is " + std::to_string(pad) + ", must be 0 to 2^53";
  }
  if (fault.empty() && layer.experts_per_token > layer.experts) {
    fault = "experts_per_token is " + std::to_string(layer.experts_per_token) +
            ", must be at most the " + std::to_string(layer.experts) + " experts";
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
std::string_view to_string(Optimizer optimizer) {
  return kOptimizerNames.at(static_cast<std::size_t>(optimizer));
}

const Operation* find_operation(std::string_view Operation::*column, std::string_view name) {
  const auto* const row = std::ranges::find_if(kOperations, [&](const Operation& one) {
    const std::vector<std::string_view> words = words_in(one.*column);
    return std::ranges::find(words, name) != words.end();
  });
  return row == kOperations.end() ? nullptr : row;
}

std::int64_t Layer::out_height() const {
  return output_size(height, extent(kernel_height, dilation), stride, pad);
}

std::int64_t Layer::out_width() const {
  return output_size(width, extent(kernel_width, dilation), column_stride(), column_pad());
}

std::int64_t Layer::output_elements() const {
  if (kind == LayerKind::bmm) return bmm_m * bmm_n * count;
  return out_channels * out_height() * out_width() * experts_per_token;
}

bool Layer::is_scores() const {
  return kind == LayerKind::bmm && (attention == Attention::scores ||
                                    std::ranges::find(after, StreamOp::softmax) != after.end());
}

std::int64_t Layer::keys_met() const {
  const std::int64_t keys = is_scores() ? bmm_m : bmm_k;
  if (!causal || skipped_block == 0) return keys;
  return std::max<std::int64_t>(1, (pairs_met(*this, bmm_n, keys) + bmm_n - 1) / bmm_n);
}

std::int64_t Layer::input_elements() const {
  if (kind == LayerKind::bmm) return bmm_m * bmm_k * (count / shared_by);
  if (kind == LayerKind::embedding) return height;
  return in_channels * height * width * experts_per_token;
}

std::int64_t Layer::weight_elements() const {
  if (kind == LayerKind::bmm || tied) return 0;
  return out_channels * in_channels_per_group() * kernel_height * kernel_width * experts;
}

std::int64_t Layer::parameters() const {
  return weight_elements() + (bias ? out_channels * experts : 0);
}

std::int64_t Layer::forward_macs() const {
  if (kind == LayerKind::bmm) {
    return keys_met() * bmm_n * (is_scores() ? bmm_k : bmm_m) * count;
  }
  if (!has_product()) return 0;
  return output_elements() * in_channels_per_group() * kernel_height * kernel_width;
}

std::int64_t Network::forward_macs() const {
  std::int64_t macs = 0;
  for (const Layer& layer : layers) macs += layer.repeat * layer.forward_macs();
  return macs;
}

std::int64_t Network::parameters() const {
  std::int64_t parameters = other_parameters + frozen_parameters;
  for (const Layer& layer : layers) parameters += layer.repeat * layer.parameters();
  return parameters;
}

std::int64_t Network::trained_parameters() const {
  std::int64_t parameters = other_parameters;
  for (const Layer& layer : layers) {
    if (!layer.frozen) parameters += layer.repeat * layer.parameters();
  }
  return parameters;
}

std::string find_fault(const Layer& layer, std::int64_t batch) {
  const std::string fault = below_one({{"batch", batch}, {"repeat", layer.repeat}});
  if (!fault.empty()) return fault;
  if (layer.weight_pattern && layer.weight_pattern->of_outputs) {
    return "weight_pattern is " + layer.weight_pattern->to_string() + ", must be of weights, n:m";
  }
  if (layer.kind == LayerKind::embedding) return embedding_fault(layer, batch);
  return layer.kind == LayerKind::bmm ? bmm_fault(layer, batch) : conv_fault(layer, batch);
}

}  // namespace stcsim
