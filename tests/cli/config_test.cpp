#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "common/io/yaml_json.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

TEST(ConfigShow, FillsInDefaultsAndOverrides) {
  const TinyExperiment tiny;
  const ProgramResult result = run_stcsim(
      {"list", "experiment", tiny.file(), "--format", "json", "--set", "networks.0.batch=9"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const ordered_json json = ordered_json::parse(result.out);
  EXPECT_EQ(json["dtype"], "fp16");
  EXPECT_EQ(json["kernel"], "auto");
  EXPECT_EQ(json["kernel_candidates"], 1);
  EXPECT_EQ(json["stream_kernels"], true);
  EXPECT_EQ(json["phases"], ordered_json({"forward", "dgrad", "wgrad"}));
  EXPECT_EQ(json["machines"][0]["name"], "two_sms");
  EXPECT_EQ(json["machines"][0]["accelerator"]["num_sms"], 2);
  EXPECT_EQ(json["networks"][0]["batch"], 9);
  EXPECT_EQ(json["schemes"][1]["forward"]["pattern"], "2:4");
}

TEST(ConfigShow, IsTheConfigurationOfTheStudy) {
  const TinyExperiment tiny;
  const auto shown =
      ordered_json::parse(run_stcsim({"list", "experiment", tiny.file(), "--format", "json"}).out);
  const auto study = ordered_json::parse(run_stcsim({"run", tiny.file(), "--format", "json"}).out);
  EXPECT_EQ(shown.dump(), study["config"].dump());
}

TEST(ConfigShow, YamlIsTheDefaultAndMeansTheSameAsJson) {
  const TinyExperiment tiny;
  const ProgramResult yaml = run_stcsim({"list", "experiment", tiny.file()});
  EXPECT_EQ(yaml.out, run_stcsim({"list", "experiment", tiny.file(), "--format", "yaml"}).out);
  EXPECT_THAT(yaml.out, HasSubstr("\n  - batch: 2\n    description: two linear layers\n"));
  EXPECT_THAT(yaml.out, HasSubstr("\n    forward: {axis: c_in, mask_every: 0, pattern: \"2:4\", "
                                  "prune: magnitude, tensor: weight}\n"));
  const auto json =
      ordered_json::parse(run_stcsim({"list", "experiment", tiny.file(), "--format", "json"}).out);
  EXPECT_EQ(canonical_json(parse_yaml(yaml.out, "shown").root), json.dump());
}

TEST(ConfigShow, NamesAShippedExperiment) {
  const ProgramResult by_name = run_stcsim({"list", "experiment", "quick"});
  const ProgramResult by_path = run_stcsim(
      {"list", "experiment", std::string(STCSIM_SOURCE_DIR) + "/configs/experiments/quick.yaml"});
  EXPECT_EQ(by_name.exit_code, 0) << by_name.err;
  EXPECT_EQ(by_name.out, by_path.out);
}

TEST(ShippedExperiments, AllResolve) {
  int count = 0;
  for (const std::string& file :
       files_in(std::string(STCSIM_SOURCE_DIR) + "/configs/experiments")) {
    const std::string name = file.substr(0, file.find('.'));
    const ProgramResult result = run_stcsim({"list", "experiment", name});
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    ++count;
  }
  EXPECT_GE(count, 4);
}

}  // namespace
}  // namespace stcsim
