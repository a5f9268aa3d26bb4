#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "common/version.hpp"
#include "reports/compare/result_file.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::gemm_row;
using test::message_of;

constexpr const char* kConfig = R"({"dtype":"fp16","machines":[{"name":"a100","tiles":[1,2]}]})";

StudyResult study_of(const std::vector<std::pair<std::string, std::int64_t>>& cycles_of_layers) {
  StudyResult study;
  study.resolved_config = kConfig;
  study.config_hash = sha256_hex(kConfig);
  for (const auto& [layer, cycles] : cycles_of_layers) {
    study.rows.push_back(gemm_row(layer, "forward", "dense", cycles, cycles));
  }
  StudyTotal& total = study.totals.emplace_back();
  total.machine = "a100";
  total.network = "mlp";
  total.scheme = "dense";
  total.clock_mhz = 1000;
  test::set_step(total, test::part(3000, 3000));
  return study;
}

TEST(Golden, RowsAreSortedWhateverTheirOrder) {
  const Golden golden = make_golden(study_of({{"b", 2}, {"c", 3}, {"a", 1}}));
  EXPECT_EQ(golden.version, program_version());
  ASSERT_EQ(golden.study.rows.size(), 3U);
  EXPECT_EQ(golden.study.rows[0].layer, "a");
  EXPECT_EQ(golden.study.rows[2].layer, "c");
}

TEST(Golden, IncompleteAndEmptyStudiesAreRefused) {
  StudyResult study = study_of({{"a", 1}});
  study.failures = {"fc2: deadlock", "fc3: deadlock"};
  EXPECT_EQ(message_of<SimulationError>([&] { (void)make_golden(study); }),
            "an incomplete study cannot be recorded as golden: 2 points failed, the first: fc2: "
            "deadlock");
  EXPECT_EQ(message_of<SimulationError>([] { (void)make_golden(StudyResult{}); }),
            "a study without results cannot be recorded as golden");
}

TEST(GoldenJson, HasALinePerFigureAndValueOfTheConfiguration) {
  const Golden golden = make_golden(study_of({{"b", 2}, {"a", 1}}), {"./x.yaml", {"dtype=fp16"}});
  const std::string text = golden_to_json(golden);
  const std::string rest =
      R"("repeat":1,"every":1,"m":768,"n":512,"k":3072,"batch_count":1,"gemm_count":1,"kernel":{"name":"dense_128x256x32_s3"},"bound_by":"tensor_core"})";
  const std::string row = R"({"machine":"a100","network":"mlp","layer":")";
  const std::string of_layer = R"(","phase":"forward","scheme":"dense","op":"gemm","cycles":)";
  EXPECT_EQ(text, R"({
  "schema": "stcsim.golden/2",
  "version": ")" + std::string(program_version()) +
                      R"(",
  "config_hash": ")" + sha256_hex(kConfig) +
                      R"(",
  "source": {"experiment":"./x.yaml","set":["dtype=fp16"]},
  "config": {
    "dtype": "fp16",
    "machines": [
      {
        "name": "a100",
        "tiles": [1,2]
      }
    ]
  },
  "totals": [
    {"machine":"a100","network":"mlp","scheme":"dense","pass":"training","clock_mhz":1000.0,"speedup":1.0,"step":{"cycles":3000,"time_us":3.0,"dense_time_us":3.0}}
  ],
  "rows": [
    )" + row + "a" + of_layer +
                      "1,\"time_us\":0.001," + rest + ",\n    " + row + "b" + of_layer +
                      "2,\"time_us\":0.002," + rest + "\n  ]\n}\n");
  const Golden again = golden_from_json(text, "golden.json");
  EXPECT_EQ(again.study.resolved_config, kConfig);
  EXPECT_EQ(again.source, golden.source);
  EXPECT_EQ(golden_to_json(again), text);
}

TEST(GoldenJson, RowsOfAFileAreSorted) {
  Golden golden = make_golden(study_of({{"a", 1}, {"b", 2}}));
  const std::string sorted = golden_to_json(golden);
  std::swap(golden.study.rows.at(0), golden.study.rows.at(1));
  EXPECT_EQ(golden_to_json(golden_from_json(golden_to_json(golden), "golden.json")), sorted);
}

TEST(GoldenJson, ErrorsNameTheEntry) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string text = golden_to_json(make_golden(study_of({{"a", 1}, {"b", 2}})));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return message_of<ConfigError>([&] { (void)golden_from_json(text, "golden.json"); });
  };
  EXPECT_EQ(error("\"cycles\":2", "\"cycles\":-2"),
            "golden.json: error: 'rows[1].cycles' is -2, must be a whole number from 0");
  EXPECT_EQ(error("\"cycles\":2", "\"cycle\":2"),
            "golden.json: error: 'rows[1].cycles' is missing");
  EXPECT_EQ(error("\"phase\":\"forward\"", "\"phase\":\"forwards\""),
            "golden.json: error: 'rows[0].phase' is \"forwards\", must be a phase of a step");
  EXPECT_EQ(error("stcsim.golden/2", "stcsim.study/2"),
            "golden.json: error: 'schema' is \"stcsim.study/2\", must be \"stcsim.golden/2\"");
  EXPECT_EQ(error("\"dtype\": \"fp16\"", "\"dtype\": \"int8\""),
            "golden.json: error: 'config_hash' is '" + sha256_hex(kConfig) +
                "', must be the SHA-256 of 'config', " +
                sha256_hex(R"({"dtype":"int8","machines":[{"name":"a100","tiles":[1,2]}]})"));
}

TEST(GoldenJson, AFileWithoutRowsIsRefused) {
  Golden golden = make_golden(study_of({{"a", 1}}));
  golden.study.rows.clear();
  EXPECT_EQ(message_of<ConfigError>(
                [&] { (void)golden_from_json(golden_to_json(golden), "golden.json"); }),
            "golden.json: error: 'rows' is empty, must have at least one entry");
}

}  // namespace
}  // namespace stcsim
