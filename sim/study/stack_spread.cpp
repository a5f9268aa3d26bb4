#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/study.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {
namespace {

/// The experiment, then one for each machine and each stack beside its own.
std::vector<Experiment> with_other_software(const Experiment& experiment) {
  std::vector<Experiment> all{experiment};
  if (experiment.kernel != "auto" || experiment.functional) return all;
  for (const MachineSpec& machine : experiment.machines) {
    const std::string own = policy_of(experiment, machine.config).stack;
    for (const std::string& stack : machine.config.stacks_beside(own)) {
      Experiment other = experiment;
      other.machines = {machine};
      other.stack = stack;
      all.push_back(std::move(other));
    }
  }
  return all;
}

/// Adds what the totals of the same work gain with `stack`.
void add_gains(const std::vector<StudyTotal>& with, const std::string& stack,
               std::vector<StudyTotal>& totals) {
  for (const StudyTotal& other : with) {
    const auto own = std::find_if(totals.begin(), totals.end(), [&](const StudyTotal& total) {
      return total.machine == other.machine && total.network == other.network &&
             total.scheme == other.scheme && total.pass == other.pass;
    });
    if (own == totals.end() || !other.is_complete()) continue;
    own->beside.push_back({stack, other.training.time_us, other.training.speedup});
  }
}

}  // namespace

StudyResult run_study_with_spread(const Experiment& experiment, const StudyOptions& options) {
  const std::vector<Experiment> experiments = with_other_software(experiment);
  std::vector<std::vector<StudyTotal>> beside(experiments.size());
  StudyOutcome own;
  run_studies(experiments, options, [&](std::size_t number, StudyOutcome outcome) {
    if (number == 0) {
      own = std::move(outcome);
    } else {
      beside[number] = std::move(outcome.result.totals);
    }
  });
  if (own.error) std::rethrow_exception(own.error);
  for (std::size_t number = 1; number < experiments.size(); ++number) {
    add_gains(beside[number], experiments[number].stack, own.result.totals);
  }
  return std::move(own.result);
}

}  // namespace stcsim
