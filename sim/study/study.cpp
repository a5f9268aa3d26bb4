#include "sim/study/study.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "sim/job/job_runner.hpp"
#include "sim/kernel/library.hpp"
#include "sim/study/network_study.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/study_rows.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

/// Of networks whose points are held at a time: they and their runs take some 60 MB.
constexpr std::int64_t kPointsAtOnce = 30'000;

/// An experiment on its way to its result.
struct OpenStudy {
  const Experiment* experiment = nullptr;
  std::size_t number = 0;
  /// Of each machine's networks, in this order.
  std::vector<NetworkRows> found;
  std::size_t parts_left = 0;
  StudyOutcome outcome;
  /// Points that failed, what they are and their keys, by machine and cause.
  std::map<std::pair<std::string, std::string>, std::set<std::pair<std::string, std::string>>>
      failed;
  /// Machines and keys of points that were checked with values.
  std::set<std::pair<std::string, std::string>> checked;
};

/// A network on a machine, and whose it is.
struct Part {
  OpenStudy* of = nullptr;
  std::size_t number = 0;
  std::unique_ptr<NetworkStudy> study;
  NetworkStudy::Ahead ahead;
};

/// "" where the experiment names a kernel.
std::string stack_of(const Experiment& experiment, const MachineConfig& machine) {
  if (experiment.kernel != "auto") return "";
  return describe(stack_named(machine, policy_of(experiment, machine).stack));
}

/// Takes experiments through their rounds, side by side, and keeps the books of progress.
class StudyRunner {
 public:
  StudyRunner(const std::vector<Experiment>& experiments, const StudyOptions& options,
              const StudyDone& on_done)
      : options_(options),
        on_done_(on_done),
        machines_(options.store != nullptr),
        jobs_({options.jobs, options.fast_forward, options.launches, options.interrupted},
              options.store) {
    for (const Experiment& experiment : experiments) {
      studies_.push_back({&experiment, studies_.size(), {}, 0, {}, {}, {}});
      plan(studies_.back());
    }
  }

  void run() {
    for (OpenStudy& study : studies_) {
      if (study.parts_left == 0) finish(study);
    }
    auto next = parts_.begin();
    while (next != parts_.end()) {
      std::vector<Part*> batch;
      std::int64_t points = 0;
      for (; next != parts_.end() && points < kPointsAtOnce; ++next) {
        points += next->ahead.points;
        batch.push_back(&*next);
      }
      run(std::move(batch));
      jobs_.clear();
    }
  }

 private:
  void plan(OpenStudy& study) {
    const Experiment& experiment = *study.experiment;
    std::vector<Part> parts;
    try {
      for (const MachineSpec& machine : experiment.machines) {
        for (const Network& network : experiment.networks) {
          auto part = std::make_unique<NetworkStudy>(experiment, machine, network, machines_,
                                                     errors_of(machine, experiment).gain.mean());
          const NetworkStudy::Ahead ahead = part->ahead();
          parts.push_back({&study, parts.size(), std::move(part), ahead});
        }
      }
    } catch (const std::exception&) {
      study.outcome.error = std::current_exception();
      return;
    }
    study.parts_left = parts.size();
    study.found.resize(parts.size());
    std::move(parts.begin(), parts.end(), std::back_inserter(parts_));
  }

  /// All their points are held until the last of them is done.
  void run(std::vector<Part*> parts) {
    std::erase_if(parts, [this](Part* part) {
      return !attempt(*part, [&] {
        part->study->start(ask_);
        return true;
      });
    });
    if (progress_.points_done > 0) report();
    while (!parts.empty()) {
      simulate();
      std::erase_if(parts, [this](Part* part) {
        return !attempt(*part, [&] {
          if (part->study->go_on(ask_)) return true;
          collect(*part);
          return false;
        });
      });
    }
  }

  /// Whether there is more to do for the part; what is thrown is its experiment's error.
  template <class Step>
  bool attempt(Part& part, const Step& step) {
    OpenStudy& study = *part.of;
    bool has_more = false;
    try {
      has_more = !study.outcome.error && step();
    } catch (const std::exception&) {
      study.outcome.error = std::current_exception();
    }
    if (!has_more) part.study->clear();
    part.ahead = part.study->ahead();
    if (!has_more && --study.parts_left == 0) finish(study);
    return has_more;
  }

