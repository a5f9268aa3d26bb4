#include "tests/property/probe_launches.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/instruction_loop.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim::test {
namespace {

double microseconds(const MachineRunner& runner, std::int64_t cycles) {
  return static_cast<double>(cycles) / runner.machine().clock_mhz;
}

class ProbeList {
 public:
  std::vector<ProbeLaunch> probes;

  void gemm(const std::string& name, const GemmProblem& problem, const KernelPolicy& policy) {
    probes.push_back({name, [=](MachineRunner& runner) {
                        const GemmRun run = run_gemm(runner, problem, policy);
                        return microseconds(runner, run.result.cycles);
                      }});
  }
  void gemm(const std::string& name, const GemmProblem& problem) {
    gemm(name, problem, {"auto", 1});
  }
  /// Of launches that all have the same operands.
  void again(const std::string& name, const GemmProblem& problem) {
    probes.push_back(
        {name, [=](MachineRunner& runner) {
           LaunchConditions conditions;
           conditions.same_operands = true;
           const KernelPolicy policy{"auto", 1};
           return run_gemm_sustained(runner, problem, policy, conditions).result.time_us();
         }});
  }
  void stream(const std::string& name, const StreamWork& work) {
    probes.push_back({name, [=](MachineRunner& runner) {
                        return microseconds(runner, run_stream(runner, work).cycles);
                      }});
  }
  /// Passes of a loop around two dependent instructions of every warp, and around independent ones.
  void loop(const std::string& name, std::size_t instruction) {
    constexpr std::int64_t kPasses = 16;
    probes.push_back({name, [=](MachineRunner& runner) {
                        const StreamingMultiprocessorConfig& sm = runner.machine().accelerator.sm;
                        InstructionLoop loop{sm.tensor_core.instructions.at(instruction)};
                        std::int64_t cycles = 0;
                        for (const std::int64_t chains : {1, 3}) {
                          loop.chains = chains;
                          cycles += runner.run(loop_launch(loop, kPasses)).cycles.count();
                        }
                        return microseconds(runner, cycles) /
                               static_cast<double>(kept_macs(loop.instruction));
                      }});
  }
  /// Whether the machine takes a GEMM of that many bytes in all, without a simulation.
  void memory(const std::string& name, std::int64_t bytes) {
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes) / 2));
    probes.push_back({name, [=](MachineRunner& runner) {
                        require_runnable(runner.machine(), make_problem(side, side, 1));
                        return 1.0;
                      }});
  }
};

void add_types(ProbeList& list, const MachineConfig& machine) {
  for (const MultiplierRate& rate : machine.accelerator.sm.tensor_core.multipliers) {
    const std::string type(to_string(rate.dtype));
    list.gemm(type, make_problem(500, 520, 1100, 1, rate.dtype));
    list.gemm(type + " 2:4", make_problem(500, 520, 2100, 1, rate.dtype, {2, 4}));
  }
  for (const Pattern pattern : machine.accelerator.sm.operand_selector.native_patterns) {
    list.gemm(pattern.to_string(), make_problem(512, 512, 4096, 1, DataType::fp16, pattern));
  }
}

const KernelConfig& smallest_kernel(const MachineConfig& machine) {
  return *std::min_element(machine.kernels.begin(), machine.kernels.end(),
                           [](const KernelConfig& a, const KernelConfig& b) {
                             return std::pair(a.sparse, a.tile_m * a.tile_n) <
                                    std::pair(b.sparse, b.tile_m * b.tile_n);
                           });
}

/// As many CTAs as the machine runs at a time, of one k-step and of more, and one more in every SM.
void add_full_grids(ProbeList& list, const MachineConfig& machine, const KernelConfig& kernel,
                    const KernelPolicy& policy) {
  std::string why_not;
  const auto fitted = fit_kernel(machine, kernel, DataType::fp16, kDense, why_not);
  if (!fitted) throw std::logic_error(why_not);
  const std::int64_t fit = fitted->ctas_per_sm;
  const std::int64_t more = std::clamp<std::int64_t>(128 / fit, 2, 16);
  using Grid = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [ctas, steps] : {Grid{fit, 1}, Grid{fit + 1, 1}, Grid{fit, more}}) {
    list.gemm(fmt::format("{} CTAs of {} in every SM, {} k-steps", ctas, kernel.name, steps),
              make_problem(kernel.tile_m * machine.accelerator.num_sms, kernel.tile_n * ctas,
                           kernel.tile_k * steps),
              policy);
  }
}

}  // namespace

