#include "tests/property/gain_causes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/explain/explanation.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim::test {
namespace {

/// The GEMM as it is named in messages.
std::string text_of(const MachineConfig& machine, const GemmProblem& problem) {
  return machine.name + " " + std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
         std::to_string(problem.k) + " " + problem.a_pattern.to_string();
}

double microseconds(const TimedCycles& one) {
  return static_cast<double>(one.cycles) / one.clock_mhz;
}

/// How good these times are: the gain, or where 2:4 runs as a dense product, how many a second.
double merit_of(const TimesOfBoth& times, bool is_sparse) {
  return (is_sparse ? microseconds(times.dense) : 1.0) / microseconds(times.sparse);
}

Variant variant_of(const MachineConfig& machine, const GemmProblem& problem,
                   const KernelPolicy& policy) {
  const ChosenKernel chosen = choose_kernels(machine, {{problem, policy}}, {}, 2).front();
  const KernelLaunch& launch = chosen.kernel.launch;
  return {at_clock(machine, chosen.clock_mhz, {}), launch, problem, launch.splits > 1};
}

/// Both with each relaxation, by its name, and as they are (""). What multiplies is left out of a
/// gain: it is its.
std::map<std::string, TimesOfBoth> relaxed_times(const MachineConfig& machine,
                                                 const ExplainQuestion& question, bool is_sparse) {
  const VariantsOfBoth as_is{variant_of(machine, question.dense, policy_of_dense(question.policy)),
                             variant_of(machine, question.problem, question.policy)};
  std::vector<std::string> names{""};
  std::vector<VariantsOfBoth> variants{as_is};
  for (const Relaxation& one : relaxations()) {
    if (is_sparse && one.name == "multipliers") continue;
    names.emplace_back(one.name);
    variants.push_back(as_is);
    for (Variant* const variant : {&variants.back().dense, &variants.back().sparse}) {
      one.machine(variant->machine, kFree);
      if (one.launch != nullptr) one.launch(variant->launch, kFree);
    }
  }
  const std::vector<TimesOfBoth> times = times_of(variants, 2);
  std::map<std::string, TimesOfBoth> by_name;
  for (std::size_t at = 0; at < names.size(); ++at) by_name[names[at]] = times[at];
  return by_name;
}

/// Causes that are no relaxation of a resource: how CTAs fill the machine, and its board.
bool is_beside_resources(const std::string& name) {
  return name == "last_wave" || name == "too_few_ctas" || name == "power";
}

}  // namespace

void expect_cause_of_gain(const MachineConfig& machine, const ExplainQuestion& question) {
  SCOPED_TRACE(text_of(machine, question.problem));
  ExplainQuestion brief = question;
  brief.is_brief = true;
  const Explanation explanation = explain(machine, brief, 2);
  const bool is_sparse = !explanation.hardware_pattern.is_dense();
  std::map<std::string, TimesOfBoth> times = relaxed_times(machine, question, is_sparse);
  ASSERT_EQ(explanation.all, times.at(""));
  const auto merit = [&](const TimesOfBoth& one) { return merit_of(one, is_sparse); };
  const double as_is = merit(times.at(""));
  times.erase("");
  for (const Counterfactual& one : explanation.counterfactuals) {
    ASSERT_TRUE(one.free) << one.name;
    if (times.count(one.name) != 0) {
      EXPECT_EQ(*one.free, times.at(one.name)) << one.name;
    }
    if (is_beside_resources(one.name)) times[one.name] = *one.free;
  }
  const auto most =
      std::ranges::max_element(times, {}, [&](const auto& named) { return merit(named.second); });
  const Counterfactual* const verdict = explanation.verdict();
  constexpr double kWorthNaming = 1.03;
  if (merit(most->second) < kWorthNaming * as_is) {
    EXPECT_EQ(verdict, nullptr) << verdict->name << " worth " << explanation.worth(*verdict->free)
                                << ", instead of none: " << most->first;
    return;
  }
  ASSERT_NE(verdict, nullptr) << most->first;
  EXPECT_EQ(verdict, &explanation.counterfactuals.front());
  EXPECT_EQ(merit(*verdict->free), merit(most->second))
      << verdict->name << " instead of " << most->first;
}

}  // namespace stcsim::test
