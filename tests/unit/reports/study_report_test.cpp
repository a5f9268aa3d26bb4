#include "reports/run/study_report.hpp"

#include <gtest/gtest.h>

#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::refused_row;
using test::small_study;
using test::small_study_with_work;
using test::stream_row;

TEST(SpeedupTables, SchemesAgainstTheDenseBaseline) {
  EXPECT_EQ(speedup_tables(small_study()), R"(mlp on a100: speedup over dense

scheme        forward  backward (dgrad)    GEMMs   other     step  step time  sparse MACs
------------  -------  ----------------  -------  ------  -------  ---------  -----------
dense           1.00x             1.00x    1.00x   1.00x    1.00x    6.25 ms            -
sr-ste          1.50x             1.00x    1.20x   1.00x    1.19x    5.25 ms       50.0 %
------------  -------  ----------------  -------  ------  -------  ---------  -----------
dense cycles   3.00 M            3.00 M   6.00 M   250 k   6.25 M
dense time    3.00 ms           3.00 ms  6.00 ms  250 us  6.25 ms

Speedup: dense time / time, on the same machine at the same clock; dense runs in the experiment's data type, its kernels chosen in the same way.
)");
}

TEST(LikelyInterval, TellsApartWhatExcludesOne) {
  const auto verdict = [](double low, double high) {
    return std::string(LikelyInterval{low, high, false}.verdict());
  };
  EXPECT_EQ(verdict(1.01, 1.2), "faster");
  EXPECT_EQ(verdict(1, 1.2), "not told apart");
  EXPECT_EQ(verdict(0.9, 1), "not told apart");
  EXPECT_EQ(verdict(0.9, 0.999), "slower");
  EXPECT_EQ(verdict(1, 1), "as dense");
  EXPECT_EQ(verdict(0, 0), "");
}

/// "faster" never stands beside "1.00..1.01": what prints as 1.00 is no difference.
TEST(LikelyInterval, TellsNothingApartThatPrintsAsOne) {
  for (const double low : {1.001, 1.004}) {
    EXPECT_EQ((LikelyInterval{low, 1.01, false}.verdict()), "not told apart") << low;
    EXPECT_EQ((LikelyInterval{low, 1.004, false}.verdict()), "as dense") << low;
  }
  EXPECT_EQ((LikelyInterval{1.006, 1.01, false}.verdict()), "faster");
  EXPECT_EQ((LikelyInterval{0.998, 0.9998, false}.verdict()), "as dense");
  EXPECT_EQ((LikelyInterval{0.98, 0.9998, false}.verdict()), "not told apart");
  EXPECT_EQ((LikelyInterval{0.98, 0.999, false}.verdict()), "slower");
}

/// One of the scheme's dgrad GEMMs could not be simulated: what it is part of has no figure.
TEST(SpeedupTables, SumsThatLackAPointSayFailed) {
  StudyResult study = small_study();
  StudyTotal& total = study.totals.back();
  total.dgrad.failed = total.gemms.failed = total.step.failed = total.step_without_work.failed = 1;
  EXPECT_EQ(speedup_tables(study), R"(mlp on a100: speedup over dense

scheme        forward  backward (dgrad)    GEMMs   other     step  step time  sparse MACs
------------  -------  ----------------  -------  ------  -------  ---------  -----------
dense           1.00x             1.00x    1.00x   1.00x    1.00x    6.25 ms            -
sr-ste          1.50x            failed   failed   1.00x   failed     failed       failed
------------  -------  ----------------  -------  ------  -------  ---------  -----------
dense cycles   3.00 M            3.00 M   6.00 M   250 k   6.25 M
dense time    3.00 ms           3.00 ms  6.00 ms  250 us  6.25 ms

Speedup: dense time / time, on the same machine at the same clock; dense runs in the experiment's data type, its kernels chosen in the same way.
)");
}

TEST(SpeedupTables, OneTablePerMachineAndNetwork) {
  StudyResult study = small_study();
  study.totals.resize(1);
  study.totals.push_back(study.totals.front());
  study.totals.back().machine = "h100";
  const std::string text = speedup_tables(study);
  EXPECT_EQ(text.find("mlp on a100: speedup over dense\n"), 0U);
  EXPECT_NE(text.find("\n\nmlp on h100: speedup over dense\n"), std::string::npos);
}

