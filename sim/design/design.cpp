#include "sim/design/design.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

WorkPart part_of(const DesignQuestion& question, const Space& space) {
  if (!question.of && space.has_gemms && space.has_steps) {
    throw ConfigError(fmt::format(
        "space '{}' has GEMMs and networks: --of must say which of them counts", space.name));
  }
  const WorkPart part = question.of.value_or(space.has_gemms ? WorkPart::gemm : WorkPart::step);
  if (space.has(kind_of(part))) return part;
  throw ConfigError(fmt::format("--of is '{}', but space '{}' has no {}", to_string(part),
                                space.name, part == WorkPart::gemm ? "gemms" : "networks"));
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

/// The question, and what of its answer is known at once.
Design asked(Space space, const DesignOptions& options) {
  Design design{DesignSpace(std::move(space))};
  const DesignQuestion& question = options.question;
  design.question = question;
  design.of = part_of(question, design.space.space());
  design.against = question.against.value_or(question.at_least ? Against::same : Against::base);
  design.area_table = options.areas.name;
  design.machines = static_cast<std::int64_t>(design.space.lattice().count());
  return design;
}

class Designer {
 public:
  Designer(Space space, const DesignOptions& options, std::filesystem::path results)
      : design_(asked(std::move(space), options)),
        question_(options.question),
        measures_(space_, options.areas),
        runner_(space_, design_.of, std::move(results), options.sweep, options.on_machines) {}

  Design design() {
    design_.work = runner_.work();
    design_.ideal = ideal_of(design_.work, design_.of);
    read_budgets();
    if (question_.at_least) design_.goal = goal(design_.ideal);
    MachineSearch search = this->search();
    runner_.prepare({0, space_.lattice().largest()});
    const std::size_t answer = find(search);
    design_.searched = std::ssize(runner_.known());
    explain(answer);
    design_.simulated = std::ssize(runner_.known());
    design_.unevenness = unevenness_of_all();
    return std::move(design_);
  }

 private:
  [[nodiscard]] double goal(const std::optional<double>& ideal) const {
    const SpeedupGoal& goal = *question_.at_least;
    if (!goal.is_share) return goal.value;
    if (ideal) return goal.value * *ideal;
    throw ConfigError(
        "--at-least is a share of m/n, for which the work must be GEMMs of one pattern; must be a "
        "speedup here, such as 1.5");
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
    for (const auto& [name, most] : question_.budgets) {
      const auto measure = measures_.named(name);
      if (!measure) {
        most_watts_ = most;
        continue;
      }
      for (std::size_t machine = 0; machine < is_allowed_.size(); ++machine) {
        is_allowed_[machine] = is_allowed_[machine] && (*measure)[machine] <= most;
      }
      if (is_allowed_.front()) continue;
      throw ConfigError(fmt::format("--max {}={}: the machine to begin with has {:.6g} already",
                                    name, most, measure->front()));
    }
  }

  [[nodiscard]] MachineSearch search() {
    SearchProblem problem(space_.lattice());
    const auto least = measures_.named(question_.least);
    if (!least) {
      throw ConfigError(
          "--least is 'watts', must be known before a machine is simulated: area, "
          "dram_gb_per_s or a key");
    }
    problem.cost = *least;
    problem.second_cost = measures_.areas_mm2();
    problem.is_allowed = is_allowed_;
    problem.against = design_.against;
    problem.slack = question_.slack;
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

  [[nodiscard]] std::size_t find(MachineSearch& search) {
    const bool is_exhaustive = question_.is_exhaustive;
    if (is_exhaustive) prepare_all();
    const auto cheapest = [&](double speedup) {
      return is_exhaustive ? search.cheapest_of_all(speedup) : search.cheapest(speedup);
    };
    if (question_.at_least) {
      const std::optional<std::size_t> found = cheapest(design_.goal);
      design_.is_reached = found.has_value();
      if (found) return *found;
    }
    const std::optional<double> most =
        is_exhaustive ? search.most_speedup_of_all() : search.most_speedup();
    if (!most) throw ConfigError("no machine of the space is within --max watts");
    if (!question_.at_least) {
      design_.goal = *most;
      design_.is_reached = true;
    }
    return *cheapest(*most / (1 + kAsFast));
  }

  void prepare_all() {
    std::vector<std::size_t> all;
    for (std::size_t machine = 0; machine < is_allowed_.size(); ++machine) {
      if (is_allowed_[machine]) all.push_back(machine);
    }
    runner_.prepare(all);
  }

  [[nodiscard]] DesignMachine machine(std::size_t number) {
    const WorkFigures& work = runner_.of(number);
    return {number,
            measures_.areas_mm2()[number],
            measures_.area_ratio(number),
            measures_.dram_gb_per_s(number),
            work,
            work.speedup(),
            runner_.of(0).dense_time_us / work.time_us};
  }

  void explain(std::size_t answer) {
    const Lattice& lattice = space_.lattice();
    const TimesOf times{[this](std::size_t one) { return runner_.of(one).time_us; },
                        [this](const std::vector<std::size_t>& all) { runner_.prepare(all); }};
    design_.base = machine(0);
    design_.answer = machine(answer);
    design_.largest = machine(lattice.largest());
    design_.way = way_up(lattice, 0, answer, times);
    for (const GrowthStep& step : design_.way) {
      design_.way_machines.push_back(machine(step.machine));
    }
    const auto largest = [&](std::size_t at) { return lattice.size(at) - 1; };
    const std::vector<double> alone = gains_of_each(lattice, 0, largest, times);
    const std::vector<double> without = gains_of_each(
        lattice, answer, [](std::size_t) { return std::size_t{0}; }, times);
    const std::vector<double> beyond = gains_of_each(lattice, answer, largest, times);
    for (std::size_t at = 0; at < lattice.resources(); ++at) {
      const double area = measures_.area_ratio(lattice.with(0, at, largest(at))) - 1;
      design_.resources.push_back(
          {order_in(design_.way, at), alone[at], area, 1 / (1 + without[at]) - 1, beyond[at]});
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

  Design design_;
  const DesignSpace& space_ = design_.space;
  const DesignQuestion& question_;
  MachineMeasures measures_;
  WorkRunner runner_;
  std::vector<bool> is_allowed_;
  std::optional<double> most_watts_;
};

}  // namespace

Design find_design(Space space, const DesignOptions& options, std::filesystem::path results) {
  return Designer(std::move(space), options, std::move(results)).design();
}

}  // namespace stcsim
