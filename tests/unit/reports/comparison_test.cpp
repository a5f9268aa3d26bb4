#include "reports/compare/comparison.hpp"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "reports/run/study_report.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::small_study;
using testing::HasSubstr;
using testing::StartsWith;

ComparedResult named(const std::string& name, StudyResult study) {
  for (StudyTotal& total : study.totals) total.clock_mhz = 1000;
  return {name, "0.1.0", false, std::move(study)};
}

/// Layers of equal shape with these cycles, forward, under dense and asp alike.
StudyResult layers_of(const std::vector<std::pair<std::string, std::int64_t>>& cycles_of_layers) {
  StudyResult study = small_study();
  study.totals[1].scheme = "asp";
  study.rows.clear();
  for (const char* const scheme : {"dense", "asp"}) {
    for (const auto& [layer, cycles] : cycles_of_layers) {
      study.rows.push_back(gemm_row(layer, "forward", scheme, cycles, cycles));
    }
  }
  return study;
}

Comparison compare(const StudyResult& before, const StudyResult& now, double rtol = 0) {
  return compare_results(named("a.json", before), named("b.json", now), rtol);
}

TEST(Comparison, OfTheSameIsEqual) {
  const Comparison same = compare(small_study(), small_study());
  EXPECT_TRUE(same.is_equal());
  EXPECT_EQ(comparison_text(same, false),
            "equal: all 6 figures are the same (step 5.25 ms, speedup 1.19x)\n"
            "the configuration is the same\n"
            "before: a.json; now: b.json\n");
}

TEST(Comparison, OneCycleOfManyHasMoved) {
  constexpr std::int64_t kMany = std::int64_t{1} << 60;
  const Comparison comparison = compare(layers_of({{"a", kMany}}), layers_of({{"a", kMany + 1}}));
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_FALSE(comparison.is_equal());
  EXPECT_EQ(comparison.rows[0].now->cycles, kMany + 1);
}

TEST(Comparison, FoldsEqualShapesAndWhatDoesNotDependOnTheScheme) {
  const Comparison comparison =
      compare(layers_of({{"conv1", 100}, {"conv2", 100}, {"fc", 100}, {"head", 7}}),
              layers_of({{"conv1", 150}, {"conv2", 150}, {"fc", 400}, {"head", 7}}));
  ASSERT_EQ(comparison.rows.size(), 2U);
  EXPECT_EQ(comparison.rows[0].layers, std::vector<std::string>{"fc"});
  EXPECT_DOUBLE_EQ(comparison.rows[0].share, 0.75);  // 300 of 300 + 2 * 50
  EXPECT_EQ(comparison.rows[1].layers, (std::vector<std::string>{"conv1", "conv2"}));
  EXPECT_TRUE(comparison.rows[1].schemes.empty());
  EXPECT_DOUBLE_EQ(comparison.rows[1].per_step, 2);
  EXPECT_DOUBLE_EQ(comparison.rows[1].change_us, 0.1);
  EXPECT_EQ(comparison.figures, 8U);
  EXPECT_EQ(comparison.same, 2U);
}

TEST(Comparison, KeepsSchemesApartThatDiffer) {
  StudyResult now = layers_of({{"a", 100}});
  now.rows[1] = gemm_row("a", "forward", "asp", 130, 100);
  const Comparison comparison = compare(layers_of({{"a", 100}}), now);
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_EQ(comparison.rows[0].schemes, std::vector<std::string>{"asp"});
}

TEST(Comparison, SaysKernelAndLimitBeforeAndNow) {
  StudyResult now = layers_of({{"a", 130}});
  for (ResultRow& row : now.rows) {
    row.kernel.name = "dense_64x64x32_s4";
    row.bound_by = "dram";
  }
  EXPECT_THAT(comparison_text(compare(layers_of({{"a", 100}}), now), false),
              HasSubstr("a      forward  all        100  130  +30  100.0 %  "
                        "tensor_core→dram 128x256x32_s3→64x64x32_s4\n"));
}

TEST(Comparison, ToleranceIsRelativeToBeforeAndInclusive) {
  const StudyResult before = layers_of({{"a", 128}, {"b", 128}});
  EXPECT_TRUE(compare(before, layers_of({{"a", 144}, {"b", 112}}), 0.125).is_equal());
  EXPECT_EQ(compare(before, layers_of({{"a", 145}, {"b", 112}}), 0.125).rows.size(), 1U);
  for (const double rtol : {-0.1, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)compare(before, before, rtol), ConfigError) << rtol;
  }
}

