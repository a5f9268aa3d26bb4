#include "training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "common/error.hpp"
#include "training/model.hpp"
#include "training/optimizer.hpp"
#include "training/saved_tensors.hpp"
#include "training/tasks/draws.hpp"

namespace stcsim::training {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kEvaluatedAtOnce = 250;

at::Tensor labels_of(const Examples& examples) {
  const at::Tensor labels =
      at::empty({std::ssize(examples.labels)}, at::TensorOptions().dtype(at::kLong));
  std::ranges::copy(examples.labels, labels.data_ptr<std::int64_t>());
  return labels;
}

/// Rows are samples, or their tokens.
at::Tensor rows_of(const at::Tensor& logits) {
  return logits.reshape({-1, logits.size(-1)});
}

class Run {
 public:
  explicit Run(const RunRequest& request)
      : request_(request),
        timeline_(request.scheme.scheme, request.experiment.steps(), request.experiment.schedule,
                  request.experiment.published_steps),
        model_(request.experiment.network, request.scheme.scheme, timeline_,
               Draws::mix(request.seed)),
        optimizer_(request.scheme.optimizer, model_.weights(), model_.others()) {
    if (request.experiment.casts) model_.cast_products();
  }

  EpochResult train(const RunObserver& observer) {
    EpochResult result;
    for (std::int64_t epoch = 1; epoch <= request_.experiment.epochs; ++epoch) {
      result = train_epoch(epoch, observer);
      if (observer.epoch) observer.epoch(result);
      if (!std::isfinite(result.train_loss)) break;
    }
    if (!request_.save_weights_to.empty()) save_weights(request_.save_weights_to, model_);
    if (!request_.save_gradients_to.empty()) save_gradients(request_.save_gradients_to, model_);
    return result;
  }

 private:
  EpochResult train_epoch(std::int64_t epoch, const RunObserver& observer) {
    const std::int64_t steps = request_.experiment.steps_per_epoch();
    const std::int64_t batch = request_.experiment.network.batch;
    double loss = 0;
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t step = (epoch - 1) * steps + i;
      loss += train_step(step) / static_cast<double>(steps);
      if (!std::isfinite(loss)) break;
      if (observer.step) observer.step(step + 1);
    }
    EpochResult result{epoch, epoch * steps, epoch * steps * batch, loss, kNaN, kNaN};
    if (std::isfinite(loss)) evaluate(result);
    return result;
  }

  /// The loss before the step; NaN if there is none to be made.
  double train_step(std::int64_t step) {
    const std::int64_t batch = request_.experiment.network.batch;
    const Examples examples = request_.task.training(request_.seed, step * batch, batch);
    const bool is_last = step + 1 == request_.experiment.steps();
    if (is_last && !request_.save_gradients_to.empty()) model_.keep_output_gradients();
    try {
      model_.prepare(step);
      const at::Tensor loss =
          at::cross_entropy_loss(rows_of(model_.forward(examples, true)), labels_of(examples), {},
                                 at::Reduction::Mean, kNoLabel);
      const double value = loss.item<double>();
      if (!std::isfinite(value)) return kNaN;
      optimizer_.zero_gradients();
      loss.backward();
      model_.change_gradients();
      optimizer_.step(timeline_.rate_factor(step), timeline_.freezes_variance(step));
      model_.mask_weights();
      return value;
    } catch (const ConfigError&) {  // pruning refuses numbers that are not finite
      return kNaN;
    }
  }

  void evaluate(EpochResult& result) {
    const at::NoGradGuard no_gradients;
    model_.refresh(result.step - 1);
    const Examples& all = request_.task.evaluation();
    double loss = 0;
    std::int64_t right = 0;
    std::int64_t asked = 0;
    for (std::int64_t begin = 0; begin < all.count; begin += kEvaluatedAtOnce) {
      const Examples part = all.part(begin, std::min(kEvaluatedAtOnce, all.count - begin));
      const at::Tensor rows = rows_of(model_.forward(part, false));
      const at::Tensor labels = labels_of(part);
      loss += at::cross_entropy_loss(rows, labels, {}, at::Reduction::Sum, kNoLabel).item<double>();
      right += rows.argmax(1).eq(labels).sum().item<std::int64_t>();
      asked += labels.ne(kNoLabel).sum().item<std::int64_t>();
    }
    result.eval_loss = loss / static_cast<double>(asked);
    result.eval_accuracy = static_cast<double>(right) / static_cast<double>(asked);
  }

  const RunRequest& request_;
  Timeline timeline_;
  Model model_;
  Optimizer optimizer_;
};

}  // namespace

EpochResult train(const RunRequest& request, const RunObserver& observer) {
  at::set_num_threads(1);
  return Run(request).train(observer);
}

}  // namespace stcsim::training
