#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// A final value that was published with or without N:M sparsity: a row of
/// configs/curves/final_values.csv.
struct PublishedFinal {
  std::string source;
  std::string scheme;          // as published
  std::string config;          // the shipped scheme of that method, or ""
  std::string network;         // as published
  std::string network_config;  // the shipped network of that shape, or ""
  std::string dataset;
  std::string pattern;  // "2:4", or as published
  std::string operands;
  std::string metric;
  /// At least one is there.
  std::optional<double> dense;
  std::optional<double> sparse;
  std::string length;
  std::string schedule;
  std::string missing;  // what the source does not have, separated by "; "
  std::string note;
  SourceLocation where;
};

/// The length of one dense training up to a target: a row of configs/curves/to_target.csv.
struct PublishedCrossing {
  std::string source;
  std::string network;
  std::string metric;
  double target = 0;
  double batch = 0;       // samples a step
  std::string optimizer;  // or ""
  double to_target = 0;
  Axis axis = Axis::epochs;
  SourceLocation where;
};

/// @throws ConfigError with file:line:column if a column is missing or unknown, a cell that must be
///         a number is none, or a row has neither value
[[nodiscard]] std::vector<PublishedFinal> read_published_finals(const std::filesystem::path& path);
[[nodiscard]] std::vector<PublishedCrossing> read_published_crossings(
    const std::filesystem::path& path);

/// The lengths of the runs of a network at a batch, in the order of the rows.
[[nodiscard]] std::vector<double> crossings_of(const std::vector<PublishedCrossing>& rows,
                                               std::string_view network, double batch);

}  // namespace stcsim::curves
