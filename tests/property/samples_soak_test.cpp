#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/scheme_gemms.hpp"
#include "tests/property/sampled_case.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {

/// What `bound_by` says of GEMMs of shipped networks, held against the experiment.
struct Agreement {
  std::int64_t rows = 0;
  /// What is named saves at least 0.8 of what the best does; "unclear", where nothing saves a
  /// tenth.
  std::int64_t agree = 0;
  std::int64_t unclear = 0;
  /// The others, one in a line.
  std::vector<std::string> differ;
};

namespace {

constexpr std::array kMachines{"a100", "a100_80gb", "a100_nm", "rtx3090", "h100_sxm"};
constexpr std::array kNetworks{"resnet50",  "resnet18",   "regnetx_400mf", "bert_large_s128",
                               "gpt2_124m", "deit_small", "bert_base_s384"};
constexpr std::array kSchemes{"dense", "asp", "bdwp", "fst", "sdgp", "slope", "transposable-2-4"};

struct Row {
  std::string name;
  MachineConfig machine;
  Explanation explanation;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  template <class All>
  const auto& one_of(const All& all) {
    return all[random_() % all.size()];
  }

  /// A GEMM, or none: not every layer has every phase.
  std::optional<Row> row() {
    const MachineSpec machine = load_machine(one_of(kMachines));
    const Network network = load_network(one_of(kNetworks));
    const Scheme scheme = load_scheme(one_of(kSchemes));
    const Layer& layer = one_of(network.layers);
    const Phase phase = one_of(kPhases);
    const std::array batches{network.batch, network.batch, std::int64_t{1}, std::int64_t{8},
                             std::int64_t{32}};
    const std::int64_t batch = one_of(batches);
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, batch, DataType::fp16);
    if (gemms.gemms.empty()) return std::nullopt;
    const std::size_t part = random_() % gemms.gemms.size();
    // What it would be compared with makes no difference to what it loses its own time to.
    ExplainQuestion question{gemms.gemms[part], gemms.gemms[part], {"auto", {}, ""}};
    question.conditions.locked_clock_mhz = machine.config.clock_mhz;
    question.is_brief = true;
    return Row{fmt::format("{} {}:{} {} {} batch {}", machine.name, network.name, layer.name,
                           to_string(phase), scheme.name, batch),
               machine.config, explain(machine.config, question, 2)};
  }

 private:
  std::mt19937_64 random_;
};

double saved_by(const Explanation& explanation, const std::string& name) {
  for (const Counterfactual& one : explanation.counterfactuals) {
    if (one.name == name) return explanation.saved_by(one);
  }
  return 0;
}

const Counterfactual& most_of(const Explanation& explanation) {
  return *std::ranges::max_element(explanation.counterfactuals, {}, [&](const Counterfactual& one) {
    return explanation.saved_by(one);
  });
}

bool agrees(const Explanation& explanation, const std::string& name) {
  constexpr double kLittle = 0.1;
  constexpr double kClose = 0.8;
  const double most = explanation.saved_by(most_of(explanation));
  return name == "unclear" ? most < kLittle : saved_by(explanation, name) >= kClose * most;
}

}  // namespace

/// Draws GEMMs of layers, phases, schemes and batches on five shipped machines. This process must
/// not have simulated anything before.
Agreement bound_by_against_experiment(std::uint64_t seed, std::int64_t rows) {
  Draw draw(seed);
  std::vector<Row> drawn;
  while (std::ssize(drawn) < rows) {
    if (std::optional<Row> row = draw.row()) drawn.push_back(std::move(*row));
  }
  std::map<std::string, std::unique_ptr<MachineRunner>> runners;
  for (const Row& row : drawn) {
    auto& runner = runners[row.machine.name];
    if (runner == nullptr) runner = std::make_unique<MachineRunner>(row.machine);
  }
  Agreement agreement;
  for (const Row& row : drawn) {
    const Explanation& of = row.explanation;
    const GemmRun run = run_gemm(*runners.at(row.machine.name), of.problem, {"auto", {}, ""});
    const std::string name = bound_by(row.machine, run.result);
    ++agreement.rows;
    if (name == "unclear") ++agreement.unclear;
    if (agrees(of, name)) {
      ++agreement.agree;
      continue;
    }
    const Counterfactual& most = most_of(of);
    agreement.differ.push_back(fmt::format("{}: {} saves {:.3f}, {} {:.3f}", row.name, name,
                                           saved_by(of, name), most.name, of.saved_by(most)));
  }
  return agreement;
}

