#pragma once

#include <optional>

#include "curves/file_format.hpp"
#include "curves/run.hpp"

namespace stcsim::curves {

/// How a file of curves is read.
struct ReadOptions {
  /// Instead of what the content looks like.
  std::optional<FileFormat> format;
  /// What curves are drawn over, of what a file counts; else the first of epochs, steps, samples,
  /// hours and seconds that it has.
  std::optional<Axis> axis;
};

}  // namespace stcsim::curves
