#include "curves/run.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace stcsim::curves {
namespace {

struct AxisName {
  Axis axis;
  std::string_view singular;
  std::string_view plural;
};
constexpr std::array<AxisName, 5> kAxisNames{{{Axis::epochs, "epoch", "epochs"},
                                              {Axis::steps, "step", "steps"},
                                              {Axis::samples, "sample", "samples"},
                                              {Axis::hours, "hour", "hours"},
                                              {Axis::seconds, "second", "seconds"}}};

double positive_size(double size) {
  if (!(size > 0)) throw std::invalid_argument("a batch or epoch that is not positive");
  return size;
}

}  // namespace

std::string_view axis_name(Axis axis) {
  return kAxisNames.at(static_cast<std::size_t>(axis)).plural;
}

std::string_view axis_singular(Axis axis) {
  return kAxisNames.at(static_cast<std::size_t>(axis)).singular;
}

std::optional<Axis> axis_from_name(std::string_view name) {
  for (const AxisName& known : kAxisNames) {
    if (name == known.singular || name == known.plural) return known.axis;
  }
  return std::nullopt;
}

const Curve* Run::find(std::string_view metric) const {
  const auto found = std::find_if(curves.begin(), curves.end(),
                                  [&](const Curve& curve) { return curve.metric == metric; });
  return found == curves.end() ? nullptr : &*found;
}

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
