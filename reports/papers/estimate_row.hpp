#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/verdict.hpp"

namespace stcsim {

/// Which numbers are estimated.
enum class EstimateInput : std::uint8_t {
  normal,    // mean 0, variance 1
  uniform,   // from -1 to 1
  constant,  // ones
  gradients  // dL/dY of our own small trainings, configs/papers/gradients.csv
};

/// A row of a paper about estimators of tensors by n:m of their elements: the map `estimate` of its
/// file, and what gradients.csv has of it.
struct EstimateRow {
  Quantity quantity = Quantity::estimate_variance;
  EstimateInput input = EstimateInput::normal;
  /// A scheme of the pruning library.
  std::string method;
  Pattern pattern{2, 4};

  /// Of generated numbers, `size` x `size`: drawn from seed, seed + 1, ...; so many estimates.
  std::int64_t size = 0;
  std::int64_t seed = 1;
  std::int64_t seeds = 1;
  std::int64_t draws = 2;

  /// Of gradients; "" is every layer.
  std::string task;
  std::string layer;
  /// wgrad groups along the tokens or pixels, dgrad along the channels.
  std::string phase;
  /// The quantity in each of the layers.
  std::vector<double> gradients;
};

/// Reads all keys of the map: quantity, method, pattern, on (normal if left out), and of gradients
/// task, layer and phase (wgrad), else size (256), seed (1), seeds (3) and draws (32).
/// @throws ConfigError with file:line:column, of the map or of gradients.csv
[[nodiscard]] EstimateRow read_estimate_row(MapReader& map);

/// The column "computed": of generated numbers the mean over the seeds and its 95 % interval, of
/// gradients the mean over the layers, between the least and the most.
[[nodiscard]] PaperAnswer answer_of(const EstimateRow& row);

}  // namespace stcsim