std::string probe_libraries(const MachineConfig& machine) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const MmaInstruction least =
      std::ranges::min(instructions_for(sm, DataType::fp16, kDense), {},
                       [](const MmaInstruction& one) { return one.m * one.n; });
  const auto library = [&](const char* name, std::int64_t m, std::int64_t n, std::int64_t k,
                           std::int64_t stages, std::int64_t warps) {
    return fmt::format(
        "{{name: {0}, kernels: [{{name: probe_{0}, tile: [{1}, {2}, {3}], stages: {4}, "
        "warps: [{5}, {5}]}}]}}",
        name, round_up(m, least.m * warps), round_up(n, least.n * warps), round_up(k, least.k),
        stages, warps);
  };
  const std::int64_t step_bytes = bytes_of(DataType::fp16, (least.m + least.n) * least.k * 4);
  const std::int64_t bytes = sm.shared_memory.max_bytes_per_cta;
  // Accumulators of 128 columns, of 32 bits, in five eighths of the registers of four warps.
  const std::int64_t most = sm.max_registers_per_thread;
  const std::int64_t rows = most >= field::kMostUnits ? 128 : most * 5 / 8;
  return fmt::format("[{}, {}, {}, {}]", library("one_warp", 16, 8, 16, 2, 1),
                     library("ten_stages", 16, 8, 16, 10, 1),
                     library("registers", rows, 128, 16, 2, 2),
                     library("most_memory", 16, 8, least.k * 4,
                             std::clamp<std::int64_t>(bytes / step_bytes, 1, 64), 1));
}

std::vector<ProbeLaunch> probe_launches(const MachineConfig& machine) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  constexpr std::int64_t kMostCache = 256 << 20;
  ProbeList list;
  list.gemm("one element", make_problem(1, 1, 1));
  list.gemm("a few rows", make_problem(8, 8, 200));
  list.gemm("edges", make_problem(129, 257, 513));
  list.gemm("2:4 edges", make_problem(129, 257, 513, 1, DataType::fp16, {2, 4}));
  list.stream("copy", {2 * kMegabyte, 2 * kMegabyte, kMegabyte});
  list.stream("arithmetic", {kMegabyte, kMegabyte, 200 * kMegabyte});
  list.gemm("split-K", make_problem(64, 64, 16384));
  for (std::size_t at = 0; at < machine.accelerator.sm.tensor_core.instructions.size(); ++at) {
    list.loop("loop of instruction " + std::to_string(at), at);
  }
  add_types(list, machine);
  for (const LibraryConfig& library : machine.libraries) {
    add_full_grids(list, machine, library.kernels.front().kernel, {"auto", 1, library.name});
  }
  const KernelConfig& smallest = smallest_kernel(machine);
  add_full_grids(list, machine, smallest, {smallest.name, 1});
  list.gemm("warps with many registers", make_problem(640, 512, 512), {"auto", 1, "registers"});
  list.gemm("much output", make_problem(4096, 4096, 32));
  list.gemm("much input", make_problem(2048, 2048, 512), {smallest.name, 1});
  const std::int64_t memory = machine.accelerator.dram.capacity_bytes;
  if (memory < field::kMostBytes) list.memory("much memory", memory * 3 / 4);
  const L2CacheConfig& cache = machine.accelerator.l2_cache;
  const std::int64_t kept = cache.kept_bytes / 4096 / 2 * 3 / 4;
  list.again("the same operands again",
             make_problem(cache.kept_bytes > kMostCache ? 3072 : kept, 64, 4096));
  // In half as many slots they take two rounds of waiting for a kilobyte at a time.
  constexpr std::int64_t kStreamCtaBytes = 16'384;
  const std::int64_t ctas = machine.accelerator.num_sms * 5;
  list.stream("five CTAs of a stream in every SM",
              {.read_bytes = ctas * kStreamCtaBytes,
               .grid = {.ctas = ctas, .threads = 256, .trip_bytes = 1024}});
  constexpr std::int64_t kComparisons = 1'000'000'000;
  GemmProblem pruned = make_problem(2048, 2048, 256);
  pruned.c_pattern = {2, 4};
  list.gemm("pruned output", pruned);
  list.stream("comparisons", {.vector_ops = kComparisons, .integer_ops = kComparisons});
  list.stream("read", {64 * kMegabyte, 0, 0});
  list.stream("write", {0, 64 * kMegabyte, 0});
  list.stream("read and write", {512 * kMegabyte, 512 * kMegabyte, 0});
  const std::int64_t held = cache.capacity_bytes > kMostCache ? 0 : cache.capacity_bytes;
  list.gemm("larger than the cache", make_problem(8192, 8192, std::max(4096L, held / 4096 / 4)));
  return list.probes;
}

}  // namespace stcsim::test
