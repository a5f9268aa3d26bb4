#include "sim/study/step_energy.hpp"

#include <cstddef>

#include "common/phase.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {
namespace {

bool is_part_of(const ResultRow& row, const StudyTotal& total) {
  const bool is_inference = row.phase == kInferenceName;
  return row.network == total.network && row.scheme == total.scheme &&
         is_inference == (total.pass != kTrainingPass);
}

}  // namespace

double joules_of(const MachineConfig& as_built, DataType dtype, double clock_mhz,
                 const PointResults& results, const std::vector<std::int64_t>& points) {
  double joules = 0;
  for (const std::int64_t point : points) {
    const auto& run = results.at(static_cast<std::size_t>(point));
    joules += board_energy(as_built, dtype, run->result, clock_mhz).total();
  }
  return joules;
}

void find_wait_energy(const MachineConfig& as_built, double clock_mhz, ResultRow& row) {
  const double watts_per_hertz = as_built.power.idle_watts / (clock_mhz * 1e6);
  row.joules = watts_per_hertz * static_cast<double>(row.cycles);
  row.dense_joules = watts_per_hertz * static_cast<double>(row.dense_cycles);
}

void add_energies(const std::vector<ResultRow>& rows, std::vector<StudyTotal>& totals) {
  for (StudyTotal& total : totals) {
    for (const ResultRow& row : rows) {
      if (!is_part_of(row, total)) continue;
      const double repeat = static_cast<double>(row.repeat) / static_cast<double>(row.every);
      total.joules += repeat * row.joules;
      total.dense_joules += repeat * row.dense_joules;
    }
  }
}

}  // namespace stcsim
