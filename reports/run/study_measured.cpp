#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/json_reader.hpp"
#include "common/io/table.hpp"
#include "common/phase.hpp"
#include "reports/parts/study_groups.hpp"
#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

/// Microseconds of one repeat by network, layer and phase.
using MeasuredByProduct = std::map<std::tuple<std::string, std::string, std::string>, double>;

MeasuredByProduct measured_in(const StudyResult& study) {
  MeasuredByProduct times;
  if (study.resolved_config.find("\"measured\"") == std::string::npos) return times;
  const auto config = try_parse_json(study.resolved_config);
  if (!config.is_object() || !config.contains("networks")) return times;
  for (const auto& network : config.at("networks")) {
    for (const auto& layer : network.at("layers")) {
      if (!layer.contains("measured")) continue;
      for (const Phase phase : kPhases) {
        const std::string name(to_string(phase));
        const auto time = layer.at("measured").value(name + "_ns", std::int64_t{0});
        constexpr double kMicrosecond = 1000;
        if (time <= 0) continue;
        times[{network.at("name"), layer.at("name"), name}] =
            static_cast<double>(time) / kMicrosecond;
      }
    }
  }
  return times;
}

/// A product in both worlds, repeats counted.
struct Compared {
  const ResultRow* row;
  double measured_us;
  double simulated_us;
};

std::string ratio_of(const Compared& one) {
  return one.measured_us > 0 ? format_speedup(one.simulated_us / one.measured_us) : kNothingCell;
}

std::string measured_table(std::vector<Compared> products, std::size_t width) {
  Table table({{"layer"},
               {"phase"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"simulated / measured", Align::right}});
  std::ranges::stable_sort(products, std::ranges::greater{}, &Compared::measured_us);
  Compared all{products.front().row, 0, 0};
  for (const Compared& one : products) {
    table.add_row({name_with_repeat(*one.row), std::string(to_string(one.row->phase)),
                   format_time_us(one.measured_us), format_time_us(one.simulated_us),
                   ratio_of(one)});
    all.measured_us += one.measured_us;
    all.simulated_us += one.simulated_us;
  }
  table.add_rule();
  table.add_row({"all", "", format_time_us(all.measured_us), format_time_us(all.simulated_us),
                 ratio_of(all)});
  const ResultRow& first = *products.front().row;
  return first.network + " on " + first.machine +
         ": measured where the profile is from, and simulated here (dense)\n\n" +
         table.to_string(width);
}

}  // namespace

std::string measured_tables(const StudyResult& study, std::size_t width) {
  const MeasuredByProduct times = measured_in(study);
  std::string text;
  if (times.empty()) return text;
  for (const auto& rows : by_machine_and_network(study.rows)) {
    std::vector<Compared> products;
    std::set<std::pair<std::string, RowPhase>> seen;
    for (const ResultRow* const row : rows) {
      const auto found = times.find({row->network, row->layer, std::string(to_string(row->phase))});
      if (!row->is_gemm() || found == times.end()) continue;
      if (!seen.insert({row->layer, row->phase}).second) continue;
      const auto repeat = static_cast<double>(row->repeat);
      products.push_back({row, found->second * repeat, row->dense_time_us * repeat});
    }
    if (!products.empty()) text += measured_table(std::move(products), width) + "\n";
  }
  return text;
}

}  // namespace stcsim
