// Publications' figures beside what is simulated: arithmetic, verdicts, files and pages.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "reports/claims/claim_check.hpp"
#include "reports/claims/claim_file.hpp"
#include "reports/claims/claims_report.hpp"
#include "reports/claims/claims_run.hpp"
#include "reports/claims/gemm_claims.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/reports/sample_study.hpp"

namespace stcsim {
namespace {

using test::message_of;
using test::small_study_with_work;
using test::TemporaryDirectory;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Claim claim_of(ClaimQuantity quantity, double least, double most) {
  Claim claim;
  claim.source = "Somebody, 2025";
  claim.says = "something";
  claim.scheme = "sr-ste";
  claim.network = "mlp";
  claim.quantity = quantity;
  claim.published = {least, most};
  claim.obtained = "measured";
  return claim;
}

/// The step takes 6,000 us instead of 6,250: the GEMMs gain 1.2x, forward 1.5x, and pruning takes
/// 750 us.
StudyResult study() {
  StudyResult study = small_study_with_work();
  study.totals.back().framework = "eager";
  return study;
}

double value_of(ClaimQuantity quantity) {
  return check_claim(claim_of(quantity, 1, 1), study()).at(0).value;
}

TEST(Claims, QuantitiesOfAStudy) {
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::dgrad_share), 60);
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::gemm_time_saved), 100.0 / 6);
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::step_time_saved), 4);
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::forward_dgrad_gain), 1.2);
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::gemm_gain), 1.2);
  EXPECT_DOUBLE_EQ(value_of(ClaimQuantity::step_gain), 6250.0 / 6000.0);
  EXPECT_TRUE(check_claim(claim_of(ClaimQuantity::inference_gain, 1, 1), study()).empty());
}

TEST(Claims, APassAfterTrainingIsNotAStep) {
  StudyResult inference = study();
  for (StudyTotal& total : inference.totals) total.pass = StudyPass::inference;
  for (ResultRow& row : inference.rows) row.phase = RowPhase::inference;
  const Claim step = claim_of(ClaimQuantity::step_gain, 1, 1);
  EXPECT_TRUE(check_claim(step, inference).empty());
  const auto answers = check_claim(claim_of(ClaimQuantity::inference_gain, 1, 1), inference);
  ASSERT_EQ(answers.size(), 1);
  EXPECT_EQ(answers[0].because,
            "inference 1.20x of 1.33x counted; GEMMs are 96.0 % of the dense pass; pruning takes "
            "12.0 % of it");
}

/// 6250 / 6000 = 1.0417; verdicts are those of papers.
TEST(Claims, VerdictsHaveTheUsualTolerance) {
  const auto verdict = [](double least, double most) {
    return check_claim(claim_of(ClaimQuantity::step_gain, least, most), study()).at(0).verdict;
  };
  EXPECT_EQ(verdict(1.0, 1.05), "reproduced");
  EXPECT_EQ(verdict(1.15, 1.25), "reproduced") << "a tenth less is 1.035";
  EXPECT_EQ(verdict(1.16, 1.25), "direction only");
  EXPECT_EQ(verdict(0.5, 0.95), "cannot be told apart") << "no effect is as near";
  EXPECT_EQ(verdict(0.5, 0.94), "not reproduced");
}

TEST(Claims, VerdictsSayWhatTheyAreWorth) {
  Claim claim = claim_of(ClaimQuantity::step_gain, 1, 1.05);
  const auto kind = [&](MachineSort sort) {
    return check_claim(claim, study(), {{"a100", sort}}).at(0).kind;
  };
  EXPECT_EQ(check_claim(claim, study()).at(0).kind, VerdictKind::measured);
  EXPECT_EQ(kind(MachineSort::hypothetical), std::nullopt) << "nobody can measure it";
  claim.obtained = "counted";
  EXPECT_EQ(kind(MachineSort::hypothetical), VerdictKind::estimated);
  EXPECT_EQ(kind(MachineSort::counting), VerdictKind::arithmetic);
}

