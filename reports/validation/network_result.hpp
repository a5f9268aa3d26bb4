#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/phase.hpp"
#include "reports/evidence/quantity.hpp"
#include "reports/validation/interval.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Times of a whole network, and what sparsity gains.
struct NetworkFigures {
  std::optional<double> dense_us;
  std::optional<double> sparse_us;
  /// Dense time / sparse time.
  Interval speedup;

  friend bool operator==(const NetworkFigures&, const NetworkFigures&) = default;
};

/// What somebody measured for a network on a real GPU.
struct MeasuredNetwork {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// As published: network, its configuration, phase, pattern, type.
  std::string network;
  std::string config;
  std::string phase;
  std::string pattern;
  std::string types;
  NetworkFigures measured;
  /// How it is simulated: network file, scheme, phases, type, batch sizes (several for a range).
  std::string model;
  std::string scheme;
  /// Whose kernels run beside the GEMMs.
  std::string framework = "ideal";
  /// Whose kernels multiply; "" for the framework's.
  std::string stack;
  /// Steps whose gradients are added up before each update.
  std::int64_t accumulation = 1;
  std::vector<Phase> phases;
  /// Run as after training: for_inference() of the network.
  bool inference = false;
  DataType dtype = DataType::fp16;
  std::vector<std::int64_t> batches;
  Scope scope = Scope::step;
  /// Why the row cannot be simulated, whatever the machine; "" if it can.
  std::string unusable;
  /// What updates the parameters; nothing: what the network file says.
  std::optional<Optimizer> optimizer = {};
  /// The clock of the card that was measured, where it is known; nothing: the machine's.
  std::optional<double> clock_mhz = {};
};

/// A measured row beside what the simulator predicts for it. Times are given if it has one batch
/// size; the speedup is the range over all.
struct NetworkRow {
  MeasuredNetwork measured;
  std::string machine;
  NetworkFigures simulated;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

}  // namespace stcsim
