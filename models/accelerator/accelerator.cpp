#include "models/accelerator/accelerator.hpp"

#include <algorithm>
#include <new>
#include <string_view>
#include <systemc>
#include <utility>

#include "common/error.hpp"
#include "models/accelerator/block_diagram.hpp"
#include "models/fast_forward/fast_forward.hpp"

/// SystemC's library wants this symbol; our programs have a main() of their own.
int sc_main(int, char**) {
  return 0;
}

namespace stcsim {
namespace {

/// Counting activations takes a look at every SM.
constexpr std::int64_t kStepsToAQuestion = 256;

/// First few units that wait for something, for the deadlock report.
std::string describe_deadlock(BlockDiagram& machine) {
  constexpr int kMostLines = 6;
  std::string text = "the machine is deadlocked";
  int lines = 0;
  const auto add = [&](const Unit& unit) {
    const std::string waiting = unit.waiting_for();
    if (!waiting.empty() && lines++ < kMostLines) text += "; " + waiting;
  };
  machine.for_each_simulated([&](const Unit& unit) {
    add(unit);
    for_each_below(unit, add);
  });
  return text;
}

/// Carries out what may find an error of SystemC's.
template <class Step>
void with_systemc(Step&& step) {
  try {
    step();
  } catch (const sc_core::sc_report& report) {
    // SystemC keeps the text of what a process threw.
    if (report.get_msg() == std::string_view(std::bad_alloc().what())) throw std::bad_alloc();
    throw SimulationError(report.get_msg());
  }
}

/// Before the first launch: units find out what their ports are bound to.
void elaborate() {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) return;
  with_systemc([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
}

/// Runs until nothing is left to happen, or the limit is passed.
void simulate(BlockDiagram& machine) {
  with_systemc([&] {
    do {
      sc_core::sc_start();  // may still have the pause of an earlier launch before it
    } while (sc_core::sc_pending_activity() && !machine.router->is_over_limit());
  });
}

/// Gives up whatever was planned.
void prepare(BlockDiagram& machine, std::int64_t ctas, bool together) {
  machine.router->launch(together, ctas);
  for (const auto& sm : machine.sms) sm->prepare(together);
  for (ClocklessUnit* const unit : machine.shared_units()) unit->disarm();
}

/// Resets all units that are going to be simulated.
void launch(BlockDiagram& machine, const KernelLaunch& kernel, bool together) {
  machine.shared.clock.restart();
  machine.shared.sets.forget_many();
  prepare(machine, kernel.ctas(), together);
  machine.for_each_simulated([&](ActiveUnit& unit) { unit.launch(kernel); });
  machine.cta_scheduler->wake(machine.cta_scheduler->core.first_dispatch());
}

std::vector<UnitTotals> totals(const BlockDiagram& machine, Cycle end) {
  StatisticsSum sum;
  for (const Unit* const unit : machine.telling_units()) unit->add_statistics(sum, end);
  return in_order_of_outputs(sum.totals());
}

UnitTree tree_of(const Unit& unit) {
  UnitTree tree{unit.basename(), std::string(unit.what().name), std::string(unit.what().help), {}};
  for (const Unit* const child : unit.children()) tree.children.push_back(tree_of(*child));
  return tree;
}

}  // namespace

/// Tells a WaveWatcher of the waves of a launch, and leaves out of the grid what that wants left
/// out: the CTAs at work go on, and those that follow are of a later part of the grid.
class GridCutter : public ProgressObserver {
 public:
  /// @param fast_forward  is told what happens too, if the launch is to be skipped through
  GridCutter(BlockDiagram& machine, FastForward& fast_forward)
      : machine_(machine), fast_forward_(fast_forward) {}

  /// Watches the launch of `kernel` that has just been prepared.
  void start(const KernelLaunch& kernel, WaveWatcher& watcher, bool is_skipped_through);

  void step_read(std::int64_t sm, std::int64_t slot) override;
  void cta_dispatched(std::int64_t sm) override;

 private:
  void leave_out(std::int64_t ctas);

