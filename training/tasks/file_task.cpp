#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "pruning/npy.hpp"
#include "training/tasks/draws.hpp"
#include "training/tasks/task.hpp"

namespace stcsim::training {
namespace {

using Shape = std::vector<std::int64_t>;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw ConfigError({file}, what);
}

/// Refuses a file of another shape; the number of samples is free.
void expect_shape(const std::string& file, const Shape& got, const Shape& wanted,
                  const std::string& meaning) {
  if (got.size() == wanted.size() && std::equal(got.begin() + 1, got.end(), wanted.begin() + 1)) {
    return;
  }
  fail(file, fmt::format("has the shape {}, must be {}", pruning::shape_text(got), meaning));
}

/// Whole numbers below `limit`; negative ones become kNoLabel where that is allowed.
std::vector<std::int64_t> whole_numbers(const std::string& file, const pruning::Tensor& tensor,
                                        std::int64_t limit, bool negative_is_none) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(tensor.values.size());
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const float value = tensor.values[i];
    const bool is_none = negative_is_none && value < 0;
    if (!is_none &&
        !(value >= 0 && value < static_cast<float>(limit) && value == std::floor(value))) {
      fail(file, fmt::format("element {} is {}, must be a whole number from 0 to {}",
                             pruning::position_text(tensor.shape, static_cast<std::int64_t>(i)),
                             value, limit - 1));
    }
    numbers.push_back(is_none ? kNoLabel : static_cast<std::int64_t>(value));
  }
  return numbers;
}

/// Channels go last.
std::vector<float> channels_last(const pruning::TypedNumbers& images) {
  const Shape& shape = images.numbers.shape;
  const std::int64_t pixels = shape[2] * shape[3];
  const float unit = images.type == "|u1" ? 255.0F : 1.0F;
  std::vector<float> result(images.numbers.values.size());
  for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
    for (std::int64_t channel = 0; channel < shape[1]; ++channel) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        const std::int64_t from = (sample * shape[1] + channel) * pixels + pixel;
        const std::int64_t to = (sample * pixels + pixel) * shape[1] + channel;
        result[as_size(to)] = images.numbers.values[as_size(from)] / unit;
      }
    }
  }
  return result;
}

void check_finite(const std::string& file, const pruning::Tensor& tensor) {
  const auto found =
      std::ranges::find_if_not(tensor.values, [](float value) { return std::isfinite(value); });
  if (found == tensor.values.end()) return;
  fail(file, fmt::format("element {} is not finite",
                         pruning::position_text(tensor.shape, found - tensor.values.begin())));
}

Examples read_examples(const FileTaskOptions& options, const NetworkInput& input,
                       std::int64_t classes) {
  const pruning::TypedNumbers inputs = pruning::read_npy_numbers(options.inputs);
  const pruning::TypedNumbers labels = pruning::read_npy_numbers(options.labels);
  const Shape& shape = inputs.numbers.shape;
  Examples all;
  all.count = shape.front();
  if (input.is_tokens()) {
    const std::string meaning = fmt::format("samples x {} tokens", input.height);
    expect_shape(options.inputs, shape, {0, input.height}, meaning);
    expect_shape(options.labels, labels.numbers.shape, {0, input.height}, meaning);
    all.tokens = whole_numbers(options.inputs, inputs.numbers, input.vocabulary, false);
  } else {
    expect_shape(
        options.inputs, shape, {0, input.channels, input.height, input.width},
        fmt::format("samples x {} channels x {} x {}", input.channels, input.height, input.width));
    expect_shape(options.labels, labels.numbers.shape, {0}, "a number for every sample");
    check_finite(options.inputs, inputs.numbers);
    all.pixels = channels_last(inputs);
  }
  if (labels.numbers.shape.front() != all.count) {
    fail(options.labels, fmt::format("has {} samples, {} has {}", labels.numbers.shape.front(),
                                     options.inputs, all.count));
  }
  all.labels = whole_numbers(options.labels, labels.numbers, classes, input.is_tokens());
  return all;
}

/// Samples are shuffled anew each time all have been used.
class FileTask final : public Task {
 public:
  FileTask(Examples all, double evaluation_share, std::int64_t classes) : classes_(classes) {
    const auto held = std::clamp<std::int64_t>(
        std::llround(static_cast<double>(all.count) * evaluation_share), 1, all.count - 1);
    training_ = all.part(0, all.count - held);
    evaluation_ = all.part(all.count - held, held);
  }

  [[nodiscard]] Examples training(std::uint64_t seed, std::int64_t first,
                                  std::int64_t count) const override {
    Examples batch;
    batch.count = count;
    for (std::int64_t index = first; index < first + count; ++index) {
      const std::int64_t pass = index / training_.count;
      if (pass != pass_ || seed != seed_) shuffle(seed, pass);
      append(batch, order_[as_size(index % training_.count)]);
    }
    return batch;
  }
  [[nodiscard]] const Examples& evaluation() const override { return evaluation_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }

 private:
  void shuffle(std::uint64_t seed, std::int64_t pass) const {
    order_.resize(as_size(training_.count));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    Draws draws(Draws::mix(seed + 1), static_cast<std::uint64_t>(pass));
    for (std::int64_t left = training_.count; left > 1; --left) {
      std::swap(order_[as_size(left - 1)], order_[as_size(draws.below(left))]);
    }
    pass_ = pass;
    seed_ = seed;
  }

  void append(Examples& batch, std::int64_t index) const {
    const auto copy = [&](const auto& from, auto& to) {
      const std::ptrdiff_t each = std::ssize(from) / training_.count;
      to.insert(to.end(), from.begin() + index * each, from.begin() + (index + 1) * each);
    };
    copy(training_.pixels, batch.pixels);
    copy(training_.tokens, batch.tokens);
    copy(training_.labels, batch.labels);
  }

  Examples training_;
  Examples evaluation_;
  std::int64_t classes_;
  // The order of the pass that is going on.
  mutable std::vector<std::int64_t> order_;
  mutable std::int64_t pass_ = -1;
  mutable std::uint64_t seed_ = 0;
};

}  // namespace

std::unique_ptr<Task> make_file_task(const FileTaskOptions& options, const Network& network) {
  const std::int64_t classes = network.layers.back().out_channels;
  Examples all = read_examples(options, *network.input, classes);
  if (all.count < 2) fail(options.inputs, "has one sample, needs at least two");
  return std::make_unique<FileTask>(std::move(all), options.evaluation_share, classes);
}

}  // namespace stcsim::training
