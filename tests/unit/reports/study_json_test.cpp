#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/version.hpp"
#include "reports/run/study_report.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::message_of;
using test::small_study;

StudyResult one_row_study() {
  StudyResult study = small_study();
  study.rows = {test::sparse_row("fc\"1\"", "forward", "sr-ste", 2000, 3000)};
  study.rows.front().repeat = 12;
  study.rows.front().regret_at_most = 0.0125;
  study.totals.erase(study.totals.begin());
  study.totals.front().stack = "nvidia";
  study.totals.front().always = {5300000, 5300.0, 1.25, 0, 6250.0};
  study.totals.front().beside = {{"best", 5000.0, 1.5}};
  study.totals.front().memory = {1, 2, 3, 4, 5, 6, 7, 8};
  study.totals.front().capacity_bytes = 36;
  study.totals.front().interval = {0.5, 1.5, true};
  study.totals.front().time_interval = {4000, 6000, false};
  study.totals.front().dense_time_interval = {5000, 7000, false};
  study.failures = {"a100, mlp, fc2: deadlock"};
  return study;
}

/// As sample studies do not say what their rows are there for.
std::string kinds_text() {
  std::string text;
  for (const std::string kind :
       {"normalisation", "activation", "softmax", "dropout", "residual", "pooling", "bias", "loss",
        "casts", "layout", "optimizer", "pruning", "launches", "sparse_calls"}) {
    text += (text.empty() ? "\"" : ",\"") + kind +
            R"(":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0})";
  }
  return text;
}

TEST(StudyJson, HasExactlyTheseBytes) {
  EXPECT_EQ(
      study_to_json(one_row_study()),
      R"({
  "schema": "stcsim.study/2",
  "version": ")" +
          std::string(program_version()) +
          R"(",
  "config_hash": "00ff",
  "config": {"dtype":"fp16","machines":["a100"]},
  "results": [
    {"machine":"a100","network":"mlp","layer":"fc\"1\"","phase":"forward","scheme":"sr-ste","op":"gemm","kind":"gemm","scheme_work":false,"fused_work":false,"repeat":12,"every":1,"m":768,"n":512,"k":3072,"batch_count":1,"gemm_count":1,"longest_part":1,"launches":1,"macs":1207959552,"sparse_macs":1207959552,"dtype":"fp16","pattern":"2:4","hardware_pattern":"2:4","sparse_operand":"weight","ran_sparse":true,"reason":"","cycles":2000,"dense_cycles":3000,"time_us":2.0,"dense_time_us":3.0,"speedup":1.5,"utilization":0.5,"bound_by":"tensor_core","tile":"128x256x32","regret_at_most":0.0125,"joules":0.0,"dense_joules":0.0,"kernel":{"name":"dense_128x256x32_s3","tile_m":128,"tile_n":256,"tile_k":32,"stages":3,"warps":8,"instruction":"mma.m16n8k16","split_k":1,"ctas":12,"ctas_per_sm":1,"waves":0.125},"traffic":{"shared_memory_read_bytes":1,"shared_memory_write_bytes":2,"l2_read_bytes":3,"l2_hit_bytes":4,"l2_write_bytes":5,"dram_read_bytes":6,"dram_write_bytes":7,"metadata_bytes":8},"buckets":{"tensor_core":{"instances":432,"busy":60,"idle":40}}}
  ],
  "totals": [
    {"machine":"a100","network":"mlp","scheme":"sr-ste","pass":"training","stack":"nvidia","framework":"","products_only":false,"attention":"none","clock_mhz":0.0,"clock_of":"machine","dense_watts":0.0,"joules":0.0,"dense_joules":0.0,"share_of_training":1.0,"complete":true,"speedup":1.1904761904761905,"gemm_speedup":1.2,"speedup_interval":{"low":0.5,"high":1.5,"assumed":true},"verdict":"not told apart","step_interval":{"low":0.0,"high":0.0,"assumed":false},"time_interval":{"low":4000.0,"high":6000.0,"assumed":false},"dense_time_interval":{"low":5000.0,"high":7000.0,"assumed":false},"sparse_share":{"forward":1.0,"dgrad":0.0,"wgrad":0.0,"gemms":0.5},"forward":{"cycles":2000000,"time_us":2000.0,"dense_time_us":3000.0,"speedup":1.5,"failed":0},"dgrad":{"cycles":3000000,"time_us":3000.0,"dense_time_us":3000.0,"speedup":1.0,"failed":0},"wgrad":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"gemms":{"cycles":5000000,"time_us":5000.0,"dense_time_us":6000.0,"speedup":1.2,"failed":0},"sparse_gemms":{"cycles":2000000,"time_us":2000.0,"dense_time_us":3000.0,"speedup":1.5,"failed":0},"other":{"cycles":250000,"time_us":250.0,"dense_time_us":250.0,"speedup":1.0,"failed":0},"optimizer":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"scheme_work":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"step":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"step_without_work":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"training":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"always":{"cycles":5300000,"time_us":5300.0,"dense_time_us":6250.0,"speedup":1.25,"failed":0},"measured":false,"kernels_us":0.0,"dense_kernels_us":0.0,"kernels_speedup":1.0,"kernels_interval":{"low":0.0,"high":0.0,"assumed":false},"beside":[{"stack":"best","time_us":5000.0,"speedup":1.5}],"kinds":{)" +
          kinds_text() +
          R"(},"memory":{"weights_bytes":1,"compressed_bytes":2,"metadata_bytes":3,"masks_bytes":4,"gradients_bytes":5,"optimizer_bytes":6,"activations_bytes":7,"working_bytes":8,"total_bytes":36,"capacity_bytes":36,"fits":true}}
  ],
  "losses": [
    {"machine":"a100","network":"mlp","scheme":"sr-ste","pass":"training","lost_cycles":6000,"worst":[{"layer":"fc\"1\"","phase":"forward","repeat":12,"pattern":"2:4","hardware_pattern":"2:4","cycles":24000,"speedup":1.5,"ideal_speedup":2.0,"lost_cycles":6000,"share":1.0,"bound_by":"tensor_core","slower_than_dense":false}],"explain":"stcsim explain --arch a100 --layer 'mlp:fc\"1\"' --phase forward --scheme sr-ste"}
  ],
  "complete": false,
  "failures": [
    "a100, mlp, fc2: deadlock"
  ]
}
)");
}

