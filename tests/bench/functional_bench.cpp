#include <benchmark/benchmark.h>

#include "sim/functional/operands.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "tests/support/run_without_timing.hpp"

namespace {

using stcsim::FunctionalDatapath;
using stcsim::FunctionalKernel;
using stcsim::Pattern;

FunctionalKernel cubic_kernel(std::int64_t size, Pattern pattern) {
  FunctionalKernel kernel;
  kernel.problem.m = kernel.problem.n = kernel.problem.k = size;
  kernel.problem.a_pattern = kernel.pattern = pattern;
  kernel.tile_m = kernel.tile_n = 128;
  kernel.tile_k = pattern.is_dense() ? 32 : 64;
  kernel.instruction_k = pattern.is_dense() ? 16 : 32;
  kernel.stages = 4;
  kernel.warps_m = kernel.warps_n = 2;
  return kernel;
}

void count_macs(benchmark::State& state, const FunctionalKernel& kernel) {
  const auto macs = static_cast<double>(kernel.problem.macs());
  const double kept = static_cast<double>(kernel.pattern.n) / static_cast<double>(kernel.pattern.m);
  using benchmark::Counter;
  state.counters["MAC/s"] = Counter(macs * kept, Counter::kIsIterationInvariantRate);
  state.counters["dense_equivalent_MAC/s"] = Counter(macs, Counter::kIsIterationInvariantRate);
}

void datapath(benchmark::State& state, Pattern pattern) {
  const FunctionalKernel kernel = cubic_kernel(state.range(0), pattern);
  const auto operands = to_machine(kernel, stcsim::random_operands(kernel.problem, /*seed=*/1));
  for (auto _ : state) {
    FunctionalDatapath machine(kernel, operands);
    stcsim::test::run_without_timing(machine, kernel);
    benchmark::DoNotOptimize(machine.c().bits.data());
  }
  count_macs(state, kernel);
}
BENCHMARK_CAPTURE(datapath, fp16_dense, stcsim::kDense)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(datapath, fp16_2to4, Pattern{2, 4})->Arg(512)->Unit(benchmark::kMillisecond);

void reference(benchmark::State& state) {
  const FunctionalKernel kernel = cubic_kernel(state.range(0), stcsim::kDense);
  const auto operands = stcsim::random_operands(kernel.problem, /*seed=*/1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        reference_gemm(kernel.problem, operands, ascending_order(kernel.problem)));
  }
  count_macs(state, kernel);
}
BENCHMARK(reference)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
