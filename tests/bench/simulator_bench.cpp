#include <cstdint>
#include <set>
#include <systemc>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/gemm_run.hpp"
#include "workloads/lowering.hpp"

namespace {

using stcsim::GemmProblem;
using stcsim::LaunchResult;
using stcsim::MachineRunner;
using stcsim::Pattern;

constexpr Pattern kTwoOfFour{2, 4};

/// Wakes itself after every cycle: what the SystemC kernel takes for one event.
class Ticker : public sc_core::sc_module {
 public:
  explicit Ticker(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Ticker);
    SC_METHOD(tick);
    sensitive << due_;
    dont_initialize();
  }
  void run(std::int64_t ticks) {
    left_ = ticks;
    due_.notify(kStep);
    sc_core::sc_start();
  }

 private:
  void tick() {
    if (--left_ > 0) due_.notify(kStep);
  }

  const sc_core::sc_time kStep = sc_core::sc_time::from_value(1);
  sc_core::sc_event due_;
  std::int64_t left_ = 0;
};

/// Everything the benchmarks simulate: SystemC elaborates once, before the first run.
struct Simulation {
  Ticker ticker{"ticker"};
  MachineRunner a100{stcsim::load_machine("a100").config};

  static Simulation& instance() {
    static Simulation simulation;
    return simulation;
  }
};

GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, Pattern pattern) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a_pattern = pattern;
  return problem;
}

/// The different GEMMs of ResNet-50's training step, batch 256, all three phases.
std::set<GemmProblem> resnet50_gemms(Pattern pattern) {
  const stcsim::Network network = stcsim::load_network("resnet50");
  std::set<GemmProblem> problems;
  for (const stcsim::Layer& layer : network.layers) {
    for (const stcsim::Phase phase : stcsim::kPhases) {
      for (GemmProblem problem : lower(layer, phase, /*batch=*/256)) {
        problem.a_pattern = pattern;
        problems.insert(problem);
      }
    }
  }
  return problems;
}

struct Effort {
  double cycles = 0;
  double events = 0;
  double macs = 0;

  void add(const LaunchResult& result, const GemmProblem& problem) {
    cycles += static_cast<double>(result.cycles);
    events += static_cast<double>(result.events);
    macs += static_cast<double>(problem.macs());
  }
  void report(benchmark::State& state) const {
    using benchmark::Counter;
    state.counters["simulated_cycles/s"] = Counter(cycles, Counter::kIsRate);
    state.counters["events/s"] = Counter(events, Counter::kIsRate);
    state.counters["dense_equivalent_MAC/s"] = Counter(macs, Counter::kIsRate);
  }
};

stcsim::KernelPolicy fixed_kernel(Pattern pattern) {
  return {pattern.is_dense() ? "dense_128x128x32_s4" : "sparse_128x128x64_s3", 1};
}

template <class Problems>
void simulate(benchmark::State& state, const Problems& problems, Pattern pattern) {
  MachineRunner& machine = Simulation::instance().a100;
  Effort effort;
  for (auto _ : state) {
    for (const GemmProblem& problem : problems) {
      effort.add(run_gemm(machine, problem, fixed_kernel(pattern)).result, problem);
    }
  }
  effort.report(state);
}

void one_gemm(benchmark::State& state, Pattern pattern) {
  simulate(state, std::vector{gemm(state.range(0), state.range(1), state.range(2), pattern)},
           pattern);
}
BENCHMARK_CAPTURE(one_gemm, dense, stcsim::kDense)
    ->Args({1024, 8192, 1024})
    ->Args({4096, 4096, 4096})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_gemm, sparse_2to4, kTwoOfFour)
    ->Args({1024, 8192, 1024})
    ->Args({4096, 4096, 4096})
    ->Unit(benchmark::kMillisecond);

void resnet50_step(benchmark::State& state, Pattern pattern) {
  simulate(state, resnet50_gemms(pattern), pattern);
}
BENCHMARK_CAPTURE(resnet50_step, dense, stcsim::kDense)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(resnet50_step, sparse_2to4, kTwoOfFour)->Unit(benchmark::kSecond);

void timed_notification(benchmark::State& state) {
  constexpr std::int64_t kTicks = 100000;
  Ticker& ticker = Simulation::instance().ticker;
  for (auto _ : state) ticker.run(kTicks);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(kTicks * state.iterations()),
                                                  benchmark::Counter::kIsRate);
}
BENCHMARK(timed_notification)->Unit(benchmark::kMillisecond);

}  // namespace
