#include "reports/study_json.hpp"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/version.hpp"
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
  study.failures = {"a100, mlp, fc2: deadlock"};
  return study;
}

/// As sample studies do not say what their rows are there for.
std::string kinds_text() {
  std::string text;
  for (const std::string kind :
       {"normalisation", "activation", "softmax", "dropout", "residual", "pooling", "bias", "loss",
        "casts", "layout", "optimizer", "pruning", "launches"}) {
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
    {"machine":"a100","network":"mlp","scheme":"sr-ste","pass":"training","stack":"nvidia","framework":"","clock_mhz":0.0,"clock_of":"machine","dense_watts":0.0,"joules":0.0,"dense_joules":0.0,"share_of_training":1.0,"complete":true,"speedup":1.1904761904761905,"gemm_speedup":1.2,"speedup_interval":{"low":0.5,"high":1.5,"assumed":true},"verdict":"not told apart","step_interval":{"low":0.0,"high":0.0,"assumed":false},"sparse_share":{"forward":1.0,"dgrad":0.0,"wgrad":0.0,"gemms":0.5},"forward":{"cycles":2000000,"time_us":2000.0,"dense_time_us":3000.0,"speedup":1.5,"failed":0},"dgrad":{"cycles":3000000,"time_us":3000.0,"dense_time_us":3000.0,"speedup":1.0,"failed":0},"wgrad":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"gemms":{"cycles":5000000,"time_us":5000.0,"dense_time_us":6000.0,"speedup":1.2,"failed":0},"sparse_gemms":{"cycles":2000000,"time_us":2000.0,"dense_time_us":3000.0,"speedup":1.5,"failed":0},"other":{"cycles":250000,"time_us":250.0,"dense_time_us":250.0,"speedup":1.0,"failed":0},"optimizer":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"scheme_work":{"cycles":0,"time_us":0.0,"dense_time_us":0.0,"speedup":1.0,"failed":0},"step":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"step_without_work":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"training":{"cycles":5250000,"time_us":5250.0,"dense_time_us":6250.0,"speedup":1.1904761904761905,"failed":0},"always":{"cycles":5300000,"time_us":5300.0,"dense_time_us":6250.0,"speedup":1.25,"failed":0},"beside":[{"stack":"best","time_us":5000.0,"speedup":1.5}],"kinds":{)" +
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

/// What the units of a machine count besides is data: a reader knows nothing of it beforehand.
TEST(StudyJson, WhateverElseIsCountedIsWrittenAndReadBack) {
  StudyResult study = small_study();
  study.rows.at(1).counters.push_back({"cache_refills", "refill", 7});
  study.rows.at(1).counters.push_back({"cache_read_bytes", "byte", 640});
  const std::string text = study_to_json(study);
  EXPECT_THAT(text, ::testing::HasSubstr(R"("metadata_bytes":8,"cache_read_bytes":640},)"
                                         R"("counters":{"refill":{"cache_refills":7}},"buckets")"));
  const StudyResult back = study_from_json(text, "out.json");
  EXPECT_EQ(study_to_json(back), text);
  EXPECT_EQ(count_of(back.rows.at(1).counters, "cache_refills"), 7);
  EXPECT_EQ(back.rows.at(0), study.rows.at(0));
}

TEST(StudyJson, RoundTripGivesTheSameStudyAndBytes) {
  StudyResult study = small_study();
  study.failures = {"one: why", "two: ×Δ \"quoted\"\n"};
  study.rows.at(1).time_us = 0.1 + 0.2;
  study.rows.at(1).cycles = std::numeric_limits<std::int64_t>::max();
  study.rows.at(1).units.push_back({"dram", 1, {{"idle", 7}, {"busy", 3}}});
  study.rows.at(1).regret_at_most = 0.25;
  const std::string text = study_to_json(study);
  const StudyResult back = study_from_json(text, "out.json");
  EXPECT_EQ(back.resolved_config, study.resolved_config);
  EXPECT_EQ(back.config_hash, study.config_hash);
  EXPECT_EQ(back.rows, study.rows);
  EXPECT_EQ(back.totals, study.totals);
  EXPECT_EQ(back.failures, study.failures);
  EXPECT_EQ(study_to_json(back), text);
}

/// As before there was such a key.
TEST(StudyJson, NothingIsKnownOfASearchThatIsNotSpokenOf) {
  StudyResult study = small_study();
  std::string text = study_to_json(study);
  for (const std::string key = R"("regret_at_most":null,)"; text.find(key) != std::string::npos;) {
    text.erase(text.find(key), key.size());
  }
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("regret_at_most")));
  EXPECT_EQ(study_from_json(text, "out.json").rows, study.rows);
}

TEST(StudyJson, EmptyStudyRoundTrips) {
  StudyResult study;
  study.resolved_config = "{}";
  const StudyResult back = study_from_json(study_to_json(study), "out.json");
  EXPECT_TRUE(back.rows.empty());
  EXPECT_TRUE(back.totals.empty());
  EXPECT_TRUE(back.failures.empty());
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

std::string error_after(const std::string& from, const std::string& to) {
  std::string text = study_to_json(small_study());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return message_of<ConfigError>([&] { (void)study_from_json(text, "out.json"); });
}

TEST(StudyJson, ErrorsNameWhatIsMissing) {
  EXPECT_EQ(error_after("\"cycles\":3000,", ""), "out.json: error: 'results[0].cycles' is missing");
  EXPECT_EQ(error_after("\"l2_hit_bytes\":4,", ""),
            "out.json: error: 'results[0].traffic.l2_hit_bytes' is missing");
  EXPECT_EQ(error_after("\"schema\": \"stcsim.study/2\",", ""),
            "out.json: error: 'schema' is missing");
  EXPECT_EQ(error_after("\"totals\"", "\"total\""), "out.json: error: 'totals' is missing");
}

TEST(StudyJson, ErrorsNameWhatHasTheWrongType) {
  EXPECT_EQ(error_after("\"cycles\":3000,", "\"cycles\":\"fast\","),
            "out.json: error: 'results[0].cycles' is \"fast\", must be a whole number below 2^63");
  EXPECT_EQ(error_after("\"cycles\":3000,", "\"cycles\":3000.0,"),
            "out.json: error: 'results[0].cycles' is 3000.0, must be a whole number below 2^63");
  EXPECT_EQ(error_after("\"cycles\":3000,", "\"cycles\":9223372036854775808,"),
            "out.json: error: 'results[0].cycles' is 9223372036854775808, must be a whole number "
            "below 2^63");
  EXPECT_EQ(error_after("\"speedup\":1.0", "\"speedup\":null"),
            "out.json: error: 'results[0].speedup' is null, must be a number");
  EXPECT_EQ(error_after("\"ran_sparse\":false", "\"ran_sparse\":0"),
            "out.json: error: 'results[0].ran_sparse' is 0, must be true or false");
  EXPECT_EQ(error_after("\"layer\":\"fc1\"", "\"layer\":{}"),
            "out.json: error: 'results[0].layer' is an object, must be a text");
  EXPECT_EQ(error_after("\"busy\":60", "\"busy\":[]"),
            "out.json: error: 'results[0].buckets.tensor_core.busy' is an array, must be a whole "
            "number below 2^63");
  EXPECT_EQ(error_after("{\"dtype\":\"fp16\",\"machines\":[\"a100\"]}", "3"),
            "out.json: error: 'config' is 3, must be an object");
  EXPECT_EQ(error_after("\"failures\": []", "\"failures\": [1]"),
            "out.json: error: 'failures' is an array, must be an array of texts");
  EXPECT_EQ(error_after("\"failures\": []", "\"failures\": {}"),
            "out.json: error: 'failures' is an object, must be an array of texts");
}

TEST(StudyJson, ErrorsNameAnotherSchema) {
  EXPECT_EQ(error_after("stcsim.study/2", "stcsim.study/1"),
            "out.json: error: 'schema' is \"stcsim.study/1\", must be \"stcsim.study/2\"");
}

TEST(StudyJson, MalformedTextIsLocated) {
  const auto error = [](const std::string& text) {
    return message_of<ConfigError>([&] { (void)study_from_json(text, "out.json"); });
  };
  EXPECT_EQ(error("{\n  \"a\": }"), "out.json:2:8: error: malformed JSON");
  EXPECT_EQ(error(""), "out.json:1:1: error: the JSON text ends too early");
  EXPECT_EQ(error("{\"a\": 1"), "out.json:1:8: error: the JSON text ends too early");
  EXPECT_EQ(error("{\"a\": 1e999}"), "out.json: error: a number is too large for a double");
  EXPECT_EQ(error("[]"), "out.json: error: the document is an array, must be an object");
}

TEST(StudyJson, IgnoresKeysItDoesNotKnow) {
  std::string text = study_to_json(small_study());
  text.insert(1, "\"comment\": [1, 2],");
  EXPECT_EQ(study_from_json(text, "out.json").rows, small_study().rows);
}

}  // namespace
}  // namespace stcsim
