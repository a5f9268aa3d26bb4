#include "curves/training_sections.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace stcsim::curves {
namespace {

/// Epochs `from` to `to` of a training.
struct Span {
  SectionKind kind = SectionKind::dense;
  double from = 0;
  double to = 0;
};

std::array<Span, 4> spans_of(const SectionRules& rules, double epochs) {
  const double dense = (1 - rules.sparse_share) * epochs;
  const double begin = rules.dense_first ? dense : 0;
  const double end = rules.dense_first ? epochs : epochs - dense;
  const double warm = rules.sparse_share > 0 ? std::min(rules.warm_up_epochs, epochs) : 0;
  const double from = std::max(begin, warm);
  const double to = std::max(end, from);
  return {{{SectionKind::warm_up, 0, warm},
           {SectionKind::dense, warm, from},
           {SectionKind::sparse, from, to},
           {SectionKind::dense, to, epochs}}};
}

void check_rules(const SectionRules& rules, const std::vector<double>& networks) {
  const bool is_wrong =
      !(rules.sparse_share >= 0) || rules.sparse_share > 1 || !(rules.warm_up_epochs >= 0) ||
      std::any_of(networks.begin(), networks.end(), [](double epochs) { return !(epochs >= 0); });
  if (is_wrong) throw std::invalid_argument("a training with a negative part");
}

}  // namespace

std::string_view to_string(SectionKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"dense before", "warm-up", "sparse", "dense"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::vector<Section> sections_of(const SectionRules& rules, const std::vector<double>& networks) {
  check_rules(rules, networks);
  std::vector<Section> sections;
  const auto add = [&sections](SectionKind kind, std::size_t network, double epochs) {
    if (epochs > 0) sections.push_back({kind, network, epochs});
  };
  if (rules.dense_before) {
    for (std::size_t at = 0; at < networks.size(); ++at) {
      add(SectionKind::dense_before, at, networks[at]);
    }
  }
  const double all = std::accumulate(networks.begin(), networks.end(), 0.0);
  double from = 0;
  for (std::size_t at = 0; at < networks.size(); ++at) {
    const double to = at + 1 == networks.size() ? all : from + networks[at];
    for (const Span& span : spans_of(rules, all)) {
      add(span.kind, at, std::min(to, span.to) - std::max(from, span.from));
    }
    from = to;
  }
  return sections;
}

TrainingCourse::TrainingCourse(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {
  const auto is_wrong = [](const Stretch& stretch) {
    return !(stretch.epochs > 0) || !(stretch.s_per_epoch > 0) ||
           !std::isfinite(stretch.s_per_epoch);
  };
  if (stretches_.empty() || std::any_of(stretches_.begin(), stretches_.end(), is_wrong)) {
    throw std::invalid_argument("a training without epochs, or with some that take no time");
  }
}

double TrainingCourse::seconds_at(double epochs) const {
  double seconds = 0;
  double left = epochs;
  for (const Stretch& stretch : stretches_) {
    const bool is_last = &stretch == &stretches_.back();
    const double here = is_last ? left : std::min(left, stretch.epochs);
    seconds += here * stretch.s_per_epoch;
    left -= here;
    if (left <= 0) break;
  }
  return seconds;
}

double TrainingCourse::epochs() const {
  double sum = 0;
  for (const Stretch& stretch : stretches_) sum += stretch.epochs;
  return sum;
}

}  // namespace stcsim::curves
