#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A claim about the tiny network under asp, and one that nobody can simulate.
std::string claims_file(const TinyExperiment& tiny) {
  write_text(tiny.path("claims.yaml"),
             "source: Somebody\nclaims:\n"
             "  - {says: faster, scheme: asp, network: ./net.yaml, quantity: step_gain, least: 1.5,"
             " obtained: measured}\n"
             "  - {says: better, not_compared: accuracy}\n");
  return tiny.path("claims.yaml");
}

/// The step is `run`'s, to the last digit.
TEST(Claims, AreHeldAgainstWhatRunSimulates) {
  const TinyExperiment tiny;
  const std::vector<std::string> places{"--arch", "a100", "--framework", "pytorch_eager"};
  std::vector<std::string> claims{"evidence", "claims", claims_file(tiny), "--format", "json"};
  std::vector<std::string> run{
      "run", "--network", tiny.path("net.yaml"), "--schemes", "dense,asp", "--format", "json"};
  claims.insert(claims.end(), places.begin(), places.end());
  run.insert(run.end(), places.begin(), places.end());
  const ProgramResult result = run_stcsim(claims);
  EXPECT_EQ(result.err, "");
  ASSERT_EQ(result.exit_code, 0);
  const auto answer = nlohmann::json::parse(result.out)["claims"][0]["answers"][0];
  const auto total = nlohmann::json::parse(run_stcsim(run).out)["totals"][1];
  EXPECT_EQ(total["scheme"], "asp");
  EXPECT_EQ(answer["value"], total["step"]["speedup"]);
  EXPECT_EQ(answer["kind"], "against measured");
  EXPECT_LT(answer["high"].get<double>(), 1.35) << "a tenth less than published";
  EXPECT_EQ(answer["verdict"], answer["low"] > 1 ? "direction only" : "not reproduced");
}

TEST(Claims, NamesThatAreNotUsedMustExistToo) {
  const TinyExperiment tiny;
  const std::string file = tiny.path("nothing.yaml");
  write_text(file, "source: Somebody\nclaims:\n  - {says: better, not_compared: accuracy}\n");
  const auto error_of = [&](const std::string& option, const std::string& name) {
    const ProgramResult result = run_stcsim({"evidence", "claims", file, option, name});
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error_of("--arch", "a100,65537"), HasSubstr("error: unknown machine '65537'"));
  EXPECT_THAT(error_of("--framework", "nonsense"),
              HasSubstr("error: unknown framework 'nonsense'"));
}

TEST(Claims, PrintsTablesAndMarkdown) {
  const TinyExperiment tiny;
  const std::string file = claims_file(tiny);
  const ProgramResult text = run_stcsim({"evidence", "claims", file, "--arch", "a100"});
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(
      text.out,
      StartsWith("Somebody\n\nasp: faster (tiny)\n\nPublished: 1.50x, measured. Simulated: "));
  EXPECT_THAT(text.out, HasSubstr("\nNot compared:\n\n- better (Somebody): accuracy\n"));
  const ProgramResult markdown = run_stcsim({"evidence", "claims", file, "--arch", "a100",
                                             "--framework", "ideal", "--format", "markdown"});
  EXPECT_THAT(markdown.out, StartsWith("### Somebody\n\n#### asp: faster (tiny)\n\n"));
  EXPECT_THAT(markdown.out, HasSubstr("| a100 | ideal | "));
}

}  // namespace
}  // namespace stcsim
