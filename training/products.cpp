#include "training/products.hpp"

#include <algorithm>
#include <array>
#include <vector>

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

}  // namespace stcsim::training
