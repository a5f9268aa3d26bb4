#include "reports/tta/tta_front.hpp"

#include <utility>

namespace stcsim {

void add_front(TtaSummary& summary, const std::string& machine, std::size_t first) {
  std::vector<curves::TimedValue> all;
  for (std::size_t at = first; at < summary.results.size(); ++at) {
    const auto& points = summary.results[at].points;
    all.insert(all.end(), points.begin(), points.end());
  }
  const bool lower = summary.question.curves.lower_is_better;
  for (std::size_t at = first; at < summary.results.size(); ++at) {
    TtaResult& result = summary.results[at];
    if (result.points.empty()) continue;
    curves::TimedValue end = result.points.back();
    end.value = result.curves->figures.final_value.mean;
    result.is_on_front = !curves::is_beaten(end, all, lower);
  }
  summary.fronts.push_back({machine, curves::pareto_front(std::move(all), lower)});
}

}  // namespace stcsim
