#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stcsim::pruning {

/// Numbers with any number of axes, at least one; the last axis is contiguous (C order).
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Product of the extents.
[[nodiscard]] std::int64_t element_count(const std::vector<std::int64_t>& shape);

/// "2x3x4".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

/// Indices of the element at `offset` of the values, "[1, 0, 2]".
[[nodiscard]] std::string position_text(const std::vector<std::int64_t>& shape,
                                        std::int64_t offset);

/// Throws ConfigError unless there is an axis, every extent is at least 1 and the number of values
/// is that of the shape.
void validate(const Tensor& tensor);

}  // namespace stcsim::pruning