/// Expects that at least so many per cent agree, and at most a fifth is unclear; prints the others.
void expect_agreement(std::uint64_t seed, std::int64_t rows, std::int64_t least_percent) {
  const Agreement agreement = bound_by_against_experiment(seed, rows);
  fmt::print("seed {}: {} of {} agree, {} unclear\n", seed, agreement.agree, agreement.rows,
             agreement.unclear);
  EXPECT_GE(agreement.agree * 100, agreement.rows * least_percent);
  EXPECT_LE(agreement.unclear * 5, agreement.rows);
  for (const std::string& one : agreement.differ) fmt::print("{}\n", one);
}

namespace {

TEST(SampledSoak, HoldsTheTrueCyclesInsideItsBoundNinetyNineTimesInAHundred) {
  constexpr std::int64_t kCases = 500;
  constexpr std::int64_t kMostOutside = kCases / 100;
  constexpr std::int64_t kMostInVain = kCases / 50;
  constexpr double kWidth = 0.01;
  const std::uint64_t seed = seed_or(1);
  SCOPED_TRACE(seed);
  SampledCases cases(seed);
  const SampledSummary summary = sample_cases(cases, kCases);
  EXPECT_GE(summary.inside, kCases - kMostOutside);
  EXPECT_LE(summary.median_width, kWidth);
  EXPECT_LE(summary.in_vain, kMostInVain);
  EXPECT_LT(2 * summary.sampled_events, summary.exact_events);
}

/// Rows and columns of A, and columns of B.
struct LayerShape {
  std::int64_t m, k, n;
};
class SampledValuesSoak : public testing::TestWithParam<LayerShape> {};

/// BERT-Large's two feed-forward products of 24 sequences of 384 tokens and ResNet-50's last 3x3
/// convolutions of 330 images, ten million instructions each, with 2:4 weights and half of the
/// inputs 0, on two SMs whose cores skip these, so that there are waves to leave out: the sampled
/// answer is within 2 % of the whole, which lies inside its bound.
TEST_P(SampledValuesSoak, LayersAreWithinTwoPerCentOfTheWhole) {
  MachineConfig machine = load_machine("a100_nm").config;
  machine.accelerator.num_sms = 2;
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  sm.detail = Detail::stages;
  sm.operand_selector.skipped_zeros = SkippedZeros::b;
  sm.operand_selector.skip_window = field::kMostUnits;
  sm.operand_selector.b_bytes_per_clk = 512;
  sm.operand_fetch.register_bytes_per_clk = 768;
  MachineRunner runner(machine);
  const auto& [m, k, n] = GetParam();
  const GemmProblem problem = make_problem(m, n, k, 1, DataType::fp16, {2, 4});
  FunctionalOptions operands;
  operands.b_zeros = 0.5;
  KernelPolicy policy;
  policy.sampled = true;
  const FunctionalRun part = run_gemm_with_values(runner, problem, policy, {}, operands);
  const LaunchResult& sampled = part.run.result;
  ASSERT_TRUE(sampled.sampled.has_value());
  EXPECT_EQ(part.check.mismatches, 0) << part.check.first_mismatch;
  policy.sampled = false;
  const LaunchResult whole = run_gemm_with_values(runner, problem, policy, {}, operands).run.result;
  RecordProperty("sampled_over_whole", std::to_string(static_cast<double>(sampled.cycles) /
                                                      static_cast<double>(whole.cycles)));
  EXPECT_NEAR(static_cast<double>(sampled.cycles) / static_cast<double>(whole.cycles), 1, 0.02);
  EXPECT_LE(sampled.cycles_low(), whole.cycles);
  EXPECT_GE(sampled.cycles_high(), whole.cycles);
  EXPECT_LT(sampled.simulated_share(), 1);
}

INSTANTIATE_TEST_SUITE_P(Layers, SampledValuesSoak,
                         testing::Values(LayerShape{4096, 1024, 9216}, LayerShape{1024, 4096, 9216},
                                         LayerShape{512, 4608, 16170}));

/// In samples of five seeds it agreed in 286 to 295 rows.
TEST(BoundBySoak, AgreesWithTheExperiment) {
  expect_agreement(seed_or(777), 300, 90);
}

}  // namespace

}  // namespace stcsim::test
