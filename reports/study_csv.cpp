#include "reports/study_csv.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "reports/launch_json.hpp"
#include "reports/study_json.hpp"

namespace stcsim {

std::string results_to_csv(const StudyResult& study) {
  std::vector<nlohmann::ordered_json> rows;
  for (const ResultRow& row : study.rows) rows.push_back(row_json(row));
  ResultRow shape;
  shape.counters = all_counters(study.rows);
  for (const ResultRow& row : study.rows) {
    shape.simulated_share = std::max(shape.simulated_share, row.simulated_share);
  }
  return to_csv(row_json(shape), rows);
}

std::string totals_to_csv(const StudyResult& study) {
  std::vector<nlohmann::ordered_json> rows;
  const auto row_of = [](const StudyTotal& total) {
    nlohmann::ordered_json row = total_json(total);
    row.erase("beside");  // how many there are differs
    return row;
  };
  for (const StudyTotal& total : study.totals) rows.push_back(row_of(total));
  return to_csv(row_of(StudyTotal{}), rows);
}

}  // namespace stcsim
