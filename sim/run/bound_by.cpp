#include "sim/run/bound_by.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace stcsim {
namespace {

/// Cycles in which the busiest unit works, and in which the others do.
struct Work {
  double busiest = 0;
  double others = 0;
};

/// One of so many waves. Units that all SMs share work for `shared` of all CTAs in it.
Work work_of_wave(const Demands& demands, double waves, double shared) {
  const std::array units{demands.math / waves,      demands.port() / waves,
                         demands.issue / waves,     demands.memory_bus / waves,
                         demands.l2_cache * shared, demands.dram * shared};
  const double busiest = *std::ranges::max_element(units);
  return {busiest, std::accumulate(units.begin(), units.end(), 0.0) - busiest};
}

Work work_of(const Demands& demands, const CtaRounds& rounds) {
  const double waves = rounds.waves();
  const double shared = rounds.at_once ? 1 : 1 / rounds.rounds;
  const Work full = work_of_wave(demands, waves, shared);
  const Work last = work_of_wave(demands, waves, 1 - (waves - 1) * shared);
  return {(waves - 1) * full.busiest + last.busiest, (waves - 1) * full.others + last.others};
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// What instructions pass one after the other: the resource, and the unit that tells of it.
constexpr std::array<std::pair<const char*, std::string_view>, 4> kStages{
    {{"multipliers", "multipliers"},
     {"register_file", "register_file"},
     {"operand_selector", "operand_selector"},
     {"metadata", "metadata_buffer"}}};

CtaRounds rounds_of(const MachineConfig& machine, const KernelReport& kernel) {
  const double per_sm = real(kernel.ctas) / real(machine.accelerator.num_sms);
  if (kernel.waves > 1) return {kernel.waves, false};
  return {per_sm > 0 ? per_sm : 1, true};
}

class Judge {
 public:
  Judge(const MachineConfig& machine, const LaunchResult& launch)
      : hardware_(machine.accelerator),
        launch_(launch),
        rounds_(rounds_of(machine, launch.kernel)),
        cycles_(real(std::max<std::int64_t>(launch.cycles, 1))) {
    split_time();
    find_demands();
  }

  std::string verdict() {
    constexpr double kWorthNaming = 0.1;
    const MainLoop loop(rounds_, demands_, main_loop_);
    add_math(loop);
    add_memory(loop);
    add_times(loop);
    add_ctas(loop);
    const auto most = std::ranges::max_element(
        savings_, [](const auto& one, const auto& other) { return one.second < other.second; });
    return most->second < kWorthNaming * cycles_ ? "unclear" : most->first;
  }

 private:
  /// Cycles of a unit of the SM with most CTAs in some of its buckets; 0 without that unit.
  [[nodiscard]] double of_sm(std::string_view unit,
                             std::initializer_list<std::string_view> buckets) const {
    return in_mean(unit, buckets) * rounds_.most() / rounds_.rounds;
  }

  /// The same of the mean of all instances.
  [[nodiscard]] double in_mean(std::string_view unit,
                               std::initializer_list<std::string_view> buckets) const {
    for (const UnitReport& report : launch_.units) {
      if (report.unit != unit || report.instances == 0) continue;
      std::int64_t cycles = 0;
      for (const auto& [name, value] : report.buckets) {
        if (std::find(buckets.begin(), buckets.end(), name) != buckets.end()) cycles += value;
      }
      return real(cycles) / real(report.instances);
    }
    return 0;
  }

  /// Cycles in which DRAM moves what a counter tells.
  [[nodiscard]] double dram_cycles(std::string_view counter) const {
    for (const Counter& one : launch_.counters) {
      if (one.name != counter) continue;
      return real(one.value) / real(hardware_.dram.bytes_per_clk_of(launch_.mma_instructions > 0));
    }
    return 0;
  }

  void split_time() {
    const std::int64_t launches = launch_.kernel.split_k > 1 ? 2 : 1;
    launching_ = real(launches * hardware_.cta_scheduler.launch_cycles +
                      hardware_.cta_scheduler.cta_setup_cycles);
    const double vector = in_mean("vector_unit", {"busy", "issue_gap"});
    is_vector_ = vector > in_mean("tensor_core", {"busy", "issue_gap"});
    math_ = is_vector_ ? "vector_unit" : "tensor_core";
    const double waiting_memory = of_sm(math_, {"waiting_memory"});
    const double active =
        waiting_memory +
        of_sm(math_, {"busy", "issue_gap", "waiting_shared_memory", "waiting_dependency"});
    const double first_data =
        real(hardware_.l2_cache.far_hit_cycles + hardware_.dram.latency_cycles);
    first_waits_ = std::min(rounds_.waves() * first_data, waiting_memory);
    const double body = std::max(cycles_ - launching_, 1.0);
    main_loop_ = std::max(std::min(active, body) - first_waits_, 1.0);
    outside_ = std::max(body - active, 0.0);
    storing_ =
        of_sm("epilogue", {"setup", "waiting_source", "waiting_shared_memory", "waiting_bus"});
    shown_ = storing_ > 0 ? std::min(outside_ / storing_, 1.0) : 0;
  }

  void find_demands() {
    demands_.math = of_sm(math_, {"busy", "issue_gap"});
    demands_.fetch = of_sm("shared_memory", {"fetch"});
    demands_.fill = of_sm("shared_memory", {"fill"});
    demands_.staging = of_sm("shared_memory", {"staging"}) * (1 - shown_);
    const double issuing = of_sm("copy_engine", {"issuing"});
    demands_.issue = issuing > demands_.fill ? issuing : 0;
    // Barriers keep busier multipliers waiting; of a busier port they only tell.
    if (demands_.math >= demands_.port()) between_groups_ = of_sm(math_, {"waiting_dependency"});
    demands_.math += between_groups_;
    demands_.memory_bus = of_sm("memory_bus_read", {"busy"});
    demands_.l2_cache =
        std::max(in_mean("l2_cache_read", {"busy"}), in_mean("l2_cache_write", {"busy"}));
    find_demands_on_dram();
  }

  void find_demands_on_dram() {
    // Writes give way to reads, but where DRAM is hardly ever idle they have no time of their own.
    constexpr double kHardlyIdle = 0.95;
    const double written = dram_cycles("dram_write_bytes");
    demands_.dram = dram_cycles("dram_read_bytes");
    dram_needs_ = demands_.dram + written;
    if (dram_needs_ >= kHardlyIdle * cycles_) demands_.dram = dram_needs_;
  }

  void add(const char* name, double cycles, bool needs_dram = true) {
    const double most = needs_dram ? cycles_ - dram_needs_ : cycles_;
    savings_.emplace_back(name, std::min(cycles, most));
  }

  /// The slowest of the stages sets the pace of all.
  void add_math(const MainLoop& loop) {
    Demands without = demands_;
    without.math = 0;
    if (is_vector_) return add("vector_unit", loop.saved_by(without));
    for (const auto& freed : kStages) {
      double slowest = 0;
      double others = 0;
      for (const auto& stage : kStages) {
        const double busy = of_sm(stage.second, {"busy", "filling"});
        slowest = std::max(slowest, busy);
        if (stage.first != freed.first) others = std::max(others, busy);
      }
      without.math = demands_.math - (slowest - others);
      add(freed.first, loop.saved_by(without));
    }
  }

  void add_memory(const MainLoop& loop) {
    const double on_bus = of_sm("memory_bus_write", {"busy"});
    const double prepared = of_sm("epilogue", {"setup", "waiting_source"});
    const auto without = [&](std::initializer_list<double Demands::*> units) {
      Demands left = demands_;
      for (double Demands::*const unit : units) left.*unit = 0;
      return loop.saved_by(left);
    };
    const auto stored_faster = [&](double left) { return shown_ * std::max(storing_ - left, 0.0); };
    add("shared_memory_port",
        without({&Demands::fetch, &Demands::staging}) + stored_faster(prepared + on_bus));
    add("fill", without({&Demands::fill, &Demands::issue}));
    add("memory_bus", without({&Demands::memory_bus}) +
                          shown_ * std::min(of_sm("epilogue", {"waiting_bus"}), on_bus));
    add("l2_cache", without({&Demands::l2_cache}));
    add("dram", without({&Demands::dram}), false);
    add("epilogue", without({&Demands::staging}) + stored_faster(on_bus));
  }

  void add_times(const MainLoop& loop) {
    Demands without = demands_;
    without.math -= of_sm(math_, {"issue_gap"}) + between_groups_;
    add("latencies", first_waits_ + loop.saved_by(without) + loop.idle());
    add("launch", launching_);
  }

  void add_ctas(const MainLoop& loop) {
    const double full = std::floor(rounds_.rounds);
    if (full >= 1 && full < rounds_.rounds) {
      const double left = full / rounds_.most();
      add("last_wave", loop.saved_by(demands_.with_share_of_sm(left), {full, rounds_.at_once}) +
                           (1 - left) * (first_waits_ + outside_));
    }
    const std::int64_t parts = hardware_.num_sms / std::max<std::int64_t>(launch_.kernel.ctas, 1);
    if (parts > 1) {
      add("too_few_ctas", loop.saved_by(demands_.with_share_of_sm(1 / real(parts))));
    }
  }

  const AcceleratorConfig& hardware_;
  const LaunchResult& launch_;
  CtaRounds rounds_;
  double cycles_;
  bool is_vector_ = false;
  std::string_view math_;
  // Of the SM with most CTAs, one after the other: until its first CTA begins; until the first data
  // of each wave come; in main loops; the rest, in which it stores what main loops do not hide.
  double launching_ = 0;
  double first_waits_ = 0;
  double main_loop_ = 0;
  double outside_ = 0;
  /// All storing, and the share of it that main loops do not hide.
  double storing_ = 0;
  double shown_ = 0;
  Demands demands_;
  /// Of `demands_.math`, the wait for a barrier or the last result.
  double between_groups_ = 0;
  /// For what the launch reads and writes: it takes no less.
  double dram_needs_ = 0;
  std::vector<std::pair<const char*, double>> savings_;
};

}  // namespace

double CtaRounds::most() const {
  return std::ceil(rounds);
}

Demands Demands::with_share_of_sm(double share) const {
  return {math * share,       fetch * share, fill * share, staging * share,
          memory_bus * share, l2_cache,      dram,         issue * share};
}

MainLoop::MainLoop(const CtaRounds& rounds, const Demands& demands, double cycles)
    : rounds_(rounds), cycles_(cycles) {
  const Work work = work_of(demands, rounds);
  if (work.others > 0) in_turn_ = std::clamp((cycles - work.busiest) / work.others, 0.0, 1.0);
  modelled_ = model(demands, rounds);
}

double MainLoop::model(const Demands& demands, const CtaRounds& rounds) const {
  const Work work = work_of(demands, rounds);
  return work.busiest + in_turn_ * work.others;
}

double MainLoop::saved_by(const Demands& instead, const CtaRounds& rounds) const {
  if (modelled_ <= 0) return 0;
  // Where the busiest unit works longer than all waves take, something in them is not as modelled.
  const double scale = std::min(cycles_ / modelled_, 1.0);
  return scale * std::max(modelled_ - model(instead, rounds), 0.0);
}

std::string bound_by(const MachineConfig& machine, const LaunchResult& launch) {
  return Judge(machine, launch).verdict();
}

}  // namespace stcsim