TEST(SpeedupTables, NameTheMachinesSoftware) {
  StudyResult study = small_study();
  study.totals.front().stack = study.totals.back().stack =
      "nvidia (dense cublas by heuristic, sparse kernels by search)";
  const std::string text = speedup_tables(study);
  EXPECT_EQ(text.find("mlp on a100: speedup over dense\n"
                      "software: nvidia (dense cublas by heuristic, sparse kernels by search)\n\n"
                      "scheme  "),
            0U)
      << text;
  EXPECT_EQ(text.find("software", text.find("\n\n")), std::string::npos) << text;
}

TEST(SpeedupTables, SayHowMuchOfATrainingIsSparse) {
  StudyResult study = small_study();
  study.totals.back().share_of_training = 0.5;
  EXPECT_EQ(speedup_tables(study), R"(mlp on a100: speedup over dense

scheme        forward  backward (dgrad)    GEMMs   other     step  step time  sparse MACs  of training
------------  -------  ----------------  -------  ------  -------  ---------  -----------  -----------
dense           1.00x             1.00x    1.00x   1.00x    1.00x    6.25 ms            -            -
sr-ste          1.50x             1.00x    1.20x   1.00x    1.19x    5.25 ms       50.0 %       50.0 %
------------  -------  ----------------  -------  ------  -------  ---------  -----------  -----------
dense cycles   3.00 M            3.00 M   6.00 M   250 k   6.25 M
dense time    3.00 ms           3.00 ms  6.00 ms  250 us  6.25 ms

Speedup: dense time / time, on the same machine at the same clock; dense runs in the experiment's data type, its kernels chosen in the same way.
)");
}

TEST(SpeedupTables, WithoutADenseRowThereIsNoBaseline) {
  StudyResult study = small_study();
  study.totals.erase(study.totals.begin());
  EXPECT_EQ(speedup_tables(study), R"(mlp on a100: speedup over dense

scheme  forward  backward (dgrad)  GEMMs  other   step  step time  sparse MACs
------  -------  ----------------  -----  -----  -----  ---------  -----------
sr-ste    1.50x             1.00x  1.20x  1.00x  1.19x    5.25 ms       50.0 %

Speedup: dense time / time, on the same machine at the same clock; dense runs in the experiment's data type, its kernels chosen in the same way.
)");
}

TEST(SpeedupTables, WhatTheStepWouldTakeIfPruningWereFree) {
  EXPECT_EQ(speedup_tables(small_study_with_work()), R"(mlp on a100: speedup over dense

scheme        forward  backward (dgrad)    GEMMs   other  without pruning     step  step time  sparse MACs
------------  -------  ----------------  -------  ------  ---------------  -------  ---------  -----------
dense           1.00x             1.00x    1.00x   1.00x            1.00x    1.00x    6.25 ms            -
sr-ste          1.50x             1.00x    1.20x  0.250x            1.19x    1.04x    6.00 ms       50.0 %
------------  -------  ----------------  -------  ------  ---------------  -------  ---------  -----------
dense cycles   3.00 M            3.00 M   6.00 M   250 k           6.25 M   6.25 M
dense time    3.00 ms           3.00 ms  6.00 ms  250 us          6.25 ms  6.25 ms

Speedup: dense time / time, on the same machine at the same clock; dense runs in the experiment's data type, its kernels chosen in the same way.
Without pruning: the step without what schemes spend on choosing, compressing and decaying, as publications count.
)");
}

TEST(LayerTables, WorkThatIsNotDoneInEveryStepSaysSo) {
  StudyResult study = small_study();
  study.rows = {stream_row("fc1", "mask search", "fst")};
  study.rows.front().every = 40;
  EXPECT_NE(layer_tables(study).find("other: mask search, every 40 steps"), std::string::npos);
}

