#include "curves/amount.hpp"

#include <stdexcept>

namespace stcsim::curves {
namespace {

double positive_size(double size) {
  if (!(size > 0)) throw std::invalid_argument("a batch or epoch that is not positive");
  return size;
}

}  // namespace

std::optional<double> steps_of(double x, Axis axis, const TrainingSize& size) {
  switch (axis) {
    case Axis::steps:
      return x;
    case Axis::samples:
      return x / positive_size(size.batch);
    case Axis::epochs:
      return x * positive_size(size.samples_per_epoch) / positive_size(size.batch);
    case Axis::hours:
    case Axis::seconds:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace stcsim::curves
