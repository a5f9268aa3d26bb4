#include "sim/sweep/step_runner.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "sim/sweep/gemm_figures.hpp"

namespace stcsim {
namespace {

/// Experiments that are held at a time, some 200 kB each.
constexpr std::size_t kExperimentsAtOnce = 160;

/// Points of one experiment.
using Group = std::vector<std::size_t>;

/// The groups of a machine follow each other. Beside each scheme stands the same dense step: one
/// that is called so itself is apart.
std::vector<Group> groups_of(const SweepPlan& plan, const std::vector<std::size_t>& steps) {
  struct Open {
    Group points;
    std::unordered_set<std::string> schemes;
  };
  std::map<const SweepMachine*, std::size_t> machines;
  std::vector<std::pair<std::size_t, Open>> groups;
  std::map<std::tuple<const SweepMachine*, const SweepPart*, const SweepPart*, const SweepPart*>,
           std::size_t>
      latest;
  for (const std::size_t step : steps) {
    const SweepPoint& point = plan.points[step];
    const std::string scheme = scheme_name(point);
    const bool is_apart = scheme.empty() || scheme == kBaselineScheme;
    const std::size_t machine =
        machines.try_emplace(point.machine.get(), machines.size()).first->second;
    const auto known = latest.find(
        {point.machine.get(), point.framework.get(), point.settings.get(), point.network.get()});
    if (!is_apart && known != latest.end() &&
        groups[known->second].second.schemes.insert(scheme).second) {
      groups[known->second].second.points.push_back(step);
      continue;
    }
    if (!is_apart) {
      latest[{point.machine.get(), point.framework.get(), point.settings.get(),
              point.network.get()}] = groups.size();
    }
    groups.push_back({machine, {{step}, {scheme}}});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<Group> points;
  for (auto& [machine, group] : groups) points.push_back(std::move(group.points));
  return points;
}

class StepRunner {
 public:
  StepRunner(const SweepPlan& plan, std::size_t steps, SweepStore& store,
             const StepRunnerOptions& options)
      : plan_(plan), steps_(steps), options_(options), runs_(store), study_(options.study) {
    study_.store = &runs_;
    study_.totals_only = true;
    study_.on_progress = [this](const StudyProgress& now) { report(now); };
  }

  void run(const std::vector<Group>& groups) {
    for (std::size_t at = 0; at < groups.size(); at += kExperimentsAtOnce) {
      const std::size_t end = std::min(groups.size(), at + kExperimentsAtOnce);
      run_at_once({groups.begin() + static_cast<std::ptrdiff_t>(at),
                   groups.begin() + static_cast<std::ptrdiff_t>(end)});
      if (const std::vector<Group> alone = std::exchange(alone_, {}); !alone.empty()) run(alone);
    }
  }

  [[nodiscard]] RunCounts counts() const { return runs_.counts(); }

 private:
  void run_at_once(const std::vector<Group>& groups) {
    if (study_.interrupted && study_.interrupted()) throw StudyInterrupted();
    std::vector<Experiment> experiments;
    std::vector<const Group*> groups_of_experiments;
    settled_before_ = settled_;
    open_ = 0;
    for (const Group& group : groups) {
      open_ += group.size();
      try {
        experiments.push_back(experiment_of(points_of(group)));
        groups_of_experiments.push_back(&group);
      } catch (const std::runtime_error& error) {
        fail(group, error.what());
      }
    }
    run_studies(experiments, study_, [&](std::size_t number, const StudyOutcome& outcome) {
      settle(*groups_of_experiments[number], experiments[number], outcome);
    });
  }

  [[nodiscard]] std::vector<const SweepPoint*> points_of(const Group& group) const {
    std::vector<const SweepPoint*> points;
    for (const std::size_t step : group) points.push_back(&plan_.points[step]);
    return points;
  }

  /// Schemes may fail alone: what of a group's points is wrong each of them finds out for itself.
  void fail(const Group& group, const std::string& why) {
    if (group.size() == 1) {
      ++settled_;
      options_.on_failure(group.front(), why);
      return;
    }
    for (const std::size_t step : group) alone_.push_back({step});
  }

  void settle(const Group& group, const Experiment& experiment, const StudyOutcome& outcome) {
    std::vector<nlohmann::ordered_json> figures;
    try {
      if (outcome.error) std::rethrow_exception(outcome.error);
      const std::vector<Scheme>& schemes = experiment.schemes;
      const std::size_t first = schemes.size() - group.size();
      for (std::size_t at = 0; at < group.size(); ++at) {
        figures.push_back(step_point_figures(outcome.result, schemes[first + at].name));
      }
    } catch (const std::runtime_error& error) {
      fail(group, error.what());
      return;
    }
    for (std::size_t at = 0; at < group.size(); ++at) {
      ++settled_;
      options_.on_done(group[at], figures[at]);
    }
  }

  /// What a study still finds out that it has to do makes its share less: the most is reported.
  void report(const StudyProgress& now) {
    const double done = now.work > 0 ? now.work_done / now.work : 1;
    const double points = static_cast<double>(settled_before_) + done * static_cast<double>(open_);
    share_ = std::max(share_, points / static_cast<double>(steps_));
    if (options_.on_progress) options_.on_progress(std::min(share_, 1.0));
  }

  const SweepPlan& plan_;
  std::size_t steps_;
  const StepRunnerOptions& options_;
  SweepRuns runs_;
  StudyOptions study_;
  std::vector<Group> alone_;
  /// Points that have ended, those of them that had when the present ones began, and how many those
  /// are.
  std::size_t settled_ = 0;
  std::size_t settled_before_ = 0;
  std::size_t open_ = 0;
  double share_ = 0;
};

}  // namespace

RunCounts run_steps(const SweepPlan& plan, const std::vector<std::size_t>& steps, SweepStore& store,
                    const StepRunnerOptions& options) {
  StepRunner runner(plan, steps.size(), store, options);
  runner.run(groups_of(plan, steps));
  return runner.counts();
}

}  // namespace stcsim
