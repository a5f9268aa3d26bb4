#include "reports/evidence/paper_verdict.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 5> kVerdictKinds{"against measured", "against estimated",
                                                        "own training", "arithmetic", "fitted"};

bool meets(double low, double high, double least, double most) {
  return high >= least && low <= most;
}

/// How far outside an end of the published range still counts as inside.
double margin(double end, PaperUnit unit, double tolerance) {
  return unit == PaperUnit::points ? tolerance : tolerance * std::abs(end);
}

bool is_met(const PublishedFigure& published, PaperUnit unit, double tolerance,
            const PaperAnswer& answer) {
  return meets(answer.low, answer.high, published.least - margin(published.least, unit, tolerance),
               published.most + margin(published.most, unit, tolerance));
}

/// What is published less no effect; 0 if that is part of it, or if there is no such figure.
double effect_of(const PublishedFigure& published, const std::optional<double>& neutral) {
  if (!neutral || meets(*neutral, *neutral, published.least, published.most)) return 0;
  return (published.least + published.most) / 2 - *neutral;
}

}  // namespace

std::string_view to_string(VerdictKind kind) {
  return kVerdictKinds.at(static_cast<std::size_t>(kind));
}

std::optional<VerdictKind> simulated_kind(std::string_view obtained, MachineSort machine,
                                          bool is_fitted) {
  const bool is_measured = obtained == "measured";
  if (is_measured && machine != MachineSort::built) return std::nullopt;
  if (machine == MachineSort::counting) return VerdictKind::arithmetic;
  if (is_fitted) return VerdictKind::fitted;
  if (obtained == "derived") return std::nullopt;
  return is_measured ? VerdictKind::measured : VerdictKind::estimated;
}

double deviation_of(const PublishedFigure& published, PaperUnit unit, double value) {
  if (value >= published.least && value <= published.most) return 0;
  const double end = value < published.least ? published.least : published.most;
  return unit == PaperUnit::points || end == 0 ? value - end : (value - end) / std::abs(end);
}

std::string deviation_text(const PublishedFigure& published, PaperUnit unit, double value) {
  const double deviation = deviation_of(published, unit, value);
  return unit == PaperUnit::points ? fmt::format("{:+.2f}", deviation)
                                   : fmt::format("{:+.1f} %", 100 * deviation);
}

std::string verdict_of(VerdictKind kind, const PublishedFigure& published,
                       const PaperQuantity& quantity, double tolerance, const PaperAnswer& answer) {
  if (kind == VerdictKind::fitted) return kNoTest;
  const bool is_close = is_met(published, quantity.unit, tolerance, answer);
  if (kind == VerdictKind::arithmetic) return is_close ? kConsistent : kNotConsistent;
  const double effect = effect_of(published, quantity.neutral);
  const auto is_on_its_side = [&](double value) {
    return (value - quantity.neutral.value_or(0)) * effect > 0;
  };
  const bool has_its_direction = is_on_its_side(answer.low) && is_on_its_side(answer.high);
  if (is_close) return effect == 0 || has_its_direction ? kReproduced : kNotToldApart;
  return has_its_direction ? kDirectionOnly : kNotReproduced;
}

bool is_short_of(std::string_view verdict) {
  return verdict != kReproduced && verdict != kConsistent && verdict != kNoTest;
}

}  // namespace stcsim
