#include "models/accelerator/accelerator.hpp"

#include <systemc>

#include "common/error.hpp"
#include "models/accelerator/fast_forward.hpp"
#include "models/accelerator/modules.hpp"
#include "models/accelerator/statistics_sum.hpp"

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
  modules.for_each([&](auto& module) {
    if constexpr (requires { module.core.waiting_for(); }) {
      const std::string waiting = module.core.waiting_for();
      if (!waiting.empty() && lines++ < kMostLines) text += "; " + waiting;
    }
  });
  return text;
}

/// Runs until nothing is left to happen.
template <class Modules>
void simulate(Modules& modules, const KernelLaunch& kernel, bool fast_forward) {
  if (!fast_forward) {
    sc_core::sc_start();
    return;
  }
  FastForward forward(modules, kernel);
  do {
    sc_core::sc_start();
  } while (forward.handle_pause());
}

}  // namespace

Accelerator::Accelerator(const AcceleratorConfig& config, std::uint64_t construction_seed)
    : modules_(std::make_unique<Modules>(config, construction_seed)) {}

Accelerator::~Accelerator() = default;

LaunchStatistics Accelerator::run(const KernelLaunch& kernel, Datapath* datapath,
                                  bool fast_forward) {
  Modules& modules = *modules_;
  std::int64_t activations_before = 0;
  modules.clock.restart();
  modules.for_each([&](auto& module) {
    launch_core(module.core, kernel);
    if constexpr (requires { module.core.datapath; }) module.core.datapath = datapath;
    activations_before += module.activations();
  });
  modules.cta_scheduler->wake(modules.cta_scheduler->core.first_dispatch());
  try {
    simulate(modules, kernel, fast_forward && datapath == nullptr);
  } catch (const sc_core::sc_report& report) {
    throw SimulationError(report.get_msg());
  }
  const std::optional<Cycle> end = modules.cta_scheduler->core.ended();
  if (!end) throw SimulationError(describe_deadlock(modules));
  modules.for_each([&](auto& module) {
    if constexpr (requires { module.core.finish(*end); }) module.core.finish(*end);
  });
  LaunchStatistics statistics = sum_statistics(modules, *end);
  statistics.events -= activations_before;
  return statistics;
}

}  // namespace stcsim
