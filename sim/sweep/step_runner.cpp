#include "sim/sweep/step_runner.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace stcsim {
namespace {

/// Experiments that are held at a time, some 200 kB each.
constexpr std::size_t kExperimentsAtOnce = 160;

std::string axes_of(const SweepPoint& point) {
  nlohmann::ordered_json axes = nlohmann::ordered_json::object();
  for (const auto& [name, label] : point.values) axes[name] = label;
  return axes.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Points of one experiment.
using Group = std::vector<std::size_t>;

/// The groups of a machine follow each other. Beside each scheme stands the same dense step: one
/// that is called so itself is apart.
std::vector<Group> groups_of(const SweepPlan& plan, const std::vector<std::size_t>& steps) {
  using Parts = std::array<const void*, 4>;
  std::vector<const SweepMachine*> machines;
  std::map<const SweepMachine*, std::vector<Group>> groups;
  std::map<Parts, std::pair<std::size_t, std::unordered_set<std::string>>> latest;
  for (const std::size_t step : steps) {
    const SweepPoint& point = plan.points[step];
    const std::string scheme = scheme_name(point);
    std::vector<Group>& own = groups[point.machine.get()];
    if (own.empty()) machines.push_back(point.machine.get());
    const Parts parts{point.machine.get(), point.framework.get(), point.settings.get(),
                      point.network.get()};
    const auto known = latest.find(parts);
    const bool is_apart = scheme.empty() || scheme == kBaselineScheme;
    if (!is_apart && known != latest.end() && known->second.second.insert(scheme).second) {
      own[known->second.first].push_back(step);
      continue;
    }
    if (!is_apart) latest[parts] = {own.size(), {scheme}};
    own.push_back({step});
  }
  std::vector<Group> all;
  for (const SweepMachine* const machine : machines) {
    std::ranges::move(groups[machine], std::back_inserter(all));
  }
  return all;
}

class StepRunner {
 public:
  StepRunner(const SweepPlan& plan, std::size_t steps, StudyOptions study, PointKeeper& points)
      : plan_(plan),
        steps_(static_cast<double>(steps)),
        study_(std::move(study)),
        points_(points),
        work_before_(points.progress.work_done) {
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
      points_.keep_failure(group.front(), why);
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
      points_.keep(group[at], figures[at]);
    }
  }

  /// What a study still finds out that it has to do makes its share less: the most is reported.
  void report(const StudyProgress& now) {
    const double done = now.work > 0 ? now.work_done / now.work : 1;
    const double points = static_cast<double>(settled_before_) + done * static_cast<double>(open_);
    share_ = std::max(share_, points / steps_);
    points_.progress.work_done = work_before_ + std::min(share_, 1.0) * kStepWork * steps_;
    points_.report();
  }

  const SweepPlan& plan_;
  double steps_;
  StudyOptions study_;
  PointKeeper& points_;
  double work_before_;
  std::vector<Group> alone_;
  /// Points that have ended, those of them that had when the present ones began, and how many those
  /// are.
  std::size_t settled_ = 0;
  std::size_t settled_before_ = 0;
  std::size_t open_ = 0;
  double share_ = 0;
};

}  // namespace

void PointKeeper::keep(std::size_t point, const nlohmann::ordered_json& figures) {
  store_.put_point(plan_.points[point].key, {axes_of(plan_.points[point]), figures.dump()});
  ++outcome.done;
  ++progress.points_done;
  report();
}

void PointKeeper::keep_failure(std::size_t point, const std::string& why) {
  store_.put_failure(plan_.points[point].key, {axes_of(plan_.points[point]), why});
  ++outcome.failed;
  ++progress.points_done;
  report();
}

void run_steps(const SweepPlan& plan, const std::vector<std::size_t>& steps, StudyOptions study,
               SweepStore& store, PointKeeper& points) {
  SweepRuns runs(store);
  study.store = &runs;
  StepRunner(plan, steps.size(), std::move(study), points).run(groups_of(plan, steps));
  points.outcome.of_steps = runs.counts();
}

}  // namespace stcsim