TEST(LayerTables, OneLinePerRow) {
  StudyResult study = small_study();
  study.rows.resize(4);
  study.rows.at(0).repeat = 12;
  study.rows.at(1).batch_count = 96;
  study.rows.at(1).gemm_count = 4;
  study.rows.push_back(refused_row("fc2", "forward", "mvue"));
  EXPECT_EQ(layer_tables(study), R"(mlp on a100: layers

layer    phase             scheme  m×n×k                      operand  pattern  ran    cycles      time  speedup  utilisation  bound by     tile        reason
-------  ----------------  ------  -------------------------  -------  -------  -----  ------  --------  -------  -----------  -----------  ----------  -----------------------------
fc1 ×12  forward           dense   768×512×3072               -        dense    dense   3,000   3.00 us    1.00x       50.0 %  tensor_core  128x256x32
fc1      backward (dgrad)  dense   768×512×3072×96 (4 GEMMs)  -        dense    dense   3,000   3.00 us    1.00x       50.0 %  tensor_core  128x256x32
fc1      other: relu       dense   -                          -        dense    dense     250  0.250 us    1.00x        0.0 %  dram         -
fc1      forward           sr-ste  768×512×3072               weight   2:4      2:4     2,000   2.00 us    1.50x       50.0 %  tensor_core  128x256x32
fc2      forward           mvue    768×512×3072               weight   4:8      dense   1,000   1.00 us    1.00x       50.0 %  tensor_core  128x256x32  4:8 does not fit 2:4 hardware

Numbers are of one repeat of a layer; a layer marked ×N occurs N times.
)");
}

TEST(StudyNotes, NothingToSay) {
  EXPECT_EQ(study_notes(small_study()), "");
}

TEST(StudyNotes, WhatSearchesMayHaveMissed) {
  StudyResult study;
  study.rows.assign(4, test::gemm_row("fc1", "forward", "dense", 3000, 3000));
  study.rows.push_back(test::stream_row("fc1", "relu", "dense"));
  EXPECT_EQ(study_notes(study), "");
  study.rows.at(0).regret_at_most = study.rows.at(2).regret_at_most = 0.0;
  EXPECT_EQ(study_notes(study),
            "search: kernels of 2 of 4 GEMMs were searched for; every one is the fastest\n");
  study.rows.at(0).regret_at_most = 0.031;
  study.rows.at(1).regret_at_most = 0.004;
  study.rows.at(1).repeat = 3;
  EXPECT_EQ(
      study_notes(study),
      "search: kernels of 3 of 4 GEMMs were searched for; 1 of these are surely the fastest, for "
      "the others no kernel left out saves more than 3.1 % of the time, in all 0.9 %\n");
  study.rows.at(2).regret_at_most.reset();
  EXPECT_EQ(study_notes(study),
            "search: kernels of 2 of 4 GEMMs were searched for; no kernel left out saves more than "
            "3.1 % of the time, in all 1.1 %\n");
}

TEST(StudyNotes, PhasesWithTheSameLayersShareALine) {
  StudyResult study;
  for (const char* phase : {"forward", "dgrad"}) {
    study.rows.push_back(refused_row("conv1", phase, "mvue-transposable"));
    study.rows.push_back(refused_row("conv2", phase, "mvue-transposable"));
    study.rows.back().repeat = 52;
  }
  EXPECT_EQ(study_notes(study),
            "mvue-transposable: no product of forward, dgrad ran sparse on a100, mlp\n"
            "mvue-transposable: forward, dgrad ran dense on a100 (53 layers): 4:8 does not fit 2:4 "
            "hardware\n");
}

TEST(StudyNotes, PhasesWithOtherLayersDoNot) {
  StudyResult study;
  study.rows = {refused_row("conv1", "forward", "mvue"), refused_row("conv2", "forward", "mvue"),
                refused_row("conv2", "dgrad", "mvue")};
  EXPECT_EQ(study_notes(study),
            "mvue: no product of forward, dgrad ran sparse on a100, mlp\n"
            "mvue: forward ran dense on a100 (2 layers): 4:8 does not fit 2:4 hardware\n"
            "mvue: dgrad ran dense on a100 (1 layer): 4:8 does not fit 2:4 hardware\n");
}

