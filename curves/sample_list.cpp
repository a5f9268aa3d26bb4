#include "curves/sample_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace stcsim::curves {

std::size_t SampleList::metric(std::string_view name, int line) {
  const auto [place, is_new] = numbers_.try_emplace(std::string(name), names_.size());
  if (is_new) names_.emplace_back(name);
  if (names_.size() > kMostMetrics) {
    throw ConfigError({file_, line}, fmt::format("more than {} metrics", kMostMetrics));
  }
  return place->second;
}

void SampleList::add(std::size_t metric, double x, double value, int line) {
  if (samples_.size() == kMostValues) {
    throw ConfigError({file_, line}, fmt::format("more than {} values, must be fewer (thin out, or "
                                                 "keep the metrics that matter)",
                                                 kMostValues));
  }
  samples_.push_back({metric, x, value, line});
}

void SampleList::drop_from(double x) {
  std::erase_if(samples_, [x](const Sample& sample) { return sample.x >= x; });
}

bool SampleList::counts_from_zero() const {
  const auto is_whole = [](double x) { return x >= 0 && x == std::floor(x); };
  return std::ranges::all_of(samples_, is_whole, &Sample::x) &&
         std::ranges::find(samples_, 0, &Sample::x) != samples_.end();
}

std::vector<Curve> SampleList::curves(std::size_t first, std::size_t last, const Shape& shape,
                                      NoteList& notes) const {
  std::vector<std::vector<Sample>> by_metric(names_.size());
  for (std::size_t index = first; index < last; ++index) {
    by_metric[samples_[index].metric].push_back(samples_[index]);
  }
  std::vector<Curve> curves;
  for (std::vector<Sample>& samples : by_metric) {
    if (samples.empty()) continue;
    Curve curve = curve_of(std::move(samples), shape, notes);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

Curve SampleList::curve_of(std::vector<Sample> samples, const Shape& shape, NoteList& notes) const {
  Curve curve{names_[samples.front().metric], shape.axis, {}};
  const auto is_none = [](const Sample& sample) { return !std::isfinite(sample.value); };
  const auto none = std::ranges::find_if(samples, is_none);
  const int none_line = none == samples.end() ? 0 : none->line;
  if (const std::size_t count = std::erase_if(samples, is_none); count > 0) {
    const std::string what =
        count == 1 ? "a value that is" : fmt::format("{} values that are", count);
    notes.add({file_, none_line},
              fmt::format("{}: {} NaN or infinite; left out", curve.metric, what));
  }
  std::ranges::stable_sort(samples, {}, &Sample::x);
  int first_line = 0;
  std::size_t differing = 0;
  for (const Sample& sample : samples) {
    const Point point{sample.x + shape.shift, sample.value};
    if (curve.points.empty() || curve.points.back().x != point.x) {
      curve.points.push_back(point);
    } else if (curve.points.back() != point) {
      ++differing;
      first_line = first_line == 0 ? sample.line : std::min(first_line, sample.line);
      curve.points.back() = point;
    }
  }
  if (differing > 0 && !shape.repeats) {
    notes.add(
        {file_, first_line},
        fmt::format("{}: measured again at {} from here on (a resumed run?); the last value counts",
                    curve.metric,
                    differing == 1 ? "one point" : fmt::format("{} points", differing)));
  }
  return curve;
}

}  // namespace stcsim::curves
