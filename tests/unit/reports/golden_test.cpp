#include "reports/golden.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "common/version.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::message_of;
using test::stream_row;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Layers with these cycles, phase forward, scheme dense.
StudyResult study_of(const std::vector<std::pair<std::string, std::int64_t>>& cycles_of_layers) {
  StudyResult study;
  study.config_hash = "00ff";
  for (const auto& [layer, cycles] : cycles_of_layers) {
    study.rows.push_back(gemm_row(layer, "forward", "dense", 1, 1));
    study.rows.back().cycles = cycles;
  }
  return study;
}

/// As a study of this experiment has it.
Golden golden_of(const std::vector<std::pair<std::string, std::int64_t>>& cycles_of_layers,
                 const std::string& experiment) {
  StudyResult study = study_of(cycles_of_layers);
  study.config_hash = sha256_hex(experiment);
  return make_golden(study, experiment);
}

GoldenKey key_of(const std::string& layer) {
  return {"a100", "mlp", layer, "forward", "dense", "gemm", "cycles"};
}

TEST(Golden, EntriesAreSortedWhateverTheRowOrder) {
  const Golden golden = make_golden(study_of({{"b", 2}, {"c", 3}, {"a", 1}}), "the experiment");
  EXPECT_EQ(golden.version, program_version());
  EXPECT_EQ(golden.config_hash, "00ff");
  EXPECT_EQ(golden.experiment, "the experiment");
  EXPECT_EQ(golden.entries,
            (std::vector<GoldenEntry>{{key_of("a"), 1}, {key_of("b"), 2}, {key_of("c"), 3}}));
}

TEST(Golden, IncompleteAndEmptyStudiesAreRefused) {
  StudyResult study = study_of({{"a", 1}});
  study.failures = {"fc2: deadlock", "fc3: deadlock"};
  EXPECT_EQ(message_of<SimulationError>([&] { (void)make_golden(study, ""); }),
            "an incomplete study cannot be recorded as golden: 2 points failed, the first: fc2: "
            "deadlock");
  EXPECT_EQ(message_of<SimulationError>([] { (void)make_golden(StudyResult{}, ""); }),
            "a study without results cannot be recorded as golden");
}

TEST(Golden, TheSameStudyHasNoDifferences) {
  const Golden golden = make_golden(study_of({{"a", 1}, {"b", 2}}), "");
  EXPECT_TRUE(compare(golden, study_of({{"b", 2}, {"a", 1}})).empty());
  EXPECT_EQ(differences_table({}), "");
}

TEST(Golden, OneCycleOfManyIsADifference) {
  constexpr std::int64_t kMany = std::int64_t{1} << 60;
  const Golden golden = make_golden(study_of({{"a", kMany}}), "");
  const auto differences = compare(golden, study_of({{"a", kMany + 1}}));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences.front().golden, kMany);
  EXPECT_EQ(differences.front().now, kMany + 1);
  EXPECT_EQ(differences.front().relative, 0x1p-60);
}

TEST(Golden, LargestDifferenceFirstThenByKey) {
  const Golden golden =
      make_golden(study_of({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}, {"e", 0}}), "");
  const auto differences =
      compare(golden, study_of({{"a", 101}, {"b", 150}, {"c", 50}, {"d", 100}, {"e", 1}}));
  EXPECT_EQ(differences, (std::vector<GoldenDifference>{{key_of("e"), 0, 1, kInfinity},
                                                        {key_of("b"), 100, 150, 0.5},
                                                        {key_of("c"), 100, 50, -0.5},
                                                        {key_of("a"), 100, 101, 0.01}}));
}

TEST(Golden, ToleranceIsRelativeToGoldenAndInclusive) {
  const Golden golden = make_golden(study_of({{"a", 128}, {"b", 128}}), "");
  const StudyResult now = study_of({{"a", 144}, {"b", 112}});  // +12.5 %, -12.5 %
  EXPECT_TRUE(compare(golden, now, 0.125).empty());
  EXPECT_EQ(compare(golden, now, 0.12).size(), 2U);
  EXPECT_EQ(compare(golden, study_of({{"a", 145}, {"b", 128}}), 0.125).size(), 1U);
}

TEST(Golden, ToleranceNeverHidesZeroMissingOrNew) {
  const Golden golden = make_golden(study_of({{"a", 0}, {"b", 1}}), "");
  EXPECT_EQ(compare(golden, study_of({{"a", 1}, {"c", 1}}), 1e300).size(), 3U);
}

