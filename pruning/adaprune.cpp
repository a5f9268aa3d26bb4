#include "pruning/adaprune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "pruning/magnitude.hpp"
#include "pruning/parallel.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

/// Sums side by side, which vectorise.
constexpr std::size_t kLanes = 16;

float dot(std::span<const float> x, std::span<const float> y) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  float total = 0;
  for (; i < x.size(); ++i) total += x[i] * y[i];
  return std::accumulate(sums.begin(), sums.end(), total);
}

/// Which samples each iteration sees: all in random order, then in another, and so on.
class Batches {
 public:
  Batches(std::int64_t samples, const AdaPruneOptions& options)
      : size_(std::min<std::int64_t>(options.batch, samples)) {
    RandomSequence random{RandomStream(options.seed, Purpose::batches)};
    std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto wanted = static_cast<std::size_t>(options.iterations * size_);
    while (sequence_.size() < wanted) {
      random.shuffle(order);
      sequence_.insert(sequence_.end(), order.begin(), order.end());
    }
  }
  [[nodiscard]] std::span<const std::int64_t> of(int iteration) const {
    return std::span(sequence_).subspan(static_cast<std::size_t>(iteration * size_),
                                        static_cast<std::size_t>(size_));
  }

 private:
  std::int64_t size_;
  std::vector<std::int64_t> sequence_;
};

/// Adam on the weights of one output.
class RowTraining {
 public:
  RowTraining(std::span<const float> target, std::span<float> weights, float gradient_scale,
              double learning_rate)
      : target_(target),
        weights_(weights),
        gradient_scale_(gradient_scale),
        learning_rate_(learning_rate),
        gradient_(weights.size()),
        difference_(weights.size()),
        mean_(weights.size()),
        square_(weights.size()) {
    for (const float weight : weights) mask_.push_back(weight != 0 ? 1.0F : 0.0F);
  }

  void step(const Matrix& samples, std::span<const std::int64_t> batch, int iteration) {
    for (std::size_t i = 0; i < weights_.size(); ++i) difference_[i] = weights_[i] - target_[i];
    std::ranges::fill(gradient_, 0.0F);
    for (const std::int64_t sample : batch) {
      const std::span<const float> x = samples.row(sample);
      const float error = gradient_scale_ * dot(x, difference_);
      for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += error * x[i];
    }
    const auto rate = static_cast<float>(learning_rate_ / (1 - std::pow(kDecay1, iteration + 1)));
    const auto correction = static_cast<float>(1 / (1 - std::pow(kDecay2, iteration + 1)));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      mean_[i] = kDecay1 * mean_[i] + (1 - kDecay1) * gradient_[i];
      square_[i] = kDecay2 * square_[i] + (1 - kDecay2) * gradient_[i] * gradient_[i];
      weights_[i] -= mask_[i] * rate * mean_[i] / (std::sqrt(square_[i] * correction) + kGuard);
    }
  }

 private:
  static constexpr float kDecay1 = 0.9F;
  static constexpr float kDecay2 = 0.999F;
  static constexpr float kGuard = 1e-8F;

  std::span<const float> target_;
  std::span<float> weights_;
  float gradient_scale_;
  double learning_rate_;
  std::vector<float> mask_;
  std::vector<float> gradient_;
  std::vector<float> difference_;
  std::vector<float> mean_;
  std::vector<float> square_;
};

}  // namespace

Matrix adaprune(const Matrix& weights, Pattern pattern, const Matrix& samples,
                const AdaPruneOptions& options, const Execution& how) {
  Matrix pruned(weights.rows, weights.columns);
  prune_by_magnitude(weights, pattern, how.threads, pruned);
  Matrix result = absorbed(weights, pruned, pattern);
  const Batches batches(samples.rows, options);
  const auto terms = static_cast<float>(std::ssize(batches.of(0)) * weights.rows);
  std::mutex reporting;
  std::int64_t done = 0;
  parallel_ranges(weights.rows, how.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      RowTraining training(weights.row(row), result.row(row), 2 / terms, options.learning_rate);
      for (int iteration = 0; iteration < options.iterations; ++iteration) {
        training.step(samples, batches.of(iteration), iteration);
      }
      if (!how.progress) continue;
      const std::lock_guard lock(reporting);
      how.progress(++done, weights.rows);
    }
  });
  return result;
}

Matrix absorbed(const Matrix& weights, const Matrix& pruned, Pattern pattern) {
  Matrix result = pruned;
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    for (std::int64_t begin = 0; begin < weights.columns; begin += pattern.m) {
      const std::int64_t end = std::min(begin + pattern.m, weights.columns);
      double lost = 0;
      std::int64_t kept = 0;
      for (std::int64_t column = begin; column < end; ++column) {
        if (pruned.at(row, column) != 0) ++kept;
        if (pruned.at(row, column) == 0) lost += weights.at(row, column);
      }
      for (std::int64_t column = begin; column < end; ++column) {
        float& weight = result.at(row, column);
        if (weight != 0) weight += static_cast<float>(lost / static_cast<double>(kept));
      }
    }
  }
  return result;
}

double calibration_error(const Matrix& weights, const Matrix& changed, const Matrix& samples) {
  double sum = 0;
  std::vector<float> difference(static_cast<std::size_t>(weights.columns));
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    std::ranges::transform(changed.row(row), weights.row(row), difference.begin(), std::minus<>());
    for (std::int64_t sample = 0; sample < samples.rows; ++sample) {
      const double error = dot(samples.row(sample), difference);
      sum += error * error;
    }
  }
  return sum / static_cast<double>(weights.rows * samples.rows);
}

}  // namespace stcsim::pruning
