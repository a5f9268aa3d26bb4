#include "sim/design/design.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/design/lattice.hpp"
#include "sim/design/machine_measures.hpp"
#include "sim/design/work_runner.hpp"

namespace stcsim {
namespace {

WorkPart part_of(const DesignQuestion& question, const Space& space) {
  if (!question.of && space.has_gemms && space.has_steps) {
    throw ConfigError(fmt::format(
        "space '{}' has GEMMs and networks: --of must say which of them counts", space.name));
  }
  const WorkPart part = question.of.value_or(space.has_gemms ? WorkPart::gemm : WorkPart::step);
  if (space.has(kind_of(part))) return part;
  throw ConfigError(fmt::format("--of is '{}', but space '{}' has no {}", name_of(part), space.name,
                                part == WorkPart::gemm ? "gemms" : "networks"));
}

/// m/n of GEMMs that have one pattern.
std::optional<double> ideal_of(const std::vector<SweepPoint>& work, WorkPart part) {
  if (part != WorkPart::gemm) return std::nullopt;
  const Pattern& pattern = work.front().gemm.a_pattern;
  const bool is_one = std::all_of(work.begin(), work.end(), [&](const SweepPoint& point) {
    return point.gemm.a_pattern == pattern;
  });
  if (!is_one) return std::nullopt;
  return static_cast<double>(pattern.m) / static_cast<double>(pattern.n);
}

class Designer {
 public:
  Designer(Space space, const DesignOptions& options, std::filesystem::path results)
      : space_(std::move(space)),
        options_(options),
        part_(part_of(options.question, space_.space())),
        measures_(space_, options.areas),
        runner_(space_, part_, std::move(results), options.sweep, options.on_machines) {}

  Design design() {
    Design design(space_);
    design.question = options_.question;
    design.of = part_;
    design.against = against();
    design.work = runner_.work();
    design.ideal = ideal_of(design.work, part_);
    design.area_table = options_.areas.name;
    design.machines = static_cast<std::int64_t>(space_.lattice().count());
    read_budgets();
    if (options_.question.at_least) design.goal = goal(design.ideal);
    MachineSearch search = this->search();
    runner_.prepare({0, space_.lattice().largest()});
    find(design, search);
    design.searched = machines_known();
    explain(design);
    design.simulated = machines_known();
    design.unevenness = unevenness_of_all();
    return design;
  }

 private:
  [[nodiscard]] Against against() const {
    const DesignQuestion& question = options_.question;
    return question.against.value_or(question.at_least ? Against::same : Against::base);
  }

  [[nodiscard]] double goal(const std::optional<double>& ideal) const {
    const SpeedupGoal& goal = *options_.question.at_least;
    if (!goal.is_share) return goal.value;
    if (ideal) return goal.value * *ideal;
    throw ConfigError(
        "--at-least is a share of m/n, for which the work must be GEMMs of one pattern; must be a "
        "speedup here, such as 1.5");
  }

  [[nodiscard]] std::int64_t machines_known() const {
    return static_cast<std::int64_t>(runner_.known().size());
  }

  [[nodiscard]] double unevenness_of_all() {
    const auto own = [this](std::size_t machine) { return runner_.of(machine).time_us; };
    const auto dense = [this](std::size_t machine) { return runner_.of(machine).dense_time_us; };
    const std::vector<std::size_t> all = runner_.known();
    return std::max(unevenness(space_.lattice(), all, own),
                    unevenness(space_.lattice(), all, dense));
  }

  void read_budgets() {
    is_allowed_.assign(space_.lattice().count(), true);
    for (const auto& [name, most] : options_.question.budgets) {
      const Measure measure = measures_.named(name);
      if (measure.kind == Measure::Kind::watts) {
        most_watts_ = most;
        continue;
      }
      for (std::size_t machine = 0; machine < is_allowed_.size(); ++machine) {
        is_allowed_[machine] = is_allowed_[machine] && measures_.of(measure, machine) <= most;
      }
      if (is_allowed_.front()) continue;
      throw ConfigError(fmt::format("--max {}={}: the machine to begin with has {:.6g} already",
                                    name, most, measures_.of(measure, 0)));
    }
  }