TEST(StudyNotes, MachinesReasonsAndNetworksAreKeptApart) {
  StudyResult study;
  study.rows.assign(4, refused_row("conv1", "forward", "mvue"));
  study.rows.at(1).machine = "h100";
  study.rows.at(2).network = "bert";
  study.rows.at(3).reason = "";
  EXPECT_EQ(study_notes(study),
            "mvue: no product of forward ran sparse on a100, mlp\n"
            "mvue: no product of forward ran sparse on h100, mlp\n"
            "mvue: no product of forward ran sparse on a100, bert\n"
            "mvue: forward ran dense on a100, mlp (1 layer): 4:8 does not fit 2:4 hardware\n"
            "mvue: forward ran dense on h100, mlp (1 layer): 4:8 does not fit 2:4 hardware\n"
            "mvue: forward ran dense on a100, bert (1 layer): 4:8 does not fit 2:4 hardware\n"
            "mvue: forward ran dense on a100, mlp (1 layer)\n");
}

TEST(StudyNotes, LayersLeftOutNeedNoneButOfTheirKernels) {
  StudyResult study;
  study.rows.assign(2, test::gemm_row("fc1", "forward", "asp", 4, 4));
  study.rows.at(0).reason = "asp does not prune this layer";
  study.rows.at(1).reason = "asp does not prune this layer; k is padded";
  study.rows.at(0).not_asked = study.rows.at(1).not_asked = NotAsked::left_out;
  study.rows.at(1).has_kernel_note = true;
  EXPECT_EQ(study_notes(study),
            "asp: no product of forward ran sparse on a100, mlp: none of its layers is pruned\n"
            "asp: forward ran dense on a100 (1 layer): asp does not prune this layer; k is "
            "padded\n");
}

TEST(StudyNotes, LimitsOfSparseRunsReasonsOfDensePatternsAndFailures) {
  StudyResult study;
  study.rows = {test::sparse_row("fc1", "forward", "2:8", 2, 4),
                test::gemm_row("fc1", "wgrad", "2:8", 4, 4)};
  study.rows.at(0).reason = "2:8 runs as 2:4";
  study.rows.at(1).reason = "the layer is too small";
  study.failures = {"h100, mlp: deadlock"};
  EXPECT_EQ(study_notes(study),
            "2:8: forward ran sparse on a100 (1 layer): 2:8 runs as 2:4\n"
            "2:8: wgrad ran dense on a100 (1 layer): the layer is too small\n");
  EXPECT_EQ(closing_notes(study), "failed: h100, mlp: deadlock\n");
}

/// A scheme that updates only kept weights may gain more there than its GEMMs do.
TEST(StudyNotes, GainsOfTheOptimizerAreNamed) {
  StudyResult study = small_study();
  study.rows.clear();
  StudyTotal& total = study.totals.back();
  total.optimizer = test::part(400000, 900000);
  EXPECT_EQ(study_notes(study), "");
  total.optimizer.dense_time_us = 901;
  EXPECT_EQ(study_notes(study),
            "sr-ste: 50.1 % of what a step of mlp on a100 gains comes from the optimizer, which "
            "has less to update\n");
  total.optimizer.dense_time_us = 1500;
  EXPECT_EQ(study_notes(study),
            "sr-ste: all that a step of mlp on a100 gains comes from the optimizer, which has less "
            "to update\n");
  total.step.time_us = 6250;
  EXPECT_EQ(study_notes(study), "");
}

/// At how many times its time the pruning of a step that saves 100 us without it changes the sign.
TEST(StudyNotes, HowDearPruningMayBe) {
  StudyResult study = small_study();
  study.rows.clear();
  StudyTotal& total = study.totals.back();
  const auto note = [&](double work_us, double without_work_us) {
    total.step.dense_time_us = 1000;
    total.scheme_work.time_us = work_us;
    total.step.time_us = without_work_us + work_us;
    return pruning_notes(study);
  };
  EXPECT_EQ(note(50, 900),
            "pruning of mlp on a100: sr-ste gains until it takes 2.00 times as long\n");
  EXPECT_EQ(note(100, 900),
            "pruning of mlp on a100: sr-ste gains until it takes 1.00 times as long\n");
  EXPECT_EQ(note(400, 900),
            "pruning of mlp on a100: sr-ste gains where it takes 4.00 times less\n");
  EXPECT_EQ(note(10, 900), "");
  EXPECT_EQ(note(0, 900), "");
  EXPECT_EQ(note(50, 1000), "");
  EXPECT_EQ(study_notes(study), "");
  total.step.failed = 1;
  EXPECT_EQ(note(50, 900), "");
}

