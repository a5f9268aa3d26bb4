#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "training/experiment.hpp"

namespace stcsim::training {

/// A point of a learning curve, after so many epochs.
struct EpochResult {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::int64_t samples = 0;
  double train_loss = 0;  // mean over the epoch's steps
  double eval_loss = 0;
  double eval_accuracy = 0;  // 0 to 1
};

/// Calls that a run makes while it goes on. Either may be empty.
struct RunObserver {
  std::function<void(std::int64_t steps_done)> step;
  std::function<void(const EpochResult&)> epoch;
};

/// One run: a scheme, a seed. One thread.
struct RunRequest {
  const Experiment& experiment;
  const Task& task;
  const SchemeRun& scheme;
  std::uint64_t seed = 1;
  /// Where weights and masks go at the end, and the gradients of the last step; "" is nowhere.
  std::filesystem::path save_weights_to;
  std::filesystem::path save_gradients_to;
};

/// Trains the network. The same bytes on the same machine and build for the same request. A run
/// whose numbers are no longer finite ends with an epoch of NaN.
/// @return the last epoch
EpochResult train(const RunRequest& request, const RunObserver& observer);

}  // namespace stcsim::training
