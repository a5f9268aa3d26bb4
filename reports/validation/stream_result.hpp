#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/data_type.hpp"
#include "common/error.hpp"

namespace stcsim {

/// What somebody measured for a kernel beside the matrix products, one launch of it.
struct MeasuredStream {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// The machine whose kernel it is held against; "" for that of the GPU.
  std::string machine;
  /// As published: "add", "softmax", ...
  std::string op;
  /// Of the tensors: fp32 or fp16.
  DataType dtype = DataType::fp32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double time_us = 0;
};

/// A measured row beside what the simulator predicts for it.
struct StreamRow {
  MeasuredStream measured;
  std::string machine;
  std::optional<double> time_us;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

}  // namespace stcsim
