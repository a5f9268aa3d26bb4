#pragma once

#include <memory>
#include <vector>

#include <ATen/ATen.h>

#include "training/experiment.hpp"

namespace torch::optim {
class Optimizer;
}

namespace stcsim::training {

/// libtorch's SGD with momentum or AdamW.
class Optimizer {
 public:
  /// @param weights decay
  /// @param others do not
  Optimizer(const OptimizerOptions& options, std::vector<at::Tensor> weights,
            std::vector<at::Tensor> others);
  ~Optimizer();

  /// Changes all parameters by their gradients.
  /// @param rate_factor part of the learning rate
  /// @param freezes_variance adamw: go on with the second moments as they are, corrected for bias
  ///        as of the first such step (Lu et al., "STEP: Learning N:M Structured Sparsity Masks
  ///        from Scratch with Precondition", ICML 2023)
  void step(double rate_factor, bool freezes_variance);
  void zero_gradients();

 private:
  /// A parameter whose second moments are frozen.
  struct Frozen {
    at::Tensor momentum;
    at::Tensor denominator;
    double steps = 0;
  };

  void set_rate(double rate);
  Frozen freeze(const at::Tensor& parameter) const;
  void step_frozen(double rate);
  void change_frozen(const at::Tensor& parameter, Frozen& state, double rate, double decay) const;

  OptimizerOptions options_;
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> others_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::vector<Frozen> frozen_;  // of weights_, then of others_
};

}  // namespace stcsim::training
