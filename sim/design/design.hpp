#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/design/machine_search.hpp"
#include "sim/design/work_runner.hpp"

namespace stcsim {

/// A speedup that machines must reach.
struct SpeedupGoal {
  /// A factor, or with `is_share` a share of m/n.
  double value = 1;
  bool is_share = false;
};

/// What machines must not exceed: "area", "watts", "dram_gb_per_s", a resource, or the ending of a
/// key that grows.
using Budget = std::pair<std::string, double>;

/// The fastest machine is the cheapest of those that are slower than the fastest by no more.
inline constexpr double kAsFast = 0.01;

/// What is asked of a space of machines: without a goal the fastest within the budgets, else the
/// one that reaches it with the least of something.
struct DesignQuestion {
  std::optional<SpeedupGoal> at_least;
  /// "area", or what a budget can name.
  std::string least = "area";
  std::vector<Budget> budgets;
  /// Without: on the same machine if there is a goal, else on the base machine.
  std::optional<Against> against;
  /// Without: the GEMMs of a space that has no networks, else the step.
  std::optional<WorkPart> of;
  /// Look at every machine.
  bool is_exhaustive = false;
  /// SearchProblem::slack.
  double slack = 0.01;
};

/// A machine of a design, and what it does.
struct DesignMachine {
  std::size_t machine = 0;
  double area_mm2 = 0;
  /// Of the base machine's.
  double area_ratio = 1;
  double dram_gb_per_s = 0;
  WorkFigures work;
  /// Dense on the same, and dense on the base machine / its time.
  double speedup_same = 1;
  double speedup_base = 1;
};

/// What a resource is to a design. Gains are of time: before / after - 1.
struct ResourceGains {
  /// Which step of the way up first grows it, from 1; 0 if none does.
  std::size_t order = 0;
  /// It alone at its largest, on the base machine.
  double alone = 0;
  /// What that takes, in parts of the base machine's area; 0 where the table has no area for it.
  double area = 0;
  /// What it gains on the answer: the answer without its growth / the answer - 1.
  double in_answer = 0;
  /// It alone at its largest, on the answer.
  double beyond = 0;
};

/// The answer to a question.
struct Design {
  explicit Design(DesignSpace of_machines) : space(std::move(of_machines)) {}

  DesignSpace space;
  DesignQuestion question;
  WorkPart of = WorkPart::gemm;
  Against against = Against::same;
  /// The work: points of the base machine.
  std::vector<SweepPoint> work;
  /// m/n, where all of the work is GEMMs of one pattern.
  std::optional<double> ideal;
  /// The speedup asked for; of the fastest machine, the one it has.
  double goal = 1;
  /// Whether a machine within the budgets reaches the goal.
  bool is_reached = false;
  DesignMachine base;
  /// The answer; where none reaches the goal, the cheapest that is as fast as the fastest
  /// (kAsFast).
  DesignMachine answer;
  /// Everything at its largest.
  DesignMachine largest;
  std::vector<ResourceGains> resources;
  std::vector<GrowthStep> way;
  /// The machines that the way passes, one a step.
  std::vector<DesignMachine> way_machines;
  std::string area_table;
  std::int64_t machines = 0;
  /// Machines simulated to find the answer, and with those to explain it.
  std::int64_t searched = 0;
  std::int64_t simulated = 0;
  /// unevenness() of all that were simulated, of the work's times as it is and dense.
  double unevenness = 0;
};

struct DesignOptions {
  DesignQuestion question;
  CostTable areas;
  SweepOptions sweep;
  /// Called with the number of machines simulated so far, and of all; may be empty.
  MachinesDone on_machines;
};

/// @param results  the sweep's file (SweepStore), which receives what is simulated; made only for a
///   question that makes sense
/// @throws ConfigError for a question that makes no sense of this space; SimulationError if a
///   machine's work cannot be simulated; StudyInterrupted
[[nodiscard]] Design find_design(Space space, const DesignOptions& options,
                                 std::filesystem::path results);

}  // namespace stcsim
