#include <string>

#include <benchmark/benchmark.h>

#include "sim/functional/operands.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "tests/support/run_without_timing.hpp"

namespace {

using stcsim::DataType;
using stcsim::FunctionalDatapath;
using stcsim::FunctionalKernel;
using stcsim::Pattern;

constexpr std::int64_t kSize = 512;
constexpr std::uint64_t kSeed = 1;

FunctionalKernel cubic_kernel(DataType type, Pattern pattern) {
  FunctionalKernel kernel;
  kernel.problem.m = kernel.problem.n = kernel.problem.k = kSize;
  kernel.problem.dtype = type;
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

/// The operands' way through the machine alone.
void datapath(benchmark::State& state, DataType type, Pattern pattern) {
  const FunctionalKernel kernel = cubic_kernel(type, pattern);
  const auto operands = to_machine(kernel, stcsim::random_operands(kernel.problem, kSeed));
  for (auto _ : state) {
    FunctionalDatapath machine(kernel, operands);
    stcsim::test::run_without_timing(machine, kernel);
    benchmark::DoNotOptimize(machine.c().bits.data());
  }
  count_macs(state, kernel);
}

void reference(benchmark::State& state, DataType type, Pattern pattern) {
  const FunctionalKernel kernel = cubic_kernel(type, pattern);
  const auto operands = stcsim::random_operands(kernel.problem, kSeed);
  const auto order = ascending_order(kernel.problem);
  for (auto _ : state) {
    benchmark::DoNotOptimize(reference_gemm(kernel.problem, operands, order));
  }
  count_macs(state, kernel);
}

/// Everything a functional run does besides its timing.
void whole(benchmark::State& state, DataType type, Pattern pattern) {
  const FunctionalKernel kernel = cubic_kernel(type, pattern);
  for (auto _ : state) {
    const auto operands = stcsim::random_operands(kernel.problem, kSeed);
    FunctionalDatapath machine(kernel, to_machine(kernel, operands));
    stcsim::test::run_without_timing(machine, kernel);
    const auto expected = reference_gemm(kernel.problem, operands, ascending_order(kernel.problem));
    const auto result = compare(from_machine(kernel.problem, machine.c()), expected);
    if (!result.passed()) state.SkipWithError(result.to_string().c_str());
  }
  count_macs(state, kernel);
}

using Benchmark = void (*)(benchmark::State&, DataType, Pattern);

void add(const std::string& name, Benchmark run) {
  for (const DataType type : stcsim::operand_data_types()) {
    for (const Pattern pattern : {stcsim::kDense, Pattern{2, 4}}) {
      const std::string full =
          name + "/" + std::string(to_string(type)) + "/" + pattern.to_string();
      benchmark::RegisterBenchmark(full.c_str(), run, type, pattern)->Unit(benchmark::kMillisecond);
    }
  }
}

const bool kRegistered = [] {
  add("datapath", datapath);
  add("reference", reference);
  add("whole", whole);
  return true;
}();

}  // namespace
