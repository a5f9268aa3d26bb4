#include "pruning/tensor.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"

namespace stcsim::pruning {

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string position_text(const std::vector<std::int64_t>& shape, std::int64_t offset) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = offset % shape[axis];
    offset /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(position, ", "));
}

void validate(const Tensor& tensor) {
  const auto& shape = tensor.shape;
  if (shape.empty()) throw ConfigError("the tensor has no axis, must have at least one");
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 1; })) {
    throw ConfigError("the tensor's shape is " + shape_text(shape) +
                      ", every axis must have at least one element");
  }
  if (element_count(shape) != std::ssize(tensor.values)) {
    throw ConfigError(fmt::format("the tensor has {} values, its shape {} asks for {}",
                                  tensor.values.size(), shape_text(shape), element_count(shape)));
  }
}

}  // namespace stcsim::pruning