/// The optimizer has a row of its own.
TEST(SpeedupTables, TheOptimizerIsARowOfItsOwn) {
  StudyResult study = small_study();
  study.totals.pop_back();
  study.totals.front().optimizer = test::part(50000, 50000);
  EXPECT_NE(speedup_tables(study).find(
                R"(dense cycles   3.00 M            3.00 M   6.00 M   250 k   6.25 M
dense time    3.00 ms           3.00 ms  6.00 ms  250 us  6.25 ms
optimizer                                                  50,000    50.0 us
)"),
            std::string::npos)
      << speedup_tables(study);
}

/// The pass after training has a table of its own, without phases.
TEST(SpeedupTables, ThePassAfterTrainingIsATableOfItsOwn) {
  StudyResult study = small_study();
  study.totals.erase(study.totals.begin());
  study.totals.push_back(study.totals.front());
  StudyTotal& after = study.totals.back();
  after.pass = StudyPass::inference;
  after.forward = after.dgrad = {};
  after.gemms = test::part(1500000, 3000000);
  EXPECT_NE(speedup_tables(study).find(R"(

mlp on a100, inference: speedup over dense

scheme  GEMMs  other   pass  pass time  sparse MACs
------  -----  -----  -----  ---------  -----------
sr-ste  2.00x  1.00x  1.19x    5.25 ms       50.0 %
)"),
            std::string::npos)
      << speedup_tables(study);
}

TEST(LayerTables, CutAndLeaveOutWhatDoesNotFit) {
  StudyResult study = small_study();
  study.rows.resize(1);
  study.rows.front().layer = "encoder.layer.0.attention.output.dense";
  EXPECT_EQ(layer_tables(study, 80), R"(mlp on a100: layers

layer                      phase    scheme  m×n×k         ran    cycles  speedup
-------------------------  -------  ------  ------------  -----  ------  -------
encoder.laye…output.dense  forward  dense   768×512×3072  dense   3,000    1.00x
(too wide for: operand, pattern, time, utilisation, bound by, tile, reason)

Numbers are of one repeat of a layer; a layer marked ×N occurs N times.
)");
}

TEST(StudyReport, PartsAreSeparatedByABlankLine) {
  StudyResult study = small_study();
  const std::string summary =
      "mlp on a100: dense step 6.25 ms; fastest sr-ste, 5.25 ms (1.19x), 1 of its 1 products "
      "sparse\n\n" +
      summary_tables(study);
  const std::string next = next_of_study(study, kAnyWidth);
  EXPECT_EQ(study_report(study, {}),
            summary + "\nmore: --layers (phases, parts of the step, memory, losses, each layer)\n" +
                next);
  EXPECT_EQ(study_report(study, {.layers = true, .notes = true}),
            summary + "\n" + speedup_tables(study) + "\n" + losses_tables(study) + "\n" +
                layer_tables(study) + "\n" + next);
  study.failures = {"x: why"};
  EXPECT_EQ(study_report(study, {.layers = true}),
            summary + "\n" + speedup_tables(study) + "\n" + losses_tables(study) + "\n" +
                layer_tables(study) + "\nfailed: x: why\n" + next);
  EXPECT_EQ(study_report(StudyResult{}, {.layers = true}), "");
}

TEST(StudyReport, NotesAreCountedUntilTheyAreAskedFor) {
  StudyResult study = small_study();
  study.rows.push_back(refused_row("fc2", "forward", "mvue"));
  const std::string note =
      "mvue: no product of forward ran sparse on a100, mlp\n"
      "mvue: forward ran dense on a100 (1 layer): 4:8 does not fit 2:4 hardware\n";
  EXPECT_NE(study_report(study, {}).find("--notes (2 of what ran dense, and why)\n"),
            std::string::npos);
  EXPECT_NE(study_report(study, {.notes = true}).find(note), std::string::npos);
}

TEST(StudyReport, FitsItsWidth) {
  StudyResult study = small_study_with_work();
  study.failures = {std::string(300, 'x') + " " + std::string(60, 'y')};
  study.failures.front().insert(150, " ");
  const std::string report = study_report(study, {.layers = true, .notes = true, .width = 160});
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = report.find('\n', at);
    EXPECT_LE(display_width(report.substr(at, end - at)), 160U) << report.substr(at, end - at);
    at = end + 1;
  }
}

}  // namespace
}  // namespace stcsim