  BlockDiagram& machine_;
  FastForward& fast_forward_;
  WaveWatcher* watcher_ = nullptr;
  bool is_skipped_through_ = false;
  std::int64_t wave_ = 1;  // CTAs
  std::int64_t next_ = 1;  // CTAs given out when the next wave is
  std::int64_t left_out_ = 0;
  std::int64_t steps_read_ = 0;  // by any CTA that is simulated
  std::int64_t events_before_ = 0;
};

void GridCutter::start(const KernelLaunch& kernel, WaveWatcher& watcher, bool is_skipped_through) {
  watcher_ = &watcher;
  is_skipped_through_ = is_skipped_through;
  wave_ = next_ = machine_.shared.sets.sms() * kernel.ctas_per_sm;
  left_out_ = steps_read_ = 0;
  events_before_ = machine_.activations();
}

void GridCutter::step_read(std::int64_t sm, std::int64_t slot) {
  if (is_skipped_through_) fast_forward_.step_read(sm, slot);
  if (++steps_read_ % kStepsToAQuestion != 0) return;
  if (watcher_->gives_up(machine_.activations() - events_before_)) machine_.router->give_up();
}

void GridCutter::cta_dispatched(std::int64_t sm) {
  if (is_skipped_through_) fast_forward_.cta_dispatched(sm);
  const std::int64_t next_cta = machine_.cta_scheduler->core.dispatched();
  const std::int64_t given = next_cta - left_out_;
  if (given < next_) return;
  next_ = (given / wave_ + 1) * wave_;
  const std::int64_t ctas = watcher_->wave_given_out(
      {given, next_cta, machine_.shared.clock.now(), machine_.activations() - events_before_,
       machine_.l2_cache->core.hit_bytes(), machine_.dram->core.read_bytes(),
       machine_.dram->core.waiting_write_bytes()});
  if (ctas > 0) leave_out(ctas);
}

void GridCutter::leave_out(std::int64_t ctas) {
  left_out_ += ctas;
  machine_.cta_scheduler->core.leave_out(ctas);
  machine_.router->skip_ctas(ctas);
  if (is_skipped_through_) fast_forward_.forget();
}

Accelerator::Accelerator(const AcceleratorConfig& config, std::uint64_t construction_seed)
    : machine_(new BlockDiagram(sc_core::sc_gen_unique_name("accelerator", true), config,
                                construction_seed)),
      fast_forward_(std::make_unique<FastForward>(*machine_)),
      grid_cutter_(std::make_unique<GridCutter>(*machine_, *fast_forward_)) {}

Accelerator::~Accelerator() {
  prepare(*machine_, 0, false);
  fast_forward_->stop();
}

void Accelerator::tell(Datapath* datapath, ProgressObserver* observer) {
  if (datapath == datapath_ && observer == observer_) return;
  machine_->for_each_acting([&](ActiveUnit& unit) { unit.tell(datapath, observer); });
  datapath_ = datapath;
  observer_ = observer;
}

UnitTree Accelerator::tree() const {
  return tree_of(*machine_);
}

LaunchStatistics Accelerator::blank_statistics() const {
  return {Cycles(), totals(*machine_, Cycle())};
}

void Accelerator::change_clock(const CtaSchedulerConfig& scheduler, const DramConfig& dram) {
  machine_->cta_scheduler->core.change(scheduler);
  machine_->dram->core.change(dram);
}

std::optional<LaunchStatistics> Accelerator::run(const KernelLaunch& kernel,
                                                 const RunOptions& options) {
  BlockDiagram& machine = *machine_;
  const std::int64_t activations_before = machine.activations();
  const bool fast_forward = options.fast_forward && options.datapath == nullptr;
  ProgressObserver* observer = fast_forward ? fast_forward_.get() : nullptr;
  if (options.watcher != nullptr) observer = grid_cutter_.get();
  tell(options.datapath, observer);
  elaborate();
  launch(machine, kernel, fast_forward);
  if (options.watcher != nullptr) grid_cutter_->start(kernel, *options.watcher, fast_forward);
  machine.router->set_limit(options.limit, options.least_cta_cycles);
  if (fast_forward) {
    fast_forward_->start(kernel);
  } else {
    fast_forward_->stop();
    machine.router->after_cycle = options.look;
    if (options.look) machine.router->request_call(options.look_at);
  }
  simulate(machine);
  std::optional<Cycle> end = machine.cta_scheduler->core.ended();
  if (end) {
    end = std::max({*end, machine.dram->core.ends_at(), machine.l2_cache->core.ends_at()});
  }
  const bool is_too_late = end && options.limit && *end > Cycle() + *options.limit;
  if (is_too_late || (!end && machine.router->is_over_limit())) return std::nullopt;
  if (!end) throw SimulationError(describe_deadlock(machine));
  machine.for_each_simulated([&](ActiveUnit& unit) { unit.finish(*end); });
  machine.router->alike().restore_counters();
  return LaunchStatistics{*end - Cycle(), totals(machine, *end),
                          machine.activations() - activations_before};
}

std::string statistic_names(AcceleratorConfig config) {
  config.num_sms = 1;
  Accelerator machine(config);
  StatisticsSum sum;
  for (const Unit* const unit : machine.diagram().telling_units()) {
    unit->add_statistics(sum, Cycle());
  }
  std::string names;
  for (const UnitTotals& totals : sum.totals()) {
    names += totals.unit;
    for (const auto& [bucket, cycles] : totals.buckets) names += " " + bucket;
    for (const Counter& counter : totals.counters) {
      names += " " + counter.name + "(" + counter.unit + ")";
    }
    names += "\n";
  }
  return names;
}

}  // namespace stcsim