TEST(StudyJson, WhateverElseIsCountedIsWrittenByItsUnit) {
  StudyResult study = small_study();
  study.rows.at(1).counters.push_back({"cache_refills", "refill", 7});
  study.rows.at(1).counters.push_back({"cache_read_bytes", "byte", 640});
  EXPECT_THAT(study_to_json(study),
              ::testing::HasSubstr(R"("metadata_bytes":8,"cache_read_bytes":640},)"
                                   R"("counters":{"refill":{"cache_refills":7}},"buckets")"));
}

TEST(StudyJson, RowsThatMightBeSampledSayWhereTheirCyclesLie) {
  StudyResult study = small_study();
  EXPECT_THAT(study_to_json(study), ::testing::Not(::testing::HasSubstr("cycles_low")));
  study.rows.front().sampled = {0.25, 2990, 3010};
  EXPECT_THAT(study_to_json(study),
              ::testing::HasSubstr(R"("dense_joules":0.0,"cycles_low":2990,"cycles_high":3010,)"
                                   R"("simulated_share":0.25,"kernel")"));
}

TEST(StudyJson, NegativeZeroPrintsAsZero) {
  StudyResult positive = small_study();
  positive.rows.front().time_us = 0.0;
  StudyResult negative = positive;
  negative.rows.front().time_us = -0.0;
  EXPECT_EQ(study_to_json(negative), study_to_json(positive));
}

TEST(StudyJson, RefusesNumbersJsonCannotHold) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    StudyResult study = small_study();
    study.rows.front().speedup = value;
    EXPECT_EQ(message_of<SimulationError>([&] { (void)study_to_json(study); }),
              "'speedup' is not a finite number");
  }
}

TEST(StudyJson, RefusesAConfigurationThatIsNoObject) {
  for (const char* config : {"", "[1]", "{"}) {
    StudyResult study = small_study();
    study.resolved_config = config;
    EXPECT_THROW((void)study_to_json(study), std::invalid_argument) << config;
  }
}

}  // namespace
}  // namespace stcsim
