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

TEST_F(Report, WithoutFilesNothingIsWrittenAndWithoutANameTheFirstFilesIsTaken) {
  EXPECT_EQ(run({"page", "-o", "page.html"}).exit_code, 2);
  EXPECT_FALSE(exists("page.html"));
  write("a.json", "{}");
  EXPECT_EQ(run({"page", "a.json"}).exit_code, 2);
  EXPECT_FALSE(exists("a.html"));
  write("b.json", R"({"schema": "stcsim.layers/1", "version": "0"})");
  EXPECT_EQ(run({"page", "b.json"}).out, "b.html\n");
  EXPECT_EQ(data_of(read("b.html"))["documents"][0]["file"], "b.json");
}

/// Of each command the page of --html is that of its JSON.
class OwnPage : public Report, public testing::WithParamInterface<std::vector<std::string>> {};

TEST_P(OwnPage, IsThePageOfItsJson) {
  std::vector<std::string> command = GetParam();
  command.insert(command.end(), {"--format", "json", "--html", "own.html"});
  const ProgramResult result = run(command);
  EXPECT_EQ(result.err, "");
  write("its.json", result.out);
  ASSERT_EQ(run({"page", "its.json"}).err, "");
  nlohmann::ordered_json own = data_of(read("own.html"));
  nlohmann::ordered_json its = data_of(read("its.html"));
  EXPECT_EQ(own["documents"][0]["file"].get<std::string>().substr(0, 7), "stcsim ");
  for (nlohmann::ordered_json* const one : {&own, &its}) (*one)["documents"][0].erase("file");
  EXPECT_EQ(own, its);
}

const std::vector<std::string> kSmall{
    "--arch", "a100", "--set", "accelerator.num_sms=2", "256", "256", "256", "--sparsity", "2:4"};
std::vector<std::string> with_small(std::vector<std::string> command) {
  command.insert(command.end(), kSmall.begin(), kSmall.end());
  return command;
}
INSTANTIATE_TEST_SUITE_P(Of, OwnPage,
                         testing::Values(with_small({"gemm"}), with_small({"explain"}),
                                         with_small({"gemm", "--energy"}),
                                         std::vector<std::string>{"list", "machine", "a100"}));

TEST_F(Report, TakesFoldersSweepsTablesAndStandardInput) {
  const TinyExperiment tiny;
  ASSERT_EQ(run({"run", tiny.file(), "--out", "out"}).exit_code, 0);
  write("one.yaml",
        "machines: [a100_nm]\ngemms: [256x256x256, 256x256x512]\n"
        "axes: {machine.accelerator.num_sms: [4, 8], "
        "machine.accelerator.l2_cache.slices: [80, 40]}\n"
        "zip: {both: [machine.accelerator.num_sms, "
        "machine.accelerator.l2_cache.slices]}\n");
  ASSERT_EQ(run({"sweep", "run", "one.yaml", "--html", "sweep.html"}).err, "");
  EXPECT_EQ(data_of(read("sweep.html"))["documents"][0]["points"], 4);
  write("some.csv", "name,value\na,1.5\n\"b, c\",\n");
  ASSERT_EQ(run({"page", "out", "one.sqlite", "some.csv"}).err, "");
  const nlohmann::ordered_json documents = data_of(read("out.html"))["documents"];
  EXPECT_EQ(documents[0]["schema"], "stcsim.study/2");
  EXPECT_EQ(documents[1]["schema"], "stcsim.points/1");
  EXPECT_EQ(documents[1]["points"]["rows"], 4);
  EXPECT_TRUE(documents[1]["points"]["columns"].contains("axes.machine.accelerator.num_sms"));
  EXPECT_EQ(documents[2]["text"], "name,value\na,1.5\n\"b, c\",\n");
  EXPECT_THAT(run({"page", "-"}).err, HasSubstr("error"));  // nothing comes in
}

}  // namespace
}  // namespace stcsim