  [[nodiscard]] MachineSearch search() {
    SearchProblem problem(space_.lattice());
    const Measure least = measures_.named(options_.question.least);
    if (least.kind == Measure::Kind::watts) {
      throw ConfigError(
          "--least is 'watts', must be known before a machine is simulated: area, "
          "dram_gb_per_s or a key");
    }
    for (std::size_t machine = 0; machine < space_.lattice().count(); ++machine) {
      problem.cost.push_back(measures_.of(least, machine));
      problem.second_cost.push_back(measures_.area_mm2(machine));
    }
    problem.is_allowed = is_allowed_;
    problem.against = against();
    problem.slack = options_.question.slack;
    problem.simulate = [this](std::size_t machine) {
      const WorkFigures& work = runner_.of(machine);
      return MachineTimes{work.time_us, work.dense_time_us};
    };
    problem.accepts = [this](std::size_t machine) { return is_within_watts(machine); };
    return MachineSearch(std::move(problem));
  }

  [[nodiscard]] bool is_within_watts(std::size_t machine) {
    if (!most_watts_) return true;
    const std::optional<double> watts = runner_.of(machine).watts();
    if (watts) return *watts <= *most_watts_;
    throw ConfigError(
        "--max watts: nobody says what the board draws; the work must be GEMMs or whole steps, and "
        "the machine's file must have 'power'");
  }

  void find(Design& design, MachineSearch& search) {
    const bool is_exhaustive = options_.question.is_exhaustive;
    if (is_exhaustive) prepare_all();
    const auto cheapest = [&](double speedup) {
      return is_exhaustive ? search.cheapest_of_all(speedup) : search.cheapest(speedup);
    };
    std::optional<std::size_t> found;
    if (options_.question.at_least) {
      found = cheapest(design.goal);
      design.is_reached = found.has_value();
    }
    if (!found) {
      const std::optional<double> most =
          is_exhaustive ? search.most_speedup_of_all() : search.most_speedup();
      if (!most) throw ConfigError("no machine of the space is within --max watts");
      if (!options_.question.at_least) {
        design.goal = *most;
        design.is_reached = true;
      }
      found = cheapest(*most / (1 + kAsFast));
    }
    answer_ = *found;
  }

  void prepare_all() {
    std::vector<std::size_t> all;
    for (std::size_t machine = 0; machine < is_allowed_.size(); ++machine) {
      if (is_allowed_[machine]) all.push_back(machine);
    }
    runner_.prepare(all);
  }

  [[nodiscard]] DesignMachine machine(std::size_t number) {
    DesignMachine machine;
    machine.machine = number;
    machine.area_mm2 = measures_.area_mm2(number);
    machine.area_ratio = measures_.area_ratio(number);
    machine.dram_gb_per_s = measures_.dram_gb_per_s(number);
    machine.work = runner_.of(number);
    machine.speedup_same = machine.work.speedup();
    machine.speedup_base = runner_.of(0).dense_time_us / machine.work.time_us;
    return machine;
  }

  void explain(Design& design) {
    const Lattice& lattice = space_.lattice();
    const TimesOf times{[this](std::size_t one) { return runner_.of(one).time_us; },
                        [this](const std::vector<std::size_t>& all) { runner_.prepare(all); }};
    design.base = machine(0);
    design.answer = machine(answer_);
    design.largest = machine(lattice.largest());
    design.way = way_up(lattice, 0, answer_, times);
    for (const GrowthStep& step : design.way) design.way_machines.push_back(machine(step.machine));
    const auto largest = [&](std::size_t at) { return lattice.size(at) - 1; };
    const std::vector<double> alone = gains_of_each(lattice, 0, largest, times);
    const std::vector<double> without = gains_of_each(
        lattice, answer_, [](std::size_t) { return std::size_t{0}; }, times);
    const std::vector<double> beyond = gains_of_each(lattice, answer_, largest, times);
    for (std::size_t at = 0; at < lattice.resources(); ++at) {
      const double area = measures_.area_ratio(lattice.with(0, at, largest(at))) - 1;
      design.resources.push_back(
          {order_in(design.way, at), alone[at], area, 1 / (1 + without[at]) - 1, beyond[at]});
    }
  }

  [[nodiscard]] static std::size_t order_in(const std::vector<GrowthStep>& way,
                                            std::size_t resource) {
    for (std::size_t step = 0; step < way.size(); ++step) {
      const std::vector<std::size_t>& grown = way[step].resources;
      if (std::find(grown.begin(), grown.end(), resource) != grown.end()) return step + 1;
    }
    return 0;
  }

  DesignSpace space_;
  const DesignOptions& options_;
  WorkPart part_;
  MachineMeasures measures_;
  WorkRunner runner_;
  std::vector<bool> is_allowed_;
  std::optional<double> most_watts_;
  std::size_t answer_ = 0;
};

}  // namespace

Design find_design(Space space, const DesignOptions& options, std::filesystem::path results) {
  return Designer(std::move(space), options, std::move(results)).design();
}

}  // namespace stcsim
