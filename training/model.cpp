#include "training/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "training/tasks/draws.hpp"

namespace stcsim::training {
namespace {

constexpr double kEpsilon = 1e-5;             // of normalisations
constexpr double kMomentum = 0.1;             // of running averages, as in PyTorch
constexpr double kEmbeddingDeviation = 0.02;  // of first values, as in BERT and GPT-2

at::Tensor normal(std::vector<std::int64_t> shape, double deviation, Draws& draws) {
  const at::Tensor tensor = at::empty(shape);
  auto* const values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(deviation * draws.gauss());
  }
  return tensor;
}

bool feeds_relu(const Layer& layer) {
  return std::ranges::count(layer.after, StreamOp::relu) > 0;
}

at::Tensor first_weight(const Layer& layer, Draws& draws) {
  const std::int64_t taps = layer.kernel_height * layer.kernel_width;
  const std::int64_t fan_in = layer.in_channels_per_group() * taps;
  const double deviation = std::sqrt((feeds_relu(layer) ? 2.0 : 1.0) / static_cast<double>(fan_in));
  if (layer.kind == LayerKind::linear) {
    return normal({layer.out_channels, layer.in_channels}, deviation, draws);
  }
  return normal({layer.out_channels, layer.kernel_height, layer.kernel_width,
                 layer.in_channels_per_group()},
                deviation, draws)
      .permute({0, 3, 1, 2});
}

at::Tensor leaf(const at::Tensor& start) {
  return start.detach().requires_grad_(true);
}

/// samples x tokens x (heads x features) to samples x heads x tokens x features, and back.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).permute({0, 2, 1, 3});
}

at::Tensor join_heads(const at::Tensor& x) {
  return x.permute({0, 2, 1, 3}).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace

Model::Model(const Network& network, const Scheme& scheme, const Timeline& timeline,
             std::uint64_t seed)
    : network_(network), scheme_(scheme), edges_(edges_of(network)) {
  std::uint64_t stream = 0;
  for (const Layer& layer : network.layers) {
    const int index = static_cast<int>(learnt_.size());
    learnt_.push_back(make_learnt(layer.after, shape_at(network, {index, 0}).channels));
    Draws draws(seed, stream);
    if (layer.kind != LayerKind::bmm) {
      gemms_.emplace_back(layer, scheme, timeline, Draws::mix(seed + 1) + stream,
                          leaf(first_weight(layer, draws)));
      learnt_.back().gemm = &gemms_.back();
      if (layer.bias) learnt_.back().bias = other(at::zeros({layer.out_channels}));
    }
    ++stream;
  }
  if (network.input->is_tokens()) {
    Draws draws(seed, stream);
    const NetworkInput& input = *network.input;
    token_embedding_ =
        other(normal({input.vocabulary, input.channels}, kEmbeddingDeviation, draws));
    position_embedding_ = other(normal({input.height, input.channels}, kEmbeddingDeviation, draws));
  }
  input_learnt_ = make_learnt(network.input->after, network.input->channels);
  for (const LayerEdges& edges : edges_) {
    for (const Place place : edges.inputs) wanted_[place] = true;
    if (edges.shortcut) wanted_[*edges.shortcut] = true;
  }
}

at::Tensor Model::other(at::Tensor start) {
  return others_.emplace_back(leaf(std::move(start)));
}

Model::Learnt Model::make_learnt(const std::vector<StreamOp>& operations, std::int64_t channels) {
  Learnt learnt;
  const bool batch = std::ranges::count(operations, StreamOp::batch_norm) > 0;
  if (batch || std::ranges::count(operations, StreamOp::layer_norm) > 0) {
    learnt.scale = other(at::ones({channels}));
    learnt.shift = other(at::zeros({channels}));
  }
  if (batch) {
    learnt.mean = at::zeros({channels});
    learnt.variance = at::ones({channels});
  }
  return learnt;
}

void Model::note(Place place, const at::Tensor& value) {
  if (wanted_.contains(place)) values_[place] = value;
}

at::Tensor Model::embed(const Examples& examples) {
  const NetworkInput& input = *network_.input;
  const at::Tensor tokens =
      at::empty({examples.count, input.height}, at::TensorOptions().dtype(at::kLong));
  std::ranges::copy(examples.tokens, tokens.data_ptr<std::int64_t>());
  return at::embedding(token_embedding_, tokens) + position_embedding_;
}

at::Tensor Model::input_of(const Examples& examples) {
  const NetworkInput& input = *network_.input;
  if (input.is_tokens()) return embed(examples);
  const at::Tensor pixels = at::empty({examples.count, input.height, input.width, input.channels});
  std::ranges::copy(examples.pixels, pixels.data_ptr<float>());
  return pixels.permute({0, 3, 1, 2});
}

at::Tensor Model::attention(const Layer& layer, const LayerEdges& edges) {
  const at::Tensor& first = at_place(edges.inputs[0]);
  const at::Tensor second = split_heads(at_place(edges.inputs[1]), layer.count);
  if (*layer.attention == Attention::values) return join_heads(at::matmul(first, second));
  const double scale = 1 / std::sqrt(static_cast<double>(layer.bmm_k));
  const at::Tensor scores =
      at::matmul(split_heads(first, layer.count) * scale, second.transpose(2, 3));
  if (!layer.causal) return scores;
  const at::Tensor later = at::ones({layer.bmm_n, layer.bmm_m}).triu(1).to(at::kBool);
  return scores.masked_fill(later, -std::numeric_limits<float>::infinity());
}

at::Tensor Model::product(std::size_t index) {
  const Layer& layer = network_.layers[index];
  const LayerEdges& edges = edges_[index];
  if (layer.kind == LayerKind::bmm) return attention(layer, edges);
  at::Tensor x = at_place(edges.inputs.front());
  if (layer.kind == LayerKind::linear && x.dim() == 4) {
    const bool rows = layer.height > 1;
    x = x.permute({0, 2, 3, 1});
    x = rows ? x.reshape({x.size(0), layer.height, layer.in_channels})
             : x.reshape({x.size(0), layer.in_channels});
  } else if (layer.kind == LayerKind::linear && layer.height == 1) {
    x = x.reshape({x.size(0), layer.in_channels});
  }
  return learnt_[index].gemm->forward(x);
}

at::Tensor Model::apply(StreamOp operation, std::size_t index, const at::Tensor& x, bool training) {
  const bool is_input = index == network_.layers.size();
  Learnt& own = is_input ? input_learnt_ : learnt_[index];
  switch (operation) {
    case StreamOp::bias:
      return own.bias.defined() ? x + own.bias : x;
    case StreamOp::batch_norm:
      return at::batch_norm(x, own.scale, own.shift, own.mean, own.variance, training, kMomentum,
                            kEpsilon, false);
    case StreamOp::layer_norm:
      return at::layer_norm(x, {x.size(-1)}, own.scale, own.shift, kEpsilon);
    case StreamOp::relu:
      return at::relu(x);
    case StreamOp::relu_squared:
      return at::square(at::relu(x));
    case StreamOp::gelu:
      return at::gelu(x);
    case StreamOp::softmax:
      return at::softmax(x, -1);
    case StreamOp::residual_add:
      return x + at_place(*edges_[index].shortcut);
    case StreamOp::max_pool:
      return at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
    case StreamOp::avg_pool:
      return at::mean(x, {2, 3}, true);
    default:
      throw std::logic_error("training has no " + std::string(to_string(operation)));
  }
}

/// Does all operations after a layer; the softmax after the last one is part of the loss.
void Model::run_operations(int index, at::Tensor x, bool training) {
  const bool is_input = index == Place::kInput;
  const bool is_last = index + 1 == static_cast<int>(network_.layers.size());
  const auto at = is_input ? network_.layers.size() : static_cast<std::size_t>(index);
  const std::vector<StreamOp>& operations =
      is_input ? network_.input->after : network_.layers[at].after;
  note({index, 0}, x);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (is_last && operations[i] == StreamOp::softmax) continue;
    x = apply(operations[i], at, x, training);
    note({index, i + 1}, x);
  }
  if (is_last) values_[{index, operations.size()}] = x;
}

