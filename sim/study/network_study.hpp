#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/library.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {

/// A machine at a clock, on which kernels are picked in one way.
struct StudyMachine {
  JobMachine of_jobs;
  /// At this clock.
  MachineSpec spec;
  KernelPolicy policy;

  [[nodiscard]] Job job(const Work& work) const { return {&of_jobs, work, policy}; }
};

/// The machines of experiments, each at all clocks that it is asked for. Equal ones are one.
class StudyMachines {
 public:
  /// @param are_results_kept  digests are those of stored results. No machine of the process may
  ///                          have run before; else they tell apart what this object made only.
  explicit StudyMachines(bool are_results_kept) : are_results_kept_(are_results_kept) {}

  /// @return stays where it is
  [[nodiscard]] const StudyMachine& at(const MachineSpec& as_built, double clock_mhz,
                                       const KernelPolicy& policy);

 private:
  struct Built {
    MachineSpec spec;
    std::string statistics;
    std::map<std::pair<double, KernelPolicy>, StudyMachine> clocks;
  };

  Built& built(const MachineSpec& spec);

  bool are_results_kept_;
  std::deque<Built> built_;
};

/// A network of an experiment on one of its machines, on its way to its rows: at the machine's own
/// clock first, then, until that is what the board affords the dense step, at lower ones. What
/// only other schemes ask for is left until the clock is known (but not in a functional
/// experiment, which checks all of it at every clock). Where schemes run sparse only where that is
/// faster, what each layer takes either way is asked for first, and what follows from the choice
/// after that. It asks for points in rounds: when all that it asked for is answered, go_on() asks
/// for more or says that it has all.
class NetworkStudy {
 public:
  using Ask = std::function<const AskedJob*(const Job&)>;

  /// Everything must outlive it.
  /// @param gain_error  how far gains of sparse products are off: choose_dense()
  NetworkStudy(const Experiment& experiment, const MachineSpec& as_built, const Network& network,
               StudyMachines& machines, double gain_error);

  /// Points that it will ask for yet if the clock stays, and their estimated_work().
  struct Ahead {
    std::int64_t points = 0;
    double work = 0;
  };
  [[nodiscard]] Ahead ahead() const;

  /// Asks for the first points.
  void start(const Ask& ask);
  /// After all points asked for were answered: asks for more; false if there is nothing more to ask
  /// for.
  [[nodiscard]] bool go_on(const Ask& ask);
  /// At the end: the network's rows and totals.
  [[nodiscard]] NetworkRows rows(RowDetail detail) const;

  /// Every point it has asked for, some of them several times.
  [[nodiscard]] const std::vector<const AskedJob*>& asked() const { return asked_; }
  /// The machine as it is now.
  [[nodiscard]] const MachineSpec& machine() const { return machine_->spec; }
  /// Which products run dense that could run sparse.
  [[nodiscard]] const DenseChoices& choices() const { return choices_; }
  /// Forgets its points and their runs.
  void clear();

 private:
  /// Points of a plan and what became of them; null if not asked for.
  struct Asked {
    std::vector<Work> points;
    std::vector<const AskedJob*> runs;
  };

  /// What is known of its points, at the present clock, as they run among others: hold_back().
  [[nodiscard]] PointResults results_of(const Asked& asked) const;

  void change_clock(double clock_mhz);
  void ask_for_dense_pass(const Ask& ask);
  void ask_for_all(Asked& asked, const Ask& ask);
  void ask_for(Asked& asked, std::size_t point, const Ask& ask);
  /// Whether the clock has changed to what the board affords.
  [[nodiscard]] bool slow_down();
  /// Whether some products run dense that could run sparse.
  [[nodiscard]] bool choose();

  const Experiment& experiment_;
  const MachineSpec& as_built_;
  const Network& network_;
  StudyMachines& machines_;
  /// At the present clock.
  const StudyMachine* machine_ = nullptr;
  double gain_error_;
  /// Everything sparse that can be, and what the choice follows from.
  Asked undecided_;
  std::vector<LayerOptions> options_;
  /// What is chosen, and the points of the plan with it; empty where nothing is left dense.
  DenseChoices choices_;
  Asked chosen_;
  /// Those rows of the plan that the clock follows from: all rows would be much to keep.
  MachinePlan dense_pass_;
  std::vector<const AskedJob*> asked_;
  int clocks_tried_ = 0;
  bool has_asked_for_all_ = false;
  bool has_chosen_ = false;
};

}  // namespace stcsim