TEST(Comparison, ToleranceNeverHidesZeroMissingOrNew) {
  const Comparison comparison =
      compare(layers_of({{"a", 0}, {"b", 1}}), layers_of({{"a", 1}, {"c", 1}}), 1e300);
  EXPECT_EQ(comparison.rows.size(), 3U);
  const std::string text = comparison_text(comparison, false);
  for (const char* const what : {"  was 0  ", "  gone  ", "  new  "}) {
    EXPECT_THAT(text, HasSubstr(what));
  }
}

TEST(Comparison, StepsMoveWithTheClockThoughCyclesDoNot) {
  StudyResult now = small_study();
  for (StudyTotal& total : now.totals) total.step.time_us *= 1.5;
  ComparedResult slow = named("b.json", now);
  for (StudyTotal& total : slow.study.totals) total.clock_mhz = 750;
  slow.study.resolved_config = R"({"dtype":"int8","machines":["a100"]})";
  const Comparison comparison = compare_results(named("a.json", small_study()), slow);
  EXPECT_FALSE(comparison.is_equal());
  EXPECT_THAT(comparison_text(comparison, false),
              StartsWith("mlp on a100, sr-ste: step 5.25 ms -> 7.88 ms (+50 %), speedup still "
                         "1.19x; dense still 6.25 ms\n"
                         "one value differs: dtype fp16 -> int8\n"
                         "the clock is 750 MHz, was 1000\n"));
  EXPECT_TRUE(compare_results(named("a.json", small_study()), slow, 0.5).is_equal());
}

TEST(Comparison, LastDigitsOfTimesAreNoDifference) {
  StudyResult now = small_study();
  now.totals[1].step.time_us *= 1 + 1e-12;
  EXPECT_TRUE(compare(small_study(), now).is_equal());
  now.totals[1].step.time_us *= 1 + 1e-8;
  EXPECT_FALSE(compare(small_study(), now).is_equal());
}

TEST(Comparison, OneMachineIsComparedWithAnother) {
  StudyResult now = small_study();
  for (StudyTotal& total : now.totals) total.machine = "h100";
  for (ResultRow& row : now.rows) {
    row.machine = "h100";
    row.cycles += 1;
  }
  const Comparison comparison = compare(small_study(), now);
  EXPECT_EQ(comparison.figures, 6U);
  EXPECT_EQ(comparison.steps[0].any().machine, "a100 -> h100");
  EXPECT_THAT(comparison_answer(comparison), HasSubstr(", though cycles moved"));
}

/// They have no effect, and change because another value does.
TEST(Comparison, IntervalsThatDoNotHoldAreNoCause) {
  const auto config = [](int width, int interval) {
    return fmt::format(R"({{"machine": {{"width": {}, "tensor_core": {{"instructions":
        [{{"interval_cycles": {}}}]}}}}}})",
                       width, interval);
  };
  ComparedResult before = named("a.json", small_study());
  ComparedResult now = before;
  before.study.resolved_config = config(64, 8);
  now.study.resolved_config = config(32, 0);
  EXPECT_EQ(compare_results(before, now).config,
            (std::vector<ConfigChange>{{"machine.width", "64", "32"}}));
  now.study.resolved_config = config(64, 0);
  EXPECT_EQ(compare_results(before, now).config.size(), 1U);
}

TEST(ComparisonForms, JunitHasATestCasePerStep) {
  StudyResult now = layers_of({{"a", 130}});
  now.rows[0].cycles = 100;  // of dense
  EXPECT_THAT(comparison_junit(compare(layers_of({{"a", 100}}), now)),
              HasSubstr("tests=\"2\" failures=\"1\">\n"
                        "  <testcase classname=\"mlp on a100\" name=\"dense\"/>\n"
                        "  <testcase classname=\"mlp on a100\" name=\"asp\">\n"
                        "    <failure message=\"5.25 ms -&gt; 5.25 ms, speedup 1.19x -&gt; 1.19x\">"
                        "a forward gemm: 100 -&gt; 130 cycles\n</failure>\n"));
}

TEST(ComparisonForms, JsonHasEverything) {
  const auto json = nlohmann::json::parse(
      comparison_json(compare(layers_of({{"a", 100}, {"b", 0}}), layers_of({{"a", 130}}))));
  EXPECT_EQ(json["schema"], "stcsim.compare/1");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["rows"][0]["before"]["cycles"], 100);
  EXPECT_EQ(json["rows"][0]["now"]["bound_by"], "tensor_core");
  EXPECT_TRUE(json["rows"][1]["now"].is_null());
  EXPECT_EQ(json["steps"].size(), 2U);
  EXPECT_EQ(json["before"]["file"], "a.json");
}

