#include <gtest/gtest.h>

#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

ParallelTotal total_of(const std::string& scheme, std::int64_t gpus, double us) {
  ParallelTotal total;
  total.machine = "h100_sxm";
  total.network = "net";
  total.scheme = scheme;
  total.gpus = gpus;
  total.times.us = us;
  total.dense_us = 2000;
  total.speedup = 2000 / us;
  total.capacity_bytes = 80'000'000'000;
  total.memory_bytes = gpus == 1 ? 90'000'000'000 : 20'000'000'000;
  return total;
}

TEST(ParallelReport, BeginsWithWhatEachSchemeGainsAndWhatDoesNotFit) {
  StudyResult study;
  study.parallel = {total_of("dense", 8, 2000), total_of("slope", 1, 1600),
                    total_of("slope", 8, 1250)};
  study.parallel.back().times.exposed = {{"weights", 120}};
  study.parallel.back().gains_nothing_from = 64;
  study.parallel.back().likely = {1.4, 1.8, false};
  const std::string text = parallel_report(study, 100);
  EXPECT_TRUE(
      text.starts_with("net on h100_sxm, several GPUs, the same batch on each: predicted\n"
                       "  slope: 1.25x on 1 GPU, 1.60x (1.40x..1.80x) on 8 GPUs (predicted); not "
                       "worth it from 64 GPUs on\n"
                       "Does not fit: slope on 1 GPU (90.0 GB of 80.0 GB)\n"))
      << text;
  EXPECT_NE(text.find("weights 120 us"), std::string::npos);
  EXPECT_NE(text.find("Predicted: nobody measured n:m on several GPUs."), std::string::npos);
}

}  // namespace
}  // namespace stcsim