at::Tensor Model::forward(const Examples& examples, bool training) {
  values_.clear();
  run_operations(Place::kInput, input_of(examples), training);
  for (std::size_t index = 0; index < network_.layers.size(); ++index) {
    run_operations(static_cast<int>(index), product(index), training);
  }
  const int last = static_cast<int>(network_.layers.size()) - 1;
  at::Tensor logits = at_place({last, network_.layers.back().after.size()});
  values_.clear();
  return logits;
}

void Model::prepare(std::int64_t step) {
  for (GemmLayer& gemm : gemms_) gemm.prepare(step);
}

void Model::keep_output_gradients() {
  for (GemmLayer& gemm : gemms_) gemm.keep_output_gradient();
}

void Model::cast_products() {
  for (GemmLayer& gemm : gemms_) gemm.cast_products(scheme_);
}

void Model::refresh(std::int64_t step) {
  for (GemmLayer& gemm : gemms_) gemm.refresh(step);
}

void Model::change_gradients() {
  const bool masks = scheme_.masks_gradients || scheme_.updates_kept;
  for (GemmLayer& gemm : gemms_) {
    if (!gemm.mask().defined()) continue;
    at::Tensor& gradient = gemm.weight().mutable_grad();
    if (scheme_.decay) {
      const at::Tensor pruned = 1 - gemm.mask();
      gradient = gradient + scheme_.training.decay_strength * pruned * gemm.weight().detach();
    }
    if (masks) gradient = gradient * gemm.mask();
  }
}

void Model::mask_weights() {
  if (!scheme_.masks_gradients && !scheme_.updates_kept) return;
  for (GemmLayer& gemm : gemms_) {
    if (gemm.mask().defined()) gemm.weight().detach().mul_(gemm.mask());
  }
}

std::vector<at::Tensor> Model::weights() const {
  std::vector<at::Tensor> weights;
  for (const GemmLayer& gemm : gemms_) weights.push_back(gemm.weight());
  return weights;
}

}  // namespace stcsim::training
