#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/page_test.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTinyPaper = R"(title: A tiny paper
source: Somebody
about: It claims a gain.
result: "The step gains {gains.1.A100}"
columns:
  - {name: counted, machine: ideal, framework: ideal, assumed: true}
  - {name: A100, machine: a100, framework: pytorch_eager}
figures: [gains]
)";

constexpr const char* kTinyFigure = R"(title: Gains
shows: What asp gains.
obtained: measured
rows:
  - {says: step, published: 1.5, step: {network: ../net.yaml, scheme: asp, quantity: step_gain}}
  - {says: GEMM, published: 2, obtained: counted, gemm: {m: 1024, n: 1024, k: 1024, pattern: "2:4", quantity: gain}}
)";

class Reproduce : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    std::filesystem::create_directory(paper());
    write_text(paper() + "/paper.yaml", kTinyPaper);
    write_text(paper() + "/gains.yaml", kTinyFigure);
  }
  [[nodiscard]] std::string paper() const { return tiny_.path("paper"); }
  [[nodiscard]] const TinyExperiment& tiny() const { return tiny_; }

 private:
  TinyExperiment tiny_;
};

/// Its figures are `run`'s and `gemm`'s, to the last digit.
TEST_F(Reproduce, WritesAPageOfWhatTheProgramSimulates) {
  const std::string out = tiny().path("out");
  const ProgramResult result = run_stcsim({"evidence", "papers", paper(), "--out", out});
  EXPECT_EQ(result.err, "");
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("paper: The step gains "));
  EXPECT_THAT(files_in(out), ElementsAre("paper.html", "paper.json", "paper.md"));
  const auto rows = nlohmann::json::parse(read_text(out + "/paper.json"))["figures"][0]["rows"];
  const auto run = nlohmann::json::parse(
      run_stcsim({"run", "--network", tiny().path("net.yaml"), "--schemes", "dense,asp", "--arch",
                  "a100", "--framework", "pytorch_eager", "--format", "json"})
          .out);
  EXPECT_EQ(rows[0]["answers"][1]["value"], run["totals"][1]["step"]["speedup"]);
  const auto time_of = [](const std::string& pattern) {
    return nlohmann::json::parse(
               run_stcsim({"gemm", "--arch", "a100", "--m", "1024", "--n", "1024", "--k", "1024",
                           "--sparsity", pattern, "--format", "json"})
                   .out)["time_us"]
        .get<double>();
  };
  EXPECT_DOUBLE_EQ(rows[1]["answers"][1]["value"], time_of("dense") / time_of("2:4"));
  EXPECT_EQ(rows[1]["answers"][0]["kind"], "arithmetic");
  EXPECT_EQ(rows[1]["answers"][0]["verdict"], "consistent") << "counted on the ideal machine: 2";
  EXPECT_EQ(rows[1]["answers"][1]["kind"], "against estimated");
  EXPECT_THAT(read_text(out + "/paper.md"), StartsWith("# A tiny paper\n\nThe step gains "));
  EXPECT_THAT(read_text(out + "/paper.html"), HasSubstr("<title>A tiny paper</title>"));
}

TEST_F(Reproduce, GivesTheSameBytesWhateverTheJobsAndTheCache) {
  const std::string cache = tiny().path("cache");
  const auto text = [&](const std::vector<std::string>& how) {
    const std::string out = tiny().path("out" + std::to_string(how.size()));
    std::vector<std::string> arguments{"evidence", "papers", paper(), "--out", out};
    arguments.insert(arguments.end(), how.begin(), how.end());
    EXPECT_EQ(run_stcsim(arguments).exit_code, 0);
    return read_text(out + "/paper.json") + read_text(out + "/paper.md");
  };
  const std::string first = text({});
  EXPECT_EQ(text({"--jobs", "3"}), first);
  EXPECT_EQ(text({"--jobs", "2", "--cache", cache}), first);
}

TEST_F(Reproduce, PrintsClaimsThatHaveNoSentence) {
  std::string claims = kTinyPaper;
  const std::string result = "result: \"The step gains {gains.1.A100}\"\n";
  write_text(paper() + "/paper.yaml", claims.erase(claims.find(result), result.size()));
  const std::string out = tiny().path("out");
  const ProgramResult run = run_stcsim({"evidence", "papers", paper(), "--out", out});
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("paper: Somebody\n  against measured, A100: 1 "));
  EXPECT_THAT(run.out, HasSubstr("\nGains\n\n"));
  EXPECT_THAT(files_in(out), ElementsAre("paper.json", "paper.md"));
}

TEST_F(Reproduce, RefusesPapersWhosePagesWouldBeOneFile) {
  const ProgramResult result =
      run_stcsim({"evidence", "papers", paper(), paper(), "--out", tiny().path("out")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("two papers are named 'paper'"));
  EXPECT_EQ(run_stcsim({"evidence", "papers"}).exit_code, 2);
}

TEST_F(Reproduce, WritesNothingForAPaperItCannotRead) {
  write_text(paper() + "/gains.yaml", std::string(kTinyFigure) + "more: 1\n");
  const std::string out = tiny().path("out");
  const ProgramResult result = run_stcsim({"evidence", "papers", paper(), "--out", out});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("gains.yaml:7:1: error: unknown key 'more'"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace stcsim
