#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "sim/config/experiment_config.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/bench/bench_problems.hpp"
#include "tests/bench/ticker.hpp"
#include "tests/support/resnet50.hpp"

namespace {

using stcsim::GemmProblem;
using stcsim::LaunchResult;
using stcsim::MachineRunner;
using stcsim::Pattern;
using stcsim::bench::fixed_kernel;
using stcsim::bench::gemm;
using stcsim::bench::Ticker;
using stcsim::test::resnet50_gemms;

constexpr Pattern kTwoOfFour{2, 4};

/// Kernels are chosen from its own list.
stcsim::MachineConfig a100_without_stacks(stcsim::Detail detail = stcsim::Detail::closed) {
  stcsim::MachineConfig machine = stcsim::load_machine("a100").config;
  machine.stacks.clear();
  machine.accelerator.sm.detail = detail;
  return machine;
}

/// Everything the benchmarks simulate: SystemC elaborates once, before the first run.
struct Simulation {
  Ticker ticker{"ticker"};
  MachineRunner a100{a100_without_stacks()};
  MachineRunner a100_by_stages{a100_without_stacks(stcsim::Detail::stages)};

  static Simulation& instance() {
    static Simulation simulation;
    return simulation;
  }
};

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

template <class Problems>
void simulate(benchmark::State& state, const Problems& problems, Pattern pattern,
              bool fast_forward) {
  MachineRunner& machine = Simulation::instance().a100;
  machine.set_fast_forward(fast_forward);
  Effort effort;
  for (auto _ : state) {
    for (const GemmProblem& problem : problems) {
      effort.add(run_gemm(machine, problem, fixed_kernel(pattern)).result, problem);
    }
  }
  effort.report(state);
}

void one_gemm(benchmark::State& state, Pattern pattern, bool fast_forward) {
  simulate(state, std::vector{gemm(state.range(0), state.range(1), state.range(2), pattern)},
           pattern, fast_forward);
}
void gemm_sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({1024, 8192, 1024})->Args({4096, 4096, 4096})->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(one_gemm, dense, stcsim::kDense, true)->Apply(gemm_sizes);
BENCHMARK_CAPTURE(one_gemm, sparse_2to4, kTwoOfFour, true)->Apply(gemm_sizes);
BENCHMARK_CAPTURE(one_gemm, dense_every_cycle, stcsim::kDense, false)->Apply(gemm_sizes);
BENCHMARK_CAPTURE(one_gemm, sparse_2to4_every_cycle, kTwoOfFour, false)->Apply(gemm_sizes);

/// `kernel: auto`: candidates that cannot win, and many k-steps replayed on the L2 cache.
void fastest_of_three(benchmark::State& state, Pattern pattern) {
  MachineRunner& machine = Simulation::instance().a100;
  machine.set_fast_forward(true);
  const GemmProblem problem = gemm(state.range(0), state.range(1), state.range(2), pattern);
  const std::int64_t before = machine.simulated();
  Effort effort;
  for (auto _ : state) effort.add(run_gemm(machine, problem, {"auto", 3}).result, problem);
  effort.report(state);
  state.counters["simulated_kernels"] = benchmark::Counter(
      static_cast<double>(machine.simulated() - before), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(fastest_of_three, dense, stcsim::kDense)
    ->Args({4646, 9229, 4994})
    ->Args({65536, 65536, 65536})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fastest_of_three, sparse_2to4, kTwoOfFour)
    ->Args({10307, 4890, 1952})
    ->Args({4096, 4096, 4096})
    ->Unit(benchmark::kMillisecond);

/// A head of 50,257 words at batch 512, whose waves never recur.
void sampled_head(benchmark::State& state) {
  MachineRunner& machine = Simulation::instance().a100;
  machine.set_fast_forward(true);
  const GemmProblem problem = gemm(50257, 131072, 768);
  Effort effort;
  for (auto _ : state) {
    effort.add(run_gemm(machine, problem, {"auto", 1, stcsim::kBestStack, true}).result, problem);
  }
  effort.report(state);
}
BENCHMARK(sampled_head)->Unit(benchmark::kMillisecond);

/// Words that move from unit to unit, C compared with the reference: seconds of CPU.
void words_by_stages(benchmark::State& state) {
  const GemmProblem problem = gemm(state.range(0), state.range(0), state.range(0), kTwoOfFour);
  MachineRunner& machine = Simulation::instance().a100_by_stages;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        run_gemm_with_values(machine, problem, fixed_kernel(kTwoOfFour), {}, {}).check.elements);
  }
}
BENCHMARK(words_by_stages)->Arg(1024)->Arg(2048)->Iterations(1)->Unit(benchmark::kSecond);

void resnet50_step(benchmark::State& state, Pattern pattern, bool fast_forward) {
  simulate(state, resnet50_gemms(pattern), pattern, fast_forward);
}
BENCHMARK_CAPTURE(resnet50_step, dense, stcsim::kDense, true)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(resnet50_step, sparse_2to4, kTwoOfFour, true)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(resnet50_step, dense_every_cycle, stcsim::kDense, false)
    ->Unit(benchmark::kSecond);

void timed_notification(benchmark::State& state) {
  constexpr std::int64_t kTicks = 100000;
  Ticker& ticker = Simulation::instance().ticker;
  for (auto _ : state) ticker.run(kTicks);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(kTicks * state.iterations()),
                                                  benchmark::Counter::kIsRate);
}
BENCHMARK(timed_notification)->Unit(benchmark::kMillisecond);

}  // namespace
