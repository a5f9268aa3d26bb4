#include "curves/sample_list.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace stcsim::curves {

std::size_t SampleList::metric(std::string_view name, int line) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (names_.size() == kMostMetrics) {
    throw ConfigError({file_, line}, fmt::format("more than {} metrics", kMostMetrics));
  }
  names_.emplace_back(name);
  numbers_.emplace(name, names_.size() - 1);
  return names_.size() - 1;
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

bool SampleList::all_whole() const {
  return std::all_of(samples_.begin(), samples_.end(),
                     [](const Sample& sample) { return sample.x == std::floor(sample.x); });
}

double SampleList::least_x() const {
  const auto least =
      std::min_element(samples_.begin(), samples_.end(),
                       [](const Sample& left, const Sample& right) { return left.x < right.x; });
  return least == samples_.end() ? 0 : least->x;
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
    Curve curve = curve_of(samples, shape, notes);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

Curve SampleList::curve_of(std::vector<Sample>& samples, const Shape& shape,
                           NoteList& notes) const {
  Curve curve{names_[samples.front().metric], shape.axis, {}};
  leave_out_non_finite(samples, notes);
  for (Sample& sample : samples) sample.x += shape.shift;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& left, const Sample& right) { return left.x < right.x; });
  keep_last(samples, !shape.repeats, notes);
  for (const Sample& sample : samples) curve.points.push_back({sample.x, sample.value});
  return curve;
}

void SampleList::leave_out_non_finite(std::vector<Sample>& samples, NoteList& notes) const {
  const auto is_finite = [](const Sample& sample) { return std::isfinite(sample.value); };
  const auto first = std::find_if_not(samples.begin(), samples.end(), is_finite);
  if (first == samples.end()) return;
  const auto count = std::count_if(first, samples.end(), std::not_fn(is_finite));
  notes.add({file_, first->line},
            count == 1 ? fmt::format("{}: a value that is NaN or infinite; left out",
                                     names_[first->metric])
                       : fmt::format("{}: {} values that are NaN or infinite; left out",
                                     names_[first->metric], count));
  std::erase_if(samples, std::not_fn(is_finite));
}

void SampleList::keep_last(std::vector<Sample>& samples, bool tell, NoteList& notes) const {
  std::vector<Sample> kept;
  int first_line = 0;
  std::size_t differing = 0;
  for (const Sample& sample : samples) {
    if (kept.empty() || kept.back().x != sample.x) {
      kept.push_back(sample);
      continue;
    }
    if (kept.back().value != sample.value) {
      ++differing;
      first_line = first_line == 0 ? sample.line : std::min(first_line, sample.line);
    }
    kept.back() = sample;
  }
  if (tell && differing > 0) {
    notes.add(
        {file_, first_line},
        fmt::format("{}: measured again at {} from here on (a resumed run?); the last value counts",
                    names_[kept.front().metric],
                    differing == 1 ? "one point" : fmt::format("{} points", differing)));
  }
  samples = std::move(kept);
}

}  // namespace stcsim::curves