  const AskedJob* ask(const Job& job) {
    const JobRunner::Asked asked = jobs_.ask(job);
    ++progress_.points;
    if (asked.is_missing) {
      progress_.work += estimated_work(job.work);
    } else {
      ++progress_.points_done;
    }
    return asked.job;
  }

  void simulate() {
    const auto count = [this](const AskedJob& simulated) {
      ++progress_.points_done;
      progress_.work_done += estimated_work(simulated.job.work);
      report();
    };
    if (!jobs_.run(count)) throw StudyInterrupted();
  }

  void report() const {
    if (!options_.on_progress) return;
    StudyProgress now = progress_;
    for (const Part& part : parts_) {
      now.points += part.ahead.points;
      now.work += part.ahead.work;
    }
    options_.on_progress(now);
  }

  [[nodiscard]] TimeErrors errors_of(const MachineSpec& machine,
                                     const Experiment& experiment) const {
    if (options_.errors == nullptr) return {};
    return options_.errors->of(machine.name, experiment.dtype, experiment.framework.name);
  }

  void collect(const Part& part) {
    OpenStudy& study = *part.of;
    const Experiment& experiment = *study.experiment;
    const MachineSpec& machine = part.study->machine();
    const RowDetail detail = options_.totals_only ? RowDetail::totals_only : RowDetail::full;
    NetworkRows& found = study.found[part.number] = part.study->rows(detail);
    if (options_.errors != nullptr) {
      add_intervals(found.totals, found.rows, errors_of(machine, experiment));
    }
    for (StudyTotal& total : found.totals) {
      total.stack = stack_of(experiment, machine.config);
      add_memory(total, experiment, machine, part.study->choices());
    }
    if (options_.totals_only) found.rows = {};
    for (const AskedJob* const job : part.study->asked()) note(*job, machine.name, study);
  }

  static void note(const AskedJob& asked, const std::string& machine, OpenStudy& study) {
    StudyResult& result = study.outcome.result;
    const Work& work = asked.job.work;
    if (!asked.failure.empty()) {
      study.failed[{machine, asked.failure}].emplace(describe(work), asked.key);
    }
    const auto* const gemm = std::get_if<GemmWork>(&work);
    const bool is_checked = gemm != nullptr && gemm->with_values && !asked.bytes.empty();
    if (is_checked && study.checked.emplace(machine, asked.key).second) ++result.checked_gemms;
  }

  void finish(OpenStudy& study) {
    StudyResult& result = study.outcome.result;
    for (NetworkRows& found : study.found) {
      std::move(found.totals.begin(), found.totals.end(), std::back_inserter(result.totals));
      std::move(found.rows.begin(), found.rows.end(), std::back_inserter(result.rows));
      found = {};
    }
    for (const auto& [of, points] : study.failed) {
      const std::size_t more = points.size() - 1;
      result.failures.push_back(fmt::format("{}{} on {}: {}", points.begin()->first,
                                            more == 0 ? "" : fmt::format(" and {} more", more),
                                            of.first, of.second));
    }
    std::sort(result.failures.begin(), result.failures.end());
    result.resolved_config = study.experiment->resolved_config;
    result.config_hash = study.experiment->config_hash;
    on_done_(study.number, std::exchange(study.outcome, {}));
  }

  const StudyOptions& options_;
  const StudyDone& on_done_;
  StudyMachines machines_;
  JobRunner jobs_;
  std::deque<OpenStudy> studies_;  // parts point to them
  std::vector<Part> parts_;
  StudyProgress progress_;
  NetworkStudy::Ask ask_ = [this](const Job& job) { return ask(job); };
};

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

StudyResult run_study(const Experiment& experiment, const StudyOptions& options) {
  StudyOutcome study;
  run_studies({experiment}, options,
              [&study](std::size_t, StudyOutcome outcome) { study = std::move(outcome); });
  if (study.error) std::rethrow_exception(study.error);
  return std::move(study.result);
}

void run_studies(const std::vector<Experiment>& experiments, const StudyOptions& options,
                 const StudyDone& on_done) {
  StudyRunner(experiments, options, on_done).run();
}

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
