#include "models/accelerator/accelerator.hpp"

#include <systemc>

#include "common/error.hpp"
#include "models/accelerator/modules.hpp"
#include "models/accelerator/statistics_sum.hpp"
#include "models/fast_forward/fast_forward.hpp"

/// SystemC's library wants this symbol; our programs have a main() of their own.
int sc_main(int, char**) {
  return 0;
}

namespace stcsim {
namespace {

template <class Core>
void launch_core(Core& core, const KernelLaunch& kernel) {
  if constexpr (requires { core.launch(kernel); }) {
    core.launch(kernel);
  } else {
    core.launch();
  }
}

/// First few units that wait for something, for the deadlock report.
template <class Modules>
std::string describe_deadlock(Modules& modules) {
  constexpr int kMostLines = 6;
  std::string text = "the machine is deadlocked";
  int lines = 0;
  modules.for_each_active([&](auto& module) {
    if constexpr (requires { module.core.waiting_for(); }) {
      const std::string waiting = module.core.waiting_for();
      if (!waiting.empty() && lines++ < kMostLines) text += "; " + waiting;
    }
  });
  return text;
}

/// Runs until nothing is left to happen, or the limit is passed.
template <class Modules>
void simulate(Modules& modules) {
  do {
    sc_core::sc_start();  // may still have the pause of an earlier launch before it
  } while (sc_core::sc_pending_activity() && !modules.router->is_over_limit());
}

/// Resets all modules that are going to be simulated.
template <class Modules>
void launch(Modules& modules, const KernelLaunch& kernel, Datapath* datapath, bool together) {
  modules.clock.restart();
  modules.sets.forget_many();
  modules.router->launch(together, kernel.ctas());
  for (SmModules& sm : modules.sms) sm.shell->launch(together);
  modules.for_each([&](auto& module) {
    module.disarm();
    if constexpr (requires { module.core.datapath; }) module.core.datapath = datapath;
  });
  modules.for_each_active([&](auto& module) { launch_core(module.core, kernel); });
  modules.cta_scheduler->wake(modules.cta_scheduler->core.first_dispatch());
}

}  // namespace

Accelerator::Accelerator(const AcceleratorConfig& config, std::uint64_t construction_seed)
    : modules_(std::make_unique<Modules>(config, construction_seed)),
      fast_forward_(std::make_unique<FastForward>(*modules_)) {}

Accelerator::~Accelerator() = default;

std::optional<LaunchStatistics> Accelerator::run(const KernelLaunch& kernel,
                                                 const RunOptions& options) {
  Modules& modules = *modules_;
  std::int64_t activations_before = modules.router->activations();
  modules.for_each([&](auto& module) { activations_before += module.activations(); });
  const bool fast_forward = options.fast_forward && options.datapath == nullptr;
  launch(modules, kernel, options.datapath, fast_forward);
  modules.router->set_limit(options.limit, options.least_cta_cycles);
  if (fast_forward) {
    fast_forward_->start(kernel);
  } else {
    fast_forward_->stop();
  }
  try {
    simulate(modules);
  } catch (const sc_core::sc_report& report) {
    throw SimulationError(report.get_msg());
  }
  std::optional<Cycle> end = modules.cta_scheduler->core.ended();
  if (end) end = std::max(*end, modules.dram->core.ends_at());
  if (options.limit && (end ? *end > Cycle() + *options.limit : modules.router->is_over_limit())) {
    return std::nullopt;
  }
  if (!end) throw SimulationError(describe_deadlock(modules));
  modules.for_each_active([&](auto& module) {
    if constexpr (requires { module.core.finish(*end); }) module.core.finish(*end);
  });
  modules.router->alike().restore_counters();
  LaunchStatistics statistics = sum_statistics(modules, *end);
  statistics.events -= activations_before;
  return statistics;
}

}  // namespace stcsim
