#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/page_test.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;

class Report : public PageTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() / name).rdbuf();
    return text.str();
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(folder_.path() / name);
  }
  [[nodiscard]] ProgramResult run(const std::vector<std::string>& arguments) const {
    return run_stcsim(arguments, {.working_directory = folder_.path()});
  }

 private:
  TemporaryDirectory folder_;
};

/// What the page embeds.
nlohmann::ordered_json data_of(const std::string& page) {
  const std::string mark = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::ordered_json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_F(Report, OnePageOfWhatTheProgramPrints) {
  const ProgramResult gemm =
      run({"gemm", "--arch", "a100", "--m", "256", "--n", "256", "--k", "256", "--format", "json"});
  write("gemm.json", gemm.out);
  write("evil.json", R"({"schema": "stcsim.layers/1", "version": "0", "network": "</script>"})");
  const ProgramResult result = run({"page", "gemm.json", "evil.json", "-o", "page.html"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.exit_code, 0);
  const std::string page = read("page.html");
  EXPECT_THAT(page, HasSubstr("<title>stcsim: gemm.json, evil.json</title>"));
  const nlohmann::ordered_json documents = data_of(page)["documents"];
  EXPECT_EQ(documents[0]["cycles"], nlohmann::ordered_json::parse(gemm.out)["cycles"]);
  EXPECT_EQ(documents[1]["network"], "</script>");
  EXPECT_THAT(page, Not(HasSubstr("@STYLE@")));
  EXPECT_THAT(page, Not(HasSubstr("@SCRIPT@")));
}

TEST_F(Report, TheWorstGemmsAreExplainedFromTheStudyAlone) {
  const TinyExperiment tiny;
  const ProgramResult study = run({"run", tiny.file(), "--format", "json"});
  write("study.json", study.out);
  const ProgramResult result =
      run({"page", "study.json", "--explain", "1", "--jobs", "2", "-o", "page.html"});
  EXPECT_EQ(result.err, "");
  ASSERT_EQ(result.exit_code, 0);
  const nlohmann::ordered_json page = data_of(read("page.html"))["documents"][0];
  ASSERT_EQ(page["explanations"].size(), 1U);
  const nlohmann::ordered_json& explanation = page["explanations"][0];
  EXPECT_EQ(explanation["schema"], "stcsim.explain/2");
  // The machine as it is takes what the study says.
  bool is_there = false;
  const auto results = nlohmann::ordered_json::parse(study.out)["results"];
  for (const nlohmann::ordered_json& row : results) {
    if (row["ran_sparse"] != true || row["m"] != explanation["m"] || row["k"] != explanation["k"]) {
      continue;
    }
    is_there = true;
    EXPECT_EQ(explanation["all"]["cycles"], row["cycles"]);
    EXPECT_EQ(explanation["all"]["dense_cycles"], row["dense_cycles"]);
  }
  EXPECT_TRUE(is_there);
}

TEST_F(Report, ExplainNeedsAStudyAndJobsNeedExplain) {
  write("l.json", R"({"schema": "stcsim.layers/1", "version": "0"})");
  const ProgramResult no_study = run({"page", "l.json", "--explain", "3", "-o", "page.html"});
  EXPECT_EQ(no_study.exit_code, 2);
  EXPECT_THAT(no_study.err, HasSubstr("--explain has no effect: none of the files is of"));
  const ProgramResult no_explain = run({"page", "l.json", "--jobs", "2", "-o", "page.html"});
  EXPECT_EQ(no_explain.exit_code, 2);
  EXPECT_THAT(no_explain.err, HasSubstr("--jobs has no effect without --explain"));
  EXPECT_FALSE(exists("page.html"));
}

TEST_F(Report, AnUnknownDocumentLeavesTheOldPage) {
  write("page.html", "old");
  write("other.json", R"({"schema": "else/1"})");
  const ProgramResult result = run({"page", "other.json", "-o", "page.html"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("other.json: error: 'schema' is \"else/1\", must be one of "));
  EXPECT_EQ(read("page.html"), "old");
}

TEST_F(Report, WithoutFilesOrOutputNothingIsWritten) {
  EXPECT_EQ(run({"page", "-o", "page.html"}).exit_code, 2);
  write("a.json", "{}");
  const ProgramResult result = run({"page", "a.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--output"));
  EXPECT_FALSE(exists("page.html"));
}

}  // namespace
}  // namespace stcsim
