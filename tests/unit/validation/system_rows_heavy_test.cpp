#include <vector>

#include <gtest/gtest.h>

#include "common/io/catalog.hpp"
#include "reports/validation/errors.hpp"
#include "reports/validation/system_rows.hpp"

namespace stcsim {
namespace {

struct StepErrors {
  std::vector<std::pair<double, double>> times;
  std::vector<std::pair<double, double>> scaling;
};

/// 37 rows of a DGX A100 and seven of MPT: times within 15 %, scaling within 7 % in the mean.
TEST(SystemRows, TrainingsAreAsFastAsMeasured) {
  ValidationOptions options;
  options.jobs = 2;
  auto measured = read_measured_systems(config_directory() / "validation" / "systems.csv");
  std::erase_if(measured, [](const MeasuredSystem& row) { return row.use == RowUse::shown; });
  StepErrors errors;
  for (const SystemRow& row : validate_systems(measured, options)) {
    errors.times.emplace_back(row.measured.us, row.us.value());
    errors.scaling.emplace_back(row.measured_scaling, row.scaling.value());
  }
  EXPECT_EQ(errors.times.size(), 44U);
  EXPECT_LE(error_statistics(errors.times).mean_absolute, 0.15);
  EXPECT_LE(error_statistics(errors.scaling).mean_absolute, 0.07);
}

}  // namespace
}  // namespace stcsim
