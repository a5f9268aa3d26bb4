#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/statistics.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

struct RunOptions {
  /// If given, is told of every movement of values.
  Datapath* datapath = nullptr;
  /// Simulates SMs in the same state only once and skips periods in which the machine's state
  /// recurs: the statistics are the same but for `events`. Has no effect with a datapath.
  bool fast_forward = false;
  /// Gives up when the launch is known to take longer, given that an SM takes at least
  /// `least_cta_cycles` for every CTA it runs.
  std::optional<Cycles> limit;
  Cycles least_cta_cycles;
  /// If given, is called when all that happens in cycle `look_at` has happened, if the launch lasts
  /// that long. Not with fast_forward, which has looks of its own.
  std::function<void()> look{};
  Cycle look_at{};
  /// If given, is told of every wave of CTAs, and may have a part of the grid left out (the
  /// statistics are those of the rest) or the launch given up. Not with a datapath.
  WaveWatcher* watcher = nullptr;
};

class BlockDiagram;
class FastForward;
class GridCutter;
class ProgressObserver;

/// The machine: all units, elaborated once and wired up. It runs kernel after kernel, each from a
/// reset state (caches cold). SystemC allows elaboration only before the first run, so all machines
/// of a process have to be built before one of them runs.
class Accelerator {
 public:
  /// @param construction_seed  shuffles the order in which the modules are constructed (0 = the
  ///                           natural order); results do not depend on it
  explicit Accelerator(const AcceleratorConfig& config, std::uint64_t construction_seed = 0);
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  ~Accelerator();

  /// Simulates `kernel` to its end. Returns nothing if that lies beyond `options.limit`, or if the
  /// watcher gives up. Throws SimulationError on a deadlock, saying which unit waits for what.
  std::optional<LaunchStatistics> run(const KernelLaunch& kernel, const RunOptions& options);

  /// What the units of SM 0 do in the first `window` cycles (at least one) of that launch; every SM
  /// is simulated by itself, and no longer than that.
  [[nodiscard]] Timeline trace(const KernelLaunch& kernel, Cycles window);

  /// For the launches to come: what has a clock of its own (DRAM, what starts kernels) at another
  /// ratio to the clock whose cycles are counted. Nothing else may differ from what it was built
  /// with.
  void change_clock(const CtaSchedulerConfig& scheduler, const DramConfig& dram);

  /// The statistics of a launch, before the first: all names, and no value of any meaning.
  [[nodiscard]] LaunchStatistics blank_statistics() const;

  /// The units it is made of.
  [[nodiscard]] BlockDiagram& diagram() { return *machine_; }
  [[nodiscard]] UnitTree tree() const;

 private:
  /// Who is told of movements of values, and of progress.
  void tell(Datapath* datapath, ProgressObserver* observer);

  /// Not deleted: SystemC's one context keeps modules to the end of the process, and taking
  /// thousands out of its lists one by one takes as long as making them.
  BlockDiagram* machine_;
  Datapath* datapath_ = nullptr;
  ProgressObserver* observer_ = nullptr;
  std::unique_ptr<FastForward> fast_forward_;
  std::unique_ptr<GridCutter> grid_cutter_;
};

/// Everything the units of such a machine tell of a launch: the names of all buckets and counters,
/// with the counters' units of measurement. Equal texts mean results of the same form. Elaborates a
/// machine of one SM that never runs, so no machine of the process may have run before.
[[nodiscard]] std::string statistic_names(AcceleratorConfig config);

}  // namespace stcsim