TEST(Claims, AnIntervalThatMeetsTheRangeIsReproduced) {
  StudyResult known = study();
  known.totals.back().step_interval = {1.02, 1.25};
  const ClaimAnswer gain = check_claim(claim_of(ClaimQuantity::step_gain, 1.25, 2), known).at(0);
  EXPECT_EQ(gain.verdict, "reproduced");
  EXPECT_THAT(gain.low, DoubleEq(1.02));
  EXPECT_THAT(gain.high, DoubleEq(1.25));
  known.totals.back().step_interval = {1.0, 1.25};
  const ClaimAnswer saved =
      check_claim(claim_of(ClaimQuantity::step_time_saved, 19, 30), known).at(0);
  EXPECT_THAT(saved.low, DoubleEq(0));
  EXPECT_NEAR(saved.high, 20, 1e-12);
  EXPECT_EQ(saved.verdict, "cannot be told apart");
  // Intervals are of steps.
  const ClaimAnswer gemms = check_claim(claim_of(ClaimQuantity::gemm_gain, 1.2, 2), known).at(0);
  EXPECT_THAT(gemms.low, DoubleEq(1.2));
  EXPECT_THAT(gemms.high, DoubleEq(1.2));
}

/// Of the 6,250 us of the dense step 6,000 are GEMMs.
TEST(Claims, SayWhereTheGainWent) {
  const auto because = [](ClaimQuantity quantity) {
    return check_claim(claim_of(quantity, 1, 1), study()).at(0).because;
  };
  EXPECT_EQ(because(ClaimQuantity::dgrad_share), "");
  EXPECT_EQ(because(ClaimQuantity::gemm_gain), "forward 1.50x of 2.00x counted");
  EXPECT_EQ(because(ClaimQuantity::step_gain),
            "forward 1.50x of 2.00x counted; GEMMs are 96.0 % of the dense step; pruning takes "
            "12.0 % of it");
}

TEST(Claims, SayWhyNothingRanSparse) {
  StudyResult refused = study();
  for (ResultRow& row : refused.rows) {
    if (row.scheme == "sr-ste")
      row = test::refused_row(row.layer, to_string(row.phase), row.scheme);
  }
  EXPECT_EQ(check_claim(claim_of(ClaimQuantity::step_gain, 1, 1), refused).at(0).because,
            "all GEMMs run dense: 4:8 does not fit 2:4 hardware");
}

TEST(Claims, HalfOfAPhaseCountsHalf) {
  StudyResult half = study();
  half.rows.push_back(test::gemm_row("fc2", "forward", "sr-ste", 2000, 2000));
  EXPECT_THAT(check_claim(claim_of(ClaimQuantity::gemm_gain, 1, 1), half).at(0).because,
              HasSubstr("of 1.33x counted"));
}

TEST(Claims, IncompleteFiguresAreNoAnswer) {
  StudyResult failed = study();
  failed.totals.back().step.failed = 1;
  EXPECT_TRUE(check_claim(claim_of(ClaimQuantity::step_gain, 1, 1), failed).empty());
}

