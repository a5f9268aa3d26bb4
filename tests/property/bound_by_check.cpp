#include "tests/property/bound_by_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/scheme_gemms.hpp"

namespace stcsim::test {
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

void expect_agreement(std::uint64_t seed, std::int64_t rows, std::int64_t least_percent) {
  const Agreement agreement = bound_by_against_experiment(seed, rows);
  fmt::print("seed {}: {} of {} agree, {} unclear\n", seed, agreement.agree, agreement.rows,
             agreement.unclear);
  EXPECT_GE(agreement.agree * 100, agreement.rows * least_percent);
  EXPECT_LE(agreement.unclear * 5, agreement.rows);
  for (const std::string& one : agreement.differ) fmt::print("{}\n", one);
}

}  // namespace stcsim::test
