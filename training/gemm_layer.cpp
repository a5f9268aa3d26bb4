#include "training/gemm_layer.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>

#include "training/casts.hpp"

namespace stcsim::training {
namespace {

constexpr std::int64_t kConvAxes = 4;

at::Tensor channels_last(const at::Tensor& tensor) {
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

/// A linear is a 1x1 convolution over images whose pixels are its rows: the same sums, and in
/// libtorch without an optimised BLAS ten times as fast.
struct RowImages {
  std::int64_t samples;
  std::int64_t pixels;

  /// So many samples that libtorch takes its optimised convolution: 16 or more.
  explicit RowImages(std::int64_t rows) : samples(1), pixels(rows) {
    constexpr std::array<std::int64_t, 4> kSamples{32, 16, 64, 48};
    const auto* const divides =
        std::ranges::find_if(kSamples, [rows](std::int64_t count) { return rows % count == 0; });
    if (divides != kSamples.end()) samples = *divides;
    pixels = rows / samples;
  }
  [[nodiscard]] at::Tensor image(const at::Tensor& tensor) const {
    return tensor.contiguous().view({samples, pixels, 1, tensor.size(-1)}).permute({0, 3, 1, 2});
  }
};

RowImages images_of(const at::Tensor& tensor) {
  return RowImages(tensor.numel() / tensor.size(-1));
}

at::Tensor as_filter(const at::Tensor& weight) {
  return weight.contiguous().view({weight.size(0), weight.size(1), 1, 1});
}

/// Back from images of rows to the shape of `like`.
at::Tensor as_rows(const at::Tensor& image, at::IntArrayRef shape) {
  return image.permute({0, 2, 3, 1}).reshape(shape);
}

struct Window {
  std::vector<std::int64_t> stride, pad;
  std::int64_t groups;

  explicit Window(const Layer& layer)
      : stride(2, layer.kind == LayerKind::conv ? layer.stride : 1),
        pad(2, layer.kind == LayerKind::conv ? layer.pad : 0),
        groups(layer.groups) {}
};

at::Tensor gradient(const Layer& layer, const at::Tensor& dy, const at::Tensor& x,
                    const at::Tensor& weight, std::size_t which) {
  const Window window(layer);
  const std::array<bool, 3> wanted{which == 0, which == 1, false};
  const auto gradients =
      at::convolution_backward(dy, x, weight, c10::nullopt, window.stride, window.pad, {1, 1},
                               false, {0, 0}, window.groups, wanted);
  return which == 0 ? std::get<0>(gradients) : std::get<1>(gradients);
}

std::vector<std::int64_t> with_last(at::IntArrayRef shape, std::int64_t last) {
  std::vector<std::int64_t> result = shape.vec();
  result.back() = last;
  return result;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Y = W X; backward dX = W^T dY and dW = dY X^T, each of the operands that the scheme's file names
/// for its phase.
struct PrunedProducts : torch::autograd::Function<PrunedProducts> {
  /// @param weight stands for the dense weights, which its gradient is for
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const GemmLayer* gemm) {
    context->saved_data["layer"] = reinterpret_cast<std::int64_t>(gemm);
    context->save_for_backward({x, weight, gemm->as_cast(Phase::dgrad, gemm->dgrad_weight())});
    return forward_product(gemm->layer(), gemm->operand(Phase::forward, Tensor::activation, x),
                           gemm->as_cast(Phase::forward, gemm->forward_weight()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto* const gemm =
        reinterpret_cast<const GemmLayer*>(context->saved_data["layer"].toInt());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& dy = gradients[0];
    at::Tensor dx;
    if (context->needs_input_grad(0)) {
      dx = dgrad_product(gemm->layer(), gemm->operand(Phase::dgrad, Tensor::output_gradient, dy),
                         saved[2], x);
    }
    const at::Tensor dw =
        wgrad_product(gemm->layer(), gemm->operand(Phase::wgrad, Tensor::output_gradient, dy),
                      gemm->operand(Phase::wgrad, Tensor::activation, x), saved[1]);
    return {dx, dw, at::Tensor()};
  }
};

}  // namespace

at::Tensor forward_product(const Layer& layer, const at::Tensor& x, const at::Tensor& weight) {
  if (layer.kind == LayerKind::conv) {
    const Window window(layer);
    return at::conv2d(channels_last(x), channels_last(weight), {}, window.stride, window.pad,
                      {1, 1}, window.groups);
  }
  const at::Tensor y = at::conv2d(images_of(x).image(x), as_filter(weight));
  return as_rows(y, with_last(x.sizes(), weight.size(0)));
}

at::Tensor dgrad_product(const Layer& layer, const at::Tensor& dy, const at::Tensor& weight,
                         const at::Tensor& like) {
  if (layer.kind == LayerKind::conv) {
    return gradient(layer, channels_last(dy), channels_last(like), channels_last(weight), 0);
  }
  const RowImages images = images_of(dy);
  const at::Tensor dx = gradient(layer, images.image(dy), images.image(like), as_filter(weight), 0);
  return as_rows(dx, like.sizes());
}

at::Tensor wgrad_product(const Layer& layer, const at::Tensor& dy, const at::Tensor& x,
                         const at::Tensor& like) {
  if (layer.kind == LayerKind::conv) {
    return gradient(layer, channels_last(dy), channels_last(x), channels_last(like), 1);
  }
  const RowImages images = images_of(dy);
  return gradient(layer, images.image(dy), images.image(x), as_filter(like), 1).view(like.sizes());
}

pruning::Tensor to_plain(const at::Tensor& tensor) {
  const bool is_image = tensor.dim() == kConvAxes;
  const at::Tensor last =
      is_image ? tensor.permute({0, 2, 3, 1}).contiguous() : tensor.contiguous();
  std::vector<std::int64_t> shape = last.sizes().vec();
  while (std::ssize(shape) < kConvAxes) shape.insert(shape.end() - 1, 1);
  const auto* const values = last.data_ptr<float>();
  return {std::move(shape), std::vector<float>(values, values + last.numel())};
}

at::Tensor from_plain(const pruning::Tensor& plain, const at::Tensor& like) {
  const at::Tensor flat = at::empty({std::ssize(plain.values)}, like.options());
  std::ranges::copy(plain.values, flat.data_ptr<float>());
  if (like.dim() != kConvAxes) return flat.view(like.sizes());
  return flat.view(plain.shape).permute({0, 3, 1, 2});
}

GemmLayer::GemmLayer(const Layer& layer, const Scheme& scheme, const Timeline& timeline,
                     std::uint64_t seed, at::Tensor weight)
    : layer_(layer),
      weights_(scheme, layer, timeline, seed),
      tensors_(scheme, layer, timeline, seed),
      weight_(std::move(weight)),
      forward_weight_(weight_.detach()),
      dgrad_weight_(forward_weight_) {}

void GemmLayer::prepare(std::int64_t step) {
  step_ = step;
  if (!weights_.prunes()) return;
  weights_.prepare(to_plain(weight_.detach()), step);
  take_pruned();
}

void GemmLayer::refresh(std::int64_t step) {
  step_ = step;
  if (!weights_.prunes()) return;
  weights_.refresh(to_plain(weight_.detach()), step);
  take_pruned();
}

void GemmLayer::take_pruned() {
  const at::Tensor like = weight_.detach();
  forward_weight_ = from_plain(weights_.for_forward(), like);
  dgrad_weight_ = from_plain(weights_.for_dgrad(), like);
  mask_ = at::Tensor();
  if (weights_.mask().empty()) return;
  mask_ = from_plain({weights_.for_forward().shape, weights_.mask()}, like);
}

at::Tensor GemmLayer::forward(const at::Tensor& x) {
  at::Tensor y = PrunedProducts::apply(x, weight_, this);
  if (keeps_output_gradient_ && y.requires_grad()) {
    y.register_hook([this](const at::Tensor& dy) { output_gradient_ = dy.detach(); });
  }
  return y;
}

void GemmLayer::cast_products(const Scheme& scheme) {
  for (const Phase phase : kPhases) {
    types_.at(static_cast<std::size_t>(phase)) = request_for(scheme, layer_, phase).dtype;
  }
}

at::Tensor GemmLayer::as_cast(Phase phase, const at::Tensor& tensor) const {
  const std::optional<DataType>& type = types_.at(static_cast<std::size_t>(phase));
  return type && tensors_.is_sparse(step_) ? cast(tensor, *type) : tensor;
}

at::Tensor GemmLayer::operand(Phase phase, Tensor kind, const at::Tensor& tensor) const {
  if (!tensors_.prunes(phase, kind, step_)) return as_cast(phase, tensor);
  return as_cast(phase, from_plain(tensors_.prune(phase, to_plain(tensor), step_), tensor));
}

}  // namespace stcsim::training
