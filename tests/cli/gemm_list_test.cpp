// A list of GEMMs is the sum of its products; a step of training only for whoever names a
// framework.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class GemmListRun : public testing::Test {
 protected:
  GemmListRun() {
    write_text(tiny_.path("gemms.csv"),
               "m,n,k,count,phase\n256,128,512,32,forward\n128,64,256,3,\n512,128,64,2,wgrad\n");
  }

  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"run",      "--network", tiny_.path("gemms.csv"),
                                 "--arch",   "stc_1024",  "--schemes",
                                 "dense,asp"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] json study(std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    const ProgramResult run = run_stcsim(words(more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }
  [[nodiscard]] static json total_of(const json& study, const std::string& scheme) {
    for (const json& total : study.at("totals")) {
      if (total.at("scheme") == scheme) return total;
    }
    throw std::runtime_error("no total of " + scheme);
  }

  TinyExperiment tiny_;
};

TEST_F(GemmListRun, IsTheSumOfItsProducts) {
  const json study = this->study({});
  for (const std::string scheme : {"dense", "asp"}) {
    double us = 0;
    double products = 0;
    for (const json& row : study.at("results")) {
      if (row.at("scheme") != scheme) continue;
      EXPECT_EQ(row.at("kind"), "gemm");
      us += row.at("repeat").get<double>() * row.at("time_us").get<double>();
      products += row.at("repeat").get<double>();
    }
    EXPECT_EQ(products, 32 + 3 + 2);
    const json total = total_of(study, scheme);
    EXPECT_NEAR(total.at("step").at("time_us"), us, 1e-6 * us);
    EXPECT_EQ(total.at("step").at("time_us"), total.at("gemms").at("time_us"));
    for (const char* const part : {"other", "optimizer", "scheme_work"}) {
      EXPECT_EQ(total.at(part).at("cycles"), 0) << part;
    }
    EXPECT_EQ(total.at("memory").at("total_bytes"), 0);
    EXPECT_EQ(total.at("framework"), "");
    EXPECT_EQ(total.at("products_only"), true);
  }
  EXPECT_GT(total_of(study, "asp").at("speedup"), 1);
}

TEST_F(GemmListRun, IsAStepWhereAFrameworkIsNamed) {
  const json step = total_of(study({"--framework", "ideal"}), "asp");
  EXPECT_EQ(step.at("products_only"), false);
  EXPECT_EQ(step.at("framework"), "ideal");
  EXPECT_GT(step.at("optimizer").at("cycles"), 0);
  EXPECT_GT(step.at("memory").at("total_bytes"), 0);
  const json products = total_of(study({}), "asp");
  EXPECT_EQ(step.at("gemms").at("cycles"), products.at("gemms").at("cycles"));
  EXPECT_GT(step.at("step").at("cycles"), products.at("step").at("cycles"));
}

TEST_F(GemmListRun, SaysSo) {
  const std::string text = run_stcsim(words({"--layers"})).out;
  EXPECT_THAT(text, HasSubstr("gemms on stc_1024: dense sum "));
  EXPECT_THAT(text, HasSubstr("--framework NAME adds optimizer, casts, memory, pruning"));
  EXPECT_THAT(text, Not(HasSubstr("optimizer update")));
  EXPECT_THAT(text, Not(HasSubstr("memory of a step")));
  EXPECT_THAT(text, Not(HasSubstr("DOES NOT FIT")));
  const std::string step = run_stcsim(words({"--framework", "ideal"})).out;
  EXPECT_THAT(step, HasSubstr("gemms on stc_1024: dense step "));
  EXPECT_THAT(step, Not(HasSubstr("--framework NAME")));
}

/// Written as a network, and run from a saved configuration, it stays what it was.
TEST_F(GemmListRun, StaysOneInOtherFiles) {
  const json study = this->study({});
  EXPECT_EQ(
      run_stcsim({"import", tiny_.path("gemms.csv"), "-o", tiny_.path("mine.yaml")}).exit_code, 0);
  EXPECT_THAT(read_text(tiny_.path("mine.yaml")), HasSubstr("products_only: true"));
  const ProgramResult mine = run_stcsim({"run", "--network", tiny_.path("mine.yaml"), "--arch",
                                         "stc_1024", "--schemes", "dense,asp", "--format", "json"});
  EXPECT_EQ(total_of(json::parse(mine.out), "asp").at("step"), total_of(study, "asp").at("step"));
  write_text(tiny_.path("saved.json"), study.at("config").dump());
  const ProgramResult saved = run_stcsim({"run", tiny_.path("saved.json"), "--format", "json"});
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_EQ(json::parse(saved.out).at("totals"), study.at("totals"));
}

TEST_F(GemmListRun, AnswersLinesAlike) {
  const std::string line = R"({"network": ")" + tiny_.path("gemms.csv") +
                           R"(", "arch": "stc_1024", "schemes": ["dense", "asp"]})";
  write_text(tiny_.path("lines.jsonl"), line + "\n");
  const ProgramResult eval = run_stcsim({"eval", tiny_.path("lines.jsonl"), "--figures",
                                         "scheme,time_us,optimizer_time_us,memory_bytes,fits"});
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
  const json asp = json::parse(eval.out).at("steps").at(1);
  EXPECT_EQ(asp, (json{{"network", "gemms"},
                       {"arch", "stc_1024"},
                       {"scheme", "asp"},
                       {"time_us", total_of(study({}), "asp").at("step").at("time_us")},
                       {"optimizer_time_us", 0.0},
                       {"memory_bytes", nullptr},
                       {"fits", nullptr}}));
}

TEST_F(GemmListRun, HasNoGradientsForSeveralGpus) {
  const ProgramResult run =
      run_stcsim({"run", "--network", tiny_.path("gemms.csv"), "--system", "dgx_a100"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("'gemms' is products alone"));
  EXPECT_THAT(run.err, HasSubstr("name a 'framework' too"));
}

}  // namespace
}  // namespace stcsim
