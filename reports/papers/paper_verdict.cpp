#include "reports/papers/paper_verdict.hpp"

#include <cmath>

namespace stcsim {
namespace {

bool meets(double low, double high, double least, double most) {
  return high >= least && low <= most;
}

/// How far outside an end of the published range still counts as inside.
double margin(double end, PaperUnit unit, double tolerance) {
  return unit == PaperUnit::points ? tolerance : tolerance * std::abs(end);
}

}  // namespace

double deviation_of(const PublishedFigure& published, PaperUnit unit, double value) {
  if (value >= published.least && value <= published.most) return 0;
  const double end = value < published.least ? published.least : published.most;
  return unit == PaperUnit::points || end == 0 ? value - end : (value - end) / std::abs(end);
}

std::string verdict_of(const PublishedFigure& published, const PaperQuantity& quantity,
                       double tolerance, const PaperAnswer& answer) {
  const double least = published.least - margin(published.least, quantity.unit, tolerance);
  const double most = published.most + margin(published.most, quantity.unit, tolerance);
  const bool has_effect = quantity.neutral && !meets(*quantity.neutral, *quantity.neutral,
                                                     published.least, published.most);
  if (meets(answer.low, answer.high, least, most)) {
    const bool may_be_none = has_effect && answer.low < answer.high &&
                             meets(answer.low, answer.high, *quantity.neutral, *quantity.neutral);
    return may_be_none ? kNotToldApart : kReproduced;
  }
  if (!has_effect) return kNotReproduced;
  const double effect = (published.least + published.most) / 2 - *quantity.neutral;
  return (answer.value - *quantity.neutral) * effect > 0 ? kDirectionOnly : kNotReproduced;
}

}  // namespace stcsim