TEST(ComparisonForms, MarkdownListsEveryValue) {
  ComparedResult other = named("b.json", small_study());
  other.study.resolved_config = R"({"dtype":"int8","machines":["h100"]})";
  EXPECT_EQ(comparison_markdown(compare_results(named("a.json", small_study()), other), false),
            "**equal: all 6 figures are the same, though the configuration is not (step 5.25 ms, "
            "speedup 1.19x)**\n\n2 values differ:\n\n- `dtype` fp16 → int8\n"
            "- `machines` [\"a100\"] → [\"h100\"]\n\nbefore: a.json; now: b.json\n");
}

TEST(ResultFile, ReadsAStudyBack) {
  const StudyResult study = small_study();
  ComparedResult read = result_from_json(study_to_json(study), "a.json");
  EXPECT_EQ(read.study.resolved_config, study.resolved_config);
  ASSERT_EQ(read.study.rows.size(), study.rows.size());
  EXPECT_TRUE(compare_results(std::move(read), {"b.json", "0.1.0", false, study}).is_equal());
}

TEST(ResultFile, RefusesWhatIsNoResult) {
  EXPECT_EQ(test::message_of<ConfigError>(
                [] { (void)result_from_json(R"({"schema": "stcsim.tta/1"})", "t.json"); }),
            "t.json: error: 'schema' is \"stcsim.tta/1\"; must be what `run` or `gemm` write with "
            "--format json, a folder of `run --out`, or a golden file of `record`");
  EXPECT_EQ(test::message_of<ConfigError>([] { (void)result_from_json("{}", "t.json"); }),
            "t.json: error: 'schema' is missing, so it is no result; must be what `run` or `gemm` "
            "write with --format json, a folder of `run --out`, or a golden file of `record`");
}

using Changes = std::vector<ConfigChange>;

TEST(ConfigChanges, EqualOnesHaveNone) {
  EXPECT_EQ(config_changes(R"({"a": 1, "b": [1, 2]})", R"({"b": [1, 2], "a": 1})"), Changes{});
}

TEST(ConfigChanges, NamesKeysOfMachinesNetworksAndSchemes) {
  const std::string before =
      R"({"dtype": "fp16", "machines": [{"name": "a100", "accelerator": {"l2_cache":
          {"read_bytes_per_clk": 3840, "slices": 80}}}], "networks": [{"name": "n", "layers":
          [{"name": "fc", "in_features": 64}]}], "schemes": [{"name": "asp"}]})";
  const std::string now =
      R"({"dtype": "int8", "machines": [{"name": "a100", "accelerator": {"l2_cache":
          {"read_bytes_per_clk": 2560, "slices": 80}}}], "networks": [{"name": "n", "layers":
          [{"name": "fc", "in_features": 128}]}], "schemes": [{"name": "sdgp"}]})";
  EXPECT_EQ(config_changes(before, now),
            (Changes{{"dtype", "fp16", "int8"},
                     {"machine a100: accelerator.l2_cache.read_bytes_per_clk", "3840", "2560"},
                     {"network n: layers.fc.in_features", "64", "128"},
                     {"scheme sdgp: name", "asp", "sdgp"}}));
}

TEST(ConfigChanges, ListsOfNumbersAreShownAsAWhole) {
  EXPECT_EQ(config_changes(R"({"split_k": [1, 2]})", R"({"split_k": [1, 2, 4]})"),
            (Changes{{"split_k", "[1,2]", "[1,2,4]"}}));
}

TEST(ConfigChanges, NewKeysOfListsWithoutNamesHaveTheirIndex) {
  EXPECT_EQ(config_changes(R"({"a": [{"b": 1}]})", R"({"a": [{"b": 1}, {"b": 2}]})"),
            (Changes{{"a.1", "-", "{\"b\":2}"}}));
}

TEST(ConfigChanges, LongValuesAreCut) {
  const Changes changes =
      config_changes(R"({"a": "x"})", R"({"a": ")" + std::string(1000, 'y') + R"("})");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].now.size(), 60U);
}

TEST(ConfigChanges, OfSeveralMachinesEachIsNewOrGoneByItsName) {
  EXPECT_EQ(
      config_changes(R"({"machines": [{"name": "a"}, {"name": "b"}]})",
                     R"({"machines": [{"name": "a"}, {"name": "c"}]})"),
      (Changes{{"machine b", "{\"name\":\"b\"}", "-"}, {"machine c", "-", "{\"name\":\"c\"}"}}));
}

}  // namespace
}  // namespace stcsim