TEST(Claims, TextHasVerdictsAndWhatIsNotCompared) {
  const Claim claim = claim_of(ClaimQuantity::step_gain, 1.13, 1.25);
  Claim other;
  other.source = "Somebody, 2025";
  other.says = "accuracy as dense";
  other.not_compared = "accuracy is not simulated";
  const CheckedClaims checked{{{claim, check_claim(claim, study())}, {other, {}}}, "00ff"};
  EXPECT_EQ(claims_markdown(checked), R"(### Somebody, 2025

#### sr-ste: something (mlp)

Published: 1.13x to 1.25x, measured. Simulated: 1.04x.

| machine | framework | gain of the step | between | verdict | because |
|---|---|---:|---:|---|---|
| a100 | eager | 1.04x | - | against measured: reproduced | forward 1.50x of 2.00x counted; GEMMs are 96.0 % of the dense step; pruning takes 12.0 % of it |

Verdicts:

- against measured, a100 with eager: 1 reproduced

Not compared:

- accuracy as dense (Somebody, 2025): accuracy is not simulated
)");
  const auto json = nlohmann::json::parse(claims_to_json(checked));
  EXPECT_EQ(json["schema"], "stcsim.claims/2");
  EXPECT_EQ(json["config_hash"], "00ff");
  EXPECT_EQ(json["claims"][0]["answers"][0]["verdict"], "reproduced");
  EXPECT_EQ(json["claims"][0]["answers"][0]["kind"], "against measured");
  EXPECT_EQ(json["tally"][0]["column"], "a100 with eager");
  EXPECT_EQ(json["claims"][0]["unit"], "ratio");
  EXPECT_EQ(json["claims"][1]["not_compared"], "accuracy is not simulated");
}