TEST(Golden, ToleranceMustBeANumberFromZero) {
  const Golden golden = make_golden(study_of({{"a", 1}}), "");
  for (const double rtol : {-0.1, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((void)compare(golden, study_of({{"a", 1}}), rtol), ConfigError) << rtol;
  }
}

TEST(Golden, MissingAndNewEntriesLead) {
  const Golden golden = make_golden(study_of({{"a", 1}, {"b", 100}, {"d", 4}}), "");
  const auto differences = compare(golden, study_of({{"b", 300}, {"c", 3}, {"d", 4}, {"e", 5}}));
  EXPECT_EQ(differences, (std::vector<GoldenDifference>{{key_of("a"), 1, std::nullopt, kInfinity},
                                                        {key_of("c"), std::nullopt, 3, kInfinity},
                                                        {key_of("e"), std::nullopt, 5, kInfinity},
                                                        {key_of("b"), 100, 300, 2.0}}));
}

TEST(Golden, RowsOfTheSameKeyPairUpInOrder) {
  const Golden golden = make_golden(study_of({{"a", 1}, {"a", 2}, {"a", 3}}), "");
  EXPECT_TRUE(compare(golden, study_of({{"a", 1}, {"a", 2}, {"a", 3}})).empty());
  EXPECT_EQ(compare(golden, study_of({{"a", 1}, {"a", 2}})),
            (std::vector<GoldenDifference>{{key_of("a"), 3, std::nullopt, kInfinity}}));
}

TEST(Golden, TableShowsKeyAndFigures) {
  const Golden golden = make_golden(study_of({{"a", 1000}, {"b", 3}, {"z", 0}}), "");
  EXPECT_EQ(differences_table(compare(golden, study_of({{"a", 1234}, {"c", 5}, {"z", 2}}))),
            R"(layer  phase    scheme  metric  golden    now       Δ%
-----  -------  ------  ------  ------  -----  -------
b      forward  dense   cycles       3      -  missing
c      forward  dense   cycles       -      5      new
z      forward  dense   cycles       0      2    was 0
a      forward  dense   cycles   1,000  1,234    +23.4
)");
}

TEST(Golden, TableNamesMachineNetworkAndOpIfTheyVary) {
  StudyResult study = study_of({{"a", 100}});
  study.rows.push_back(stream_row("a", "relu", "dense"));
  study.rows.push_back(gemm_row("a", "forward", "dense", 100, 100));
  study.rows.back().machine = "h100";
  study.rows.back().network = "bert";
  const Golden golden = make_golden(study, "");
  for (ResultRow& row : study.rows) row.cycles += 1;
  EXPECT_EQ(differences_table(compare(golden, study)),
            R"(machine  network  layer  phase    scheme  op    metric  golden  now    Δ%
-------  -------  -----  -------  ------  ----  ------  ------  ---  ----
a100     mlp      a      forward  dense   gemm  cycles     100  101    +1
h100     bert     a      forward  dense   gemm  cycles     100  101    +1
a100     mlp      a      other    dense   relu  cycles     250  251  +0.4
)");
}

TEST(GoldenJson, HasExactlyTheseBytesAndRoundTrips) {
  const Golden golden = golden_of({{"b", 2}, {"a", 1}}, "dtype: fp16\nname: \"x\"\n");
  const std::string text = golden_to_json(golden);
  EXPECT_EQ(text,
            R"({
  "schema": "stcsim.golden/1",
  "version": ")" +
                std::string(program_version()) +
                R"(",
  "config_hash": "87f1767a10c652f44ed6b032013683ee8dba96de0f39087e885ca7e2753f89ec",
  "experiment": "dtype: fp16\nname: \"x\"\n",
  "entries": [
    {"machine":"a100","network":"mlp","layer":"a","phase":"forward","scheme":"dense","op":"gemm","metric":"cycles","value":1},
    {"machine":"a100","network":"mlp","layer":"b","phase":"forward","scheme":"dense","op":"gemm","metric":"cycles","value":2}
  ]
}
)");
  EXPECT_EQ(golden_from_json(text, "golden.json"), golden);
}

TEST(GoldenJson, EntriesOfAFileAreSorted) {
  const Golden golden = golden_of({{"a", 1}, {"b", 2}}, "");
  Golden shuffled = golden;
  std::swap(shuffled.entries.at(0), shuffled.entries.at(1));
  EXPECT_EQ(golden_from_json(golden_to_json(shuffled), "golden.json"), golden);
}

TEST(GoldenJson, ErrorsNameTheEntry) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string text = golden_to_json(golden_of({{"a", 1}, {"b", 2}}, ""));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return message_of<ConfigError>([&] { (void)golden_from_json(text, "golden.json"); });
  };
  EXPECT_EQ(error("\"value\":2", "\"value\":-2"),
            "golden.json: error: 'entries[1].value' is -2, must be a whole number from 0");
  EXPECT_EQ(error("\"value\":2", "\"values\":2"),
            "golden.json: error: 'entries[1].value' is missing");
  EXPECT_EQ(error("stcsim.golden/1", "stcsim.study/2"),
            "golden.json: error: 'schema' is \"stcsim.study/2\", must be \"stcsim.golden/1\"");
  EXPECT_EQ(error("  \"experiment\": \"\",\n", ""), "golden.json: error: 'experiment' is missing");
  EXPECT_EQ(
      error("\"experiment\": \"\"", "\"experiment\": \"dtype: fp16\\nname: \\\"x\\\"\\n\""),
      "golden.json: error: 'config_hash' is "
      "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', must be the SHA-256 of "
      "'experiment', 87f1767a10c652f44ed6b032013683ee8dba96de0f39087e885ca7e2753f89ec");
}

TEST(GoldenJson, AFileWithoutEntriesIsRefused) {
  Golden golden = golden_of({{"a", 1}}, "");
  golden.entries.clear();
  EXPECT_EQ(message_of<ConfigError>(
                [&] { (void)golden_from_json(golden_to_json(golden), "golden.json"); }),
            "golden.json: error: 'entries' is empty, must have at least one entry");
}

}  // namespace
}  // namespace stcsim
