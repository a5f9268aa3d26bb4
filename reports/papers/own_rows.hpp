#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/verdict.hpp"

namespace stcsim {

/// Accuracies (1 is all right) of the runs of a scheme after an epoch: their mean and its 95 %
/// interval.
struct TrainedEpoch {
  std::int64_t epoch = 0;
  std::int64_t seeds = 0;
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// A row of a paper about our trainings: the map `trained` of its file, and what
/// configs/papers/trained.csv has of it.
struct TrainedRow {
  Quantity quantity = Quantity::accuracy;
  std::string task;
  std::string scheme;
  /// The other side of a difference: accuracy of `scheme` - accuracy of `against`.
  std::string against;
  /// After the epoch asked for, of the scheme and of `against`.
  TrainedEpoch trained;
  TrainedEpoch other;
};

/// Reads all keys of the map: task, scheme, quantity (accuracy if left out, difference beside
/// `against`), against (dense if left out) and epoch (the last).
/// @throws ConfigError with file:line:column, of the map or of trained.csv
[[nodiscard]] TrainedRow read_trained_row(MapReader& map);

/// The column "our training". The interval of a difference is that of two independent means (Zou
/// and Donner, "Construction of Confidence Limits about Effect Measures", Statistics in Medicine,
/// 2008): root of the sum of the squares of how far each mean's own reaches; its p-value is that of
/// a normal distribution whose 95 % reach as far.
[[nodiscard]] PaperAnswer answer_of(const TrainedRow& row);

/// A row of a paper about estimators of tensors by n:m of their elements: the map `estimate` of its
/// file, and what configs/papers/gradients.csv has of dL/dY of our own small trainings, grouped as
/// wgrad needs it.
struct EstimateRow {
  Quantity quantity = Quantity::estimate_variance;
  /// A scheme of the pruning library.
  std::string method;
  Pattern pattern{2, 4};
  std::string task;
  /// The quantity in each of the layers.
  std::vector<double> layers;
};

/// Reads all keys of the map: quantity, method, pattern, task.
/// @throws ConfigError with file:line:column, of the map or of gradients.csv
[[nodiscard]] EstimateRow read_estimate_row(MapReader& map);

/// The column "computed": the mean over the layers, between the least and the most.
[[nodiscard]] PaperAnswer answer_of(const EstimateRow& row);

}  // namespace stcsim