/// With configurations of its own.
class ClaimFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& claims) {
    const std::string path = (folder_.path() / "c.yaml").string();
    std::ofstream(folder_.path() / "n.yaml") << "name: mine\nbatch: 1\nlayers: [{name: a, type: "
                                                "linear, in_features: 8, out_features: 8}]\n";
    std::ofstream(path) << "source: S\nclaims:\n" << claims;
    return path;
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(ClaimFiles, EveryKey) {
  const std::vector<Claim> claims = load_claims(
      file("  - {says: faster, scheme: asp, pattern: \"1:4\", network: ./n.yaml, quantity: "
           "step_gain, least: 2,"
           " most: 3, dtype: int8, obtained: counted, setting: here}\n"
           "  - {says: better, not_compared: no figure}\n"));
  ASSERT_EQ(claims.size(), 2);
  EXPECT_EQ(claims[0].source, "S");
  EXPECT_EQ(claims[0].scheme_name(), "asp-1:4");
  EXPECT_EQ(claims[0].network, "mine");
  EXPECT_TRUE(claims[0].network_file.ends_with("/n.yaml"));
  EXPECT_EQ(claims[0].quantity, ClaimQuantity::step_gain);
  EXPECT_EQ(claims[0].published.least, 2);
  EXPECT_EQ(claims[0].published.most, 3);
  EXPECT_EQ(claims[0].tolerance, kUsualTolerance);
  EXPECT_EQ(claims[0].dtype, "int8");
  EXPECT_EQ(claims[0].obtained, "counted");
  EXPECT_EQ(claims[0].setting, "here");
  EXPECT_EQ(claims[1].not_compared, "no figure");
}

TEST_F(ClaimFiles, MistakesAreNamedWithTheirPlace) {
  const std::string path = file(
      "  - {says: faster, scheme: asp, network: n.yaml, quantity: step_gain, least: 2, most: 1}\n");
  EXPECT_EQ(message_of<ConfigError>([&] { static_cast<void>(load_claims(path)); }),
            path + ":3:87: error: 'most' is less than 'least'");
  const std::string gains =
      file("  - {says: faster, scheme: asp, network: n.yaml, quantity: step_gains, least: 2}\n");
  EXPECT_THAT(
      message_of<ConfigError>([&] { static_cast<void>(load_claims(gains)); }),
      HasSubstr("c.yaml:3:60: error: 'quantity' is 'step_gains', must be one of dgrad_share"));
}

/// One study of a network and framework; GEMMs are looked at once.
TEST(ClaimsRun, SimulatesANetworkOnceForAllItsClaims) {
  std::vector<Claim> claims{claim_of(ClaimQuantity::step_gain, 1, 1),
                            claim_of(ClaimQuantity::gemm_gain, 1, 1)};
  for (Claim& claim : claims) {
    claim.network = claim.network_file = "resnet18";
    claim.scheme_file = claim.scheme;
  }
  claims[1].scheme = claims[1].scheme_file = "sdgp";
  claims[1].pattern = "1:4";
  claims.push_back({.source = "S", .says = "s", .not_compared = "why"});
  std::vector<std::string> asked;
  const CheckedClaims checked = check_claims(
      claims, {{"a100"}, {"pytorch_eager", "ideal"}}, [&](const Experiment& experiment) {
        asked.push_back(experiment.framework.name);
        EXPECT_EQ(experiment.networks.at(0).name, "resnet18");
        EXPECT_EQ(experiment.schemes.at(0).name, "sr-ste");
        EXPECT_EQ(experiment.schemes.at(1).name, "sdgp-1:4");
        EXPECT_FALSE(experiment.inference);
        StudyResult result = small_study_with_work();
        for (StudyTotal& total : result.totals) total.network = "resnet18";
        StudyTotal pruned = result.totals.back();
        pruned.scheme = "sdgp-1:4";
        result.totals.push_back(pruned);
        return result;
      });
  EXPECT_THAT(asked, ElementsAre("pytorch_eager", "ideal"));
  ASSERT_EQ(checked.claims.size(), 3);
  EXPECT_EQ(checked.claims[0].answers.size(), 2);
  EXPECT_EQ(checked.claims[1].answers.size(), 1);
  EXPECT_TRUE(checked.claims[2].answers.empty());
}

Claim gemm_claim(double least, double most, double tolerance) {
  Claim claim;
  claim.source = "Somebody, 2025";
  claim.says = "sparse";
  claim.quantity = ClaimQuantity::kernel_gain;
  claim.published = {least, most};
  claim.obtained = "measured";
  GemmClaim& gemm = claim.gemm.emplace();
  gemm.problem = {.m = 64, .n = 32, .k = 128, .dtype = DataType::int8, .a_pattern = {2, 4}};
  gemm.machine = "m";
  claim.tolerance = tolerance;
  return claim;
}

LaunchResult launch_of(std::int64_t cycles) {
  LaunchResult result;
  result.cycles = cycles;
  result.clock_mhz = 1000;
  return result;
}

/// 300 cycles instead of 600 are 2x.
TEST(GemmClaims, VerdictsAreOfTheTolerance) {
  const auto verdict = [](double published, double tolerance) {
    return answer_gemm_claim(gemm_claim(published, published, tolerance), MachineSort::built,
                             launch_of(300), launch_of(600), "")
        .verdict;
  };
  EXPECT_EQ(verdict(2, 0), "reproduced");
  EXPECT_EQ(verdict(2.2, 0.1), "reproduced");
  EXPECT_EQ(verdict(2.3, 0.1), "direction only");
  EXPECT_EQ(verdict(1.5, 0.1), "direction only");
  EXPECT_EQ(verdict(0.9, 0.1), "not reproduced");
}

TEST(GemmClaims, ThatWereFittedAreNoTest) {
  Claim claim = gemm_claim(2, 2, 0.1);
  claim.fitted = "to this";
  const ClaimAnswer answer =
      answer_gemm_claim(claim, MachineSort::built, launch_of(300), launch_of(600), "busy");
  EXPECT_EQ(answer.kind, VerdictKind::fitted);
  EXPECT_EQ(answer.verdict, "no test");
  EXPECT_EQ(answer.because, "busy; fitted: to this");
}

TEST(GemmClaims, OfCyclesHaveNoDirection) {
  Claim claim = gemm_claim(400, 400, 0.1);
  claim.quantity = ClaimQuantity::kernel_cycles;
  const auto answer =
      answer_gemm_claim(claim, MachineSort::built, launch_of(300), launch_of(600), "because");
  EXPECT_DOUBLE_EQ(answer.value, 300);
  EXPECT_EQ(answer.verdict, "not reproduced");
  EXPECT_EQ(answer.because, "because");
}

TEST(GemmClaims, StandInOneTableOfTheirPublication) {
  CheckedClaims checked;
  for (const double published : {2.0, 3.0}) {
    const Claim claim = gemm_claim(published, published, 0.1);
    checked.claims.push_back(
        {claim,
         {answer_gemm_claim(claim, MachineSort::built, launch_of(300), launch_of(600), "busy")}});
  }
  EXPECT_EQ(claims_text(checked), R"(Somebody, 2025

claim   machine  GEMM                published  simulated  deviation  verdict                           because
------  -------  ------------------  ---------  ---------  ---------  --------------------------------  -------
sparse  m        64x32x128 int8 2:4      2.00x      2.00x     +0.0 %  against measured: reproduced      busy
sparse  m        64x32x128 int8 2:4      3.00x      2.00x    -33.3 %  against measured: direction only  busy

Verdicts:

- against measured, m: 1 reproduced, 1 direction only

)");
  const auto json = nlohmann::json::parse(claims_to_json(checked))["claims"][1];
  EXPECT_EQ(json["gemm"]["pattern"], "2:4");
  EXPECT_EQ(json["unit"], "ratio");
  EXPECT_EQ(json["answers"][0]["verdict"], "direction only");
}

TEST_F(ClaimFiles, AGemmHasAMachineAndATolerance) {
  const auto claims = load_claims(file(
      "  - {says: s, machine: stc_1024, gemm: {m: 8, n: 16, k: 24, dtype: int8, pattern: 2:6}, "
      "against: 2:4, stack: best, quantity: kernel_cycles, least: 70000, tolerance: 0.05, note: n, "
      "fitted: "
      "f}\n"));
  ASSERT_EQ(claims.size(), 1);
  ASSERT_TRUE(claims[0].gemm);
  const GemmClaim& gemm = *claims[0].gemm;
  EXPECT_EQ(gemm.machine, "stc_1024");
  EXPECT_EQ(gemm.problem.k, 24);
  EXPECT_EQ(gemm.problem.a_pattern, (Pattern{2, 6}));
  EXPECT_EQ(gemm.against, (Pattern{2, 4}));
  EXPECT_EQ(gemm.note, "n");
  EXPECT_EQ(gemm.stack, "best");
  EXPECT_EQ(claims[0].fitted, "f");
  EXPECT_EQ(claims[0].tolerance, 0.05);
  const std::string path = file(
      "  - {says: s, machine: stc_1024, gemm: {m: 8, n: 16, k: 24}, quantity: step_gain, least: 2, "
      "tolerance: 0}\n");
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(load_claims(path)); }),
              HasSubstr("'quantity' must be kernel_gain or kernel_cycles of a 'gemm'"));
  const std::string other = file(
      "  - {says: s, machine: stc_1024, gemm: {m: 8, n: 16, k: 24}, stack: cuda, quantity: "
      "kernel_gain, least: 2}\n");
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(load_claims(other)); }),
              HasSubstr("error: stc_1024 has no stack 'cuda', must be one of best"));
}

/// Every shipped file can be read, and names networks, schemes and types there are.
TEST(ClaimsRun, ShippedClaimsCanBeSimulated) {
  std::size_t files = 0;
  for (const CatalogEntry& entry : list_configs(ConfigKind::claims)) {
    const std::vector<Claim> claims = load_claims(entry.name);
    EXPECT_FALSE(claims.empty()) << entry.name;
    for (const Claim& claim : claims) {
      EXPECT_FALSE(claim.not_compared.empty() && claim.obtained.empty()) << claim.says;
    }
    static_cast<void>(check_claims(claims, {{"a100"}, {"pytorch_eager"}},
                                   [](const Experiment&) { return StudyResult{}; }));
    ++files;
  }
  EXPECT_GE(files, 12U);
}

}  // namespace
}  // namespace stcsim
