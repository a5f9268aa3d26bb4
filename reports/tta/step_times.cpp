#include "reports/tta/step_times.hpp"

#include <cmath>

#include "sim/study/speedup_interval.hpp"

namespace stcsim {
namespace {

constexpr double kUsPerMs = 1000;

std::vector<const ResultRow*> rows_of(const StudyResult& study, const StudyTotal& total) {
  std::vector<const ResultRow*> rows;
  for (const ResultRow& row : study.rows) {
    const bool is_own =
        row.machine == total.machine && row.network == total.network && row.scheme == total.scheme;
    if (is_own) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::vector<StepTime> step_times(const StudyResult& study, DataType dtype,
                                 const ValidatedErrors* errors) {
  std::vector<StepTime> times;
  for (const StudyTotal& total : study.totals) {
    if (total.pass != kTrainingPass || !total.is_complete()) continue;
    StepTime time{total.machine,
                  total.network,
                  total.scheme,
                  total.step.time_us / kUsPerMs,
                  total.step.dense_time_us / kUsPerMs,
                  total.step_without_work.time_us / kUsPerMs,
                  {},
                  {total.step.speedup, total.step.speedup}};
    double deviation = 0;
    if (errors != nullptr) {
      deviation = time_deviation(rows_of(study, total), errors->of(total.machine, dtype));
    }
    time.between = {time.ms * std::exp(-deviation), time.ms * std::exp(deviation)};
    if (total.step_interval.is_known()) {
      time.speedup_between = {total.step_interval.low, total.step_interval.high};
    }
    times.push_back(time);
  }
  return times;
}

}  // namespace stcsim
