#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
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
  /// Of a difference: accuracy of `scheme` - accuracy of `against`.
  std::string against;
  /// Of accuracy and difference.
  std::int64_t epoch = 0;
  /// Of epochs_to: an accuracy, 0 to 1.
  double target = 0;
  /// Every epoch of the scheme from 1 on, and of `against`.
  std::vector<TrainedEpoch> epochs;
  std::vector<TrainedEpoch> against_epochs;
};

/// Reads all keys of the map: task, scheme, quantity (accuracy if left out, difference beside
/// `against`), and against (dense if left out) and epoch (the last) or target (percent) as the
/// quantity has them.
/// @throws ConfigError with file:line:column, of the map or of trained.csv
[[nodiscard]] TrainedRow read_trained_row(MapReader& map);

/// The column "our training". The interval of a difference is that of two independent means (Zou
/// and Donner, "Construction of Confidence Limits about Effect Measures", Statistics in Medicine,
/// 2008): root of the sum of the squares of how far each mean's own reaches; its p-value is that of
/// a normal distribution whose 95 % reach as far. Of epochs_to it is where the ends of the means'
/// intervals reach the target, at most the last epoch.
[[nodiscard]] PaperAnswer answer_of(const TrainedRow& row);

}  // namespace stcsim
