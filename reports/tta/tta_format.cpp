#include "reports/tta/tta_format.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {

namespace {

constexpr double kMinutes = 60;

struct Unit {
  std::string_view name;
  double per_hour = 1;
};

/// The largest that the time is at least one of; seconds of what is less than a minute.
Unit unit_of(double hours) {
  if (hours >= 1) return {"h", 1};
  return hours * kMinutes >= 1 ? Unit{"min", kMinutes} : Unit{"s", kMinutes * kMinutes};
}

}  // namespace

std::string format_hours(double hours) {
  const Unit unit = unit_of(hours);
  return fmt::format("{} {}", format_significant(hours * unit.per_hour), unit.name);
}

std::string format_hours_range(const curves::Interval& hours) {
  const Unit unit = unit_of(hours.low);
  return fmt::format("{}..{} {}", format_significant(hours.low * unit.per_hour),
                     format_significant(hours.high * unit.per_hour), unit.name);
}

std::string format_apart(const curves::Difference& difference) {
  if (difference.least_p >= curves::kSignificant) return "too few runs";
  return difference.p_value < curves::kSignificant ? "they differ" : "cannot be told apart";
}

std::string format_training(double amount) {
  constexpr double kLarge = 1000;
  return amount >= kLarge ? format_amount(std::llround(amount)) : fmt::format("{:.4g}", amount);
}

}  // namespace stcsim
