#include <gtest/gtest.h>

#include "reports/validation/row_tables.hpp"

namespace stcsim {
namespace {

NetworkRow step(const std::string& machine, const std::string& framework, double measured_ms,
                double simulated_ms) {
  NetworkRow row;
  row.machine = machine;
  row.measured.framework = framework;
  row.measured.measured.dense_us = 1000 * measured_ms;
  row.simulated.dense_us = 1000 * simulated_ms;
  return row;
}

std::vector<NetworkRow> sample_steps() {
  return {step("a100", "pytorch_eager", 100, 90), step("a100", "pytorch_eager", 200, 240),
          step("a100", "ideal", 100, 70), step("rtx3090", "ideal", 10, 11)};
}

TEST(StepTables, ErrorsOfMachinesAndFrameworks) {
  std::vector<NetworkRow> rows = sample_steps();
  rows[0].measured.software_year = 2023;
  rows[1].measured.software_year = 2021;
  rows[3].measured.software_year = 2026;
  EXPECT_EQ(step_table(rows).to_string(),
            "machine  framework      software of   rows  mean error     bias\n"
            "-------  -------------  ------------  ----  ----------  -------\n"
            "a100     all            2021 to 2023     3      20.0 %   -6.7 %\n"
            "a100     ideal          -                1      30.0 %  -30.0 %\n"
            "a100     pytorch_eager  2021 to 2023     2      15.0 %   +5.0 %\n"
            "rtx3090  all            2026             1      10.0 %  +10.0 %\n"
            "rtx3090  ideal          2026             1      10.0 %  +10.0 %\n");
}

TEST(StepTables, OneLinePerStep) {
  std::vector<NetworkRow> rows{step("a100", "pytorch_eager", 100, 90)};
  rows[0].measured.network = "Net";
  rows[0].measured.config = "bs=8";
  rows[0].measured.where.line = 7;
  EXPECT_EQ(step_rows_table(rows).to_string(),
            "line  machine  network  config  type  framework      measured  simulated    error\n"
            "----  -------  -------  ------  ----  -------------  --------  ---------  -------\n"
            "   7  a100     Net      bs=8    fp16  pytorch_eager    100 ms    90.0 ms  -10.0 %\n");
  EXPECT_TRUE(is_dense_step(rows[0]));
  rows[0].simulated.sparse_us = 1;
  EXPECT_FALSE(is_dense_step(rows[0]));
}

/// Inference, parts of a step, what was skipped and what has no time of a dense step do not count.
TEST(StepTables, OnlyWholeDenseTrainingSteps) {
  std::vector<NetworkRow> rows(5, step("a100", "ideal", 1, 1));
  rows[0].measured.inference = true;
  rows[1].measured.scope = Scope::passes;
  rows[2].skipped = "because";
  rows[3].measured.measured.dense_us.reset();
  EXPECT_EQ(dense_steps(rows), std::vector<const NetworkRow*>{&rows[4]});
}

/// A part of a network is no whole step.
TEST(StepTables, FineTuningAndPartsHaveLinesOfTheirOwn) {
  std::vector<NetworkRow> rows{step("a100", "ideal", 100, 90), step("a100", "ideal", 100, 60),
                               step("a100", "ideal", 100, 70)};
  rows[1].measured.phase = "fine-tuning";
  rows[2].measured.phase = "part of a network";
  EXPECT_EQ(step_table(rows).to_string(),
            "machine  framework                 software of  rows  mean error     bias\n"
            "-------  ------------------------  -----------  ----  ----------  -------\n"
            "a100     all                       -               1      10.0 %  -10.0 %\n"
            "a100     fine-tuning               -               1      40.0 %  -40.0 %\n"
            "a100     ideal                     -               1      10.0 %  -10.0 %\n"
            "a100     ideal, fine-tuning        -               1      40.0 %  -40.0 %\n"
            "a100     ideal, part of a network  -               1      30.0 %  -30.0 %\n"
            "a100     part of a network         -               1      30.0 %  -30.0 %\n");
}

NetworkRow sparse_passes(const std::string& network, double measured_gain, double simulated_gain) {
  NetworkRow row = step("rtx3090", "pytorch_timed_part", 100, 110);
  row.measured.gpu = "RTX 3090";
  row.measured.network = network;
  row.measured.scope = Scope::passes;
  row.measured.measured.sparse_us = 50000;
  row.simulated.sparse_us = 45000;
  row.measured.measured.speedup = {measured_gain, measured_gain};
  row.simulated.speedup = {simulated_gain, simulated_gain};
  return row;
}

TEST(TrainingTable, ErrorsOfEachNetworkAndHowManyGainsAreOffToEitherSide) {
  std::vector<NetworkRow> rows{sparse_passes("MLP", 2, 2.2), sparse_passes("MLP", 2, 1.9),
                               sparse_passes("MLP", 2, 2.03), sparse_passes("block", 1, 0.9)};
  rows[3].measured.measured.dense_us.reset();
  EXPECT_EQ(training_table(rows)->to_string(),
            "gpu       network  rows       dense time      sparse time             gain  > 2 % too "
            "high  too low\n"
            "--------  -------  ----  ---------------  ---------------  ---------------  ----------"
            "----  -------\n"
            "RTX 3090  MLP         3  10.0 %, +10.0 %  10.0 %, -10.0 %    5.5 %, +2.2 %           "
            "    1        1\n"
            "RTX 3090  block       1                -  10.0 %, -10.0 %  10.0 %, -10.0 %           "
            "    0        1\n");
}

/// Inference, other scopes and what was skipped are no passes of sparse training.
TEST(TrainingTable, OnlyPassesOfSparseTraining) {
  std::vector<NetworkRow> rows(4, sparse_passes("MLP", 2, 2));
  rows[0].measured.inference = true;
  rows[1].measured.scope = Scope::step;
  rows[2].skipped = "because";
  rows[3].measured.measured.speedup = {};
  EXPECT_FALSE(training_table(rows).has_value());
  EXPECT_FALSE(training_table({}).has_value());
}

}  // namespace
}  // namespace stcsim
