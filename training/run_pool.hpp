#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "training/experiment.hpp"
#include "training/trainer.hpp"

namespace stcsim::training {

/// The way the runs of an experiment are done; curves do not depend on it.
struct PoolOptions {
  /// Curves are OUT/SCHEME/seedN.csv.
  std::filesystem::path out;
  /// Runs side by side, each a process of one thread.
  std::int64_t jobs = 1;
  /// Also write weights to OUT/SCHEME/seedN/.
  bool save_weights = false;
  /// Also write gradients to OUT/SCHEME/seedN/gradients/.
  bool save_gradients = false;
  /// Leave out runs whose curves lie in `out`.
  bool resume = false;
};

/// A signal ended the runs; what() says which.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// Trains every scheme with every seed, seed by seed, so that schemes can be compared early. Tells
/// on standard error how far it is. Libtorch must not have been used before.
/// @return how many runs failed
/// @throws Interrupted on SIGINT or SIGTERM, after ending the runs
std::int64_t train_all(const Experiment& experiment, const PoolOptions& options);

}  // namespace stcsim::training
