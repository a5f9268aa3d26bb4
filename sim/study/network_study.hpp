#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/study/network_rows.hpp"
#include "sim/study/point_runs.hpp"
#include "sim/study/study_machines.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {

/// A network of an experiment on one of its machines, on its way to its rows: at the machine's own
/// clock first, then, until that is what the board affords the dense step, at lower ones. What
/// only other schemes ask for is left until the clock is known (but not in a functional
/// experiment, which checks all of it at every clock). It asks for points in rounds: when all that
/// it asked for is answered, go_on() asks for more or says that it has all.
class NetworkStudy {
 public:
  using Ask = std::function<PointRun*(const StudyMachine&, const StudyPoint&)>;

  /// Everything must outlive it.
  NetworkStudy(const Experiment& experiment, const MachineSpec& as_built, const Network& network,
               StudyMachines& machines);

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
  [[nodiscard]] const std::vector<const PointRun*>& asked() const { return asked_; }
  /// The machine as it is now.
  [[nodiscard]] const MachineSpec& machine() const { return machine_->spec; }
  /// Forgets its points and their runs.
  void clear();

 private:
  void change_clock(double clock_mhz);
  void ask_for_dense_pass(const Ask& ask);
  void ask_for_all(const Ask& ask);
  void ask_for(std::size_t point, const Ask& ask);
  [[nodiscard]] PointResults results() const;
  /// Whether the clock has changed to what the board affords.
  [[nodiscard]] bool slow_down();

  const Experiment& experiment_;
  const MachineSpec& as_built_;
  const Network& network_;
  StudyMachines& machines_;
  /// At the present clock.
  const StudyMachine* machine_ = nullptr;
  std::vector<StudyPoint> points_;
  /// Those rows of the plan that the clock follows from: all rows would be much to keep.
  MachinePlan dense_pass_;
  /// By point; null if not asked for.
  std::vector<const PointRun*> runs_;
  std::vector<const PointRun*> asked_;
  int clocks_tried_ = 0;
  bool has_asked_for_all_ = false;
};

}  // namespace stcsim
