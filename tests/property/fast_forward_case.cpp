#include "tests/property/fast_forward_case.hpp"

#include <algorithm>

#include "sim/config/experiment_config.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

/// Long reductions, grids of many waves, batches and split-K: what recurs, and what ends recurring.
GemmProblem long_problem(Dice& dice) {
  GemmProblem problem = random_problem(dice);
  problem.m = dice.between(1, 200);
  problem.n = dice.between(1, 400);
  problem.k = dice.between(0, 2) == 0 ? dice.between(1, 400) : dice.between(500, 3000);
  return problem;
}

/// The same in the sizes of real kernels: around the tiles' edges or any, not too much in all.
GemmProblem real_problem(Dice& dice, std::int64_t sms) {
  const auto extent = [&](std::int64_t most) {
    const std::int64_t tiles = 64 * dice.between(1, std::max<std::int64_t>(1, most / 64));
    return std::max<std::int64_t>(1, tiles + dice.one_of({0, 0, 0, -1, 1, -17, 31}));
  };
  constexpr std::int64_t kMostMacsPerSm = 400'000'000;
  GemmProblem problem = random_problem(dice);
  problem.m = extent(dice.one_of({64, 1024, 4096}));
  problem.n = extent(dice.one_of({64, 1024, 8192}));
  problem.batch_count = dice.one_of({1, 1, 1, 7});
  const std::int64_t most = kMostMacsPerSm * sms / (problem.m * problem.n * problem.batch_count);
  problem.k = extent(std::clamp<std::int64_t>(most, 64, 8192));
  if (dice.between(0, 3) == 0) {  // implicit im2col: operand B is read several times
    problem.b = {std::max<std::int64_t>(1, problem.n / dice.between(1, 9)), problem.k};
  }
  return problem;
}

MachineConfig small_shipped_machine(Dice& dice) {
  const std::vector<std::string> names{"a100", "rtx3090", "h100_sxm", "a100_nm"};
  MachineConfig machine = load_machine(names[static_cast<std::size_t>(dice.between(0, 3))]).config;
  for (const LibraryConfig& library : machine.libraries) {
    for (const LibraryKernel& one : library.kernels) machine.kernels.push_back(one.kernel);
  }
  AcceleratorConfig& hardware = machine.accelerator;
  const std::int64_t all_sms = hardware.num_sms;
  hardware.num_sms = dice.one_of({1, 2, 3, 5, 8, 13, 20});
  const auto share = [&](std::int64_t& whole) {
    whole = std::max<std::int64_t>(1, whole * hardware.num_sms / all_sms);
  };
  share(hardware.l2_cache.capacity_bytes);
  share(hardware.l2_cache.read_bytes_per_clk);
  share(hardware.l2_cache.write_bytes_per_clk);
  share(hardware.dram.bytes_per_clk);
  if (hardware.dram.write_queue_bytes > 0) share(hardware.dram.write_queue_bytes);
  return machine;
}

std::string case_text(std::uint64_t seed, const MachineConfig& machine,
                      const GemmProblem& problem) {
  return "seed " + std::to_string(seed) + ": " + machine.name + " of " +
         std::to_string(machine.accelerator.num_sms) + " SMs, " + std::to_string(problem.m) + "x" +
         std::to_string(problem.n) + "x" + std::to_string(problem.k) + " x" +
         std::to_string(problem.batch_count) + " " + problem.a_pattern.to_string();
}

void add_launches(FastForwardCase& drawn, Dice& dice, const GemmProblem& problem,
                  std::int64_t most) {
  const MachineConfig& machine = drawn.runner->machine();
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  for (const KernelConfig& config : machine.kernels) {
    if (!may_run(config, hardware, problem)) continue;
    std::string why_not;
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (!kernel) continue;
    const std::int64_t splits = std::min(dice.between(1, 4), most_splits(*kernel, problem));
    drawn.launches.push_back(gemm_launch(machine, *kernel, problem, splits));
  }
  while (static_cast<std::int64_t>(drawn.launches.size()) > most) {
    const std::int64_t victim = dice.between(0, std::ssize(drawn.launches) - 1);
    drawn.launches.erase(drawn.launches.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

/// One sparse GEMM in two of 16-bit values selects columns, in blocks of one tile or of several.
void select_columns(MachineConfig& machine, GemmProblem& problem, Dice& dice) {
  for (KernelConfig& kernel : machine.kernels) {
    kernel.column_index_bytes = kernel.sparse ? dice.one_of({2, 4}) : 0;
    kernel.column_indices_at_a_time = dice.one_of({1, 16, 512});
  }
  problem.b = {};
  problem.a_pattern = {2, dice.one_of({5, 7, 8, 20, 100}), 1, 0, dice.one_of({16, 32, 64, 256})};
}

/// A stream kernel whose CTAs loop: fewer or more than there are SMs, one pass or several.
StreamWork random_loop(Dice& dice, const AcceleratorConfig& hardware) {
  StreamGrid grid;
  grid.ctas = dice.between(1, 3 * hardware.num_sms + 1);
  grid.threads = kWarpThreads * dice.between(1, std::min<std::int64_t>(16, hardware.sm.max_warps));
  grid.trip_bytes = grid.threads * dice.one_of({1, 2, 8, 16});
  grid.passes = dice.between(1, 3);
  const std::int64_t trips = dice.one_of({1, 2, 7, 60, 400});
  const std::int64_t uneven = dice.between(0, grid.trip_bytes);
  return {.read_bytes = grid.ctas * grid.passes * trips * grid.trip_bytes + uneven,
          .write_bytes = dice.one_of({0, 1, 100'000}),
          .vector_ops = dice.between(0, 1'000'000),
          .grid = grid};
}

}  // namespace

FastForwardCase draw_fast_forward_case(std::uint64_t seed) {
  constexpr std::int64_t kAll = 1000;
  constexpr std::int64_t kFew = 2;
  Dice dice(seed);
  const bool is_shipped = seed % 2 != 0;
  const bool is_plain = seed % 4 == 2;
  MachineConfig machine = is_shipped ? small_shipped_machine(dice)
                          : is_plain ? random_plain_machine(dice)
                                     : random_machine(dice);
  GemmProblem problem =
      is_shipped ? real_problem(dice, machine.accelerator.num_sms) : long_problem(dice);
  if (!machine.supports(problem.dtype)) problem.dtype = DataType::fp16;
  const bool has_pairs = problem.dtype == DataType::fp16 || problem.dtype == DataType::bf16;
  Dice of_columns(seed);
  if (has_pairs && !problem.a_pattern.is_dense() && of_columns.between(0, 1) == 0) {
    select_columns(machine, problem, of_columns);
  }
  FastForwardCase drawn;
  drawn.is_shipped = is_shipped;
  drawn.runner = std::make_unique<MachineRunner>(machine);
  if (!is_plain && dice.between(0, 1) == 0) {
    drawn.runner->set_clock(machine.clock_mhz * static_cast<double>(dice.between(3, 9)) / 10);
  }
  drawn.text = case_text(seed, machine, problem);
  add_launches(drawn, dice, problem, is_shipped ? kFew : kAll);
  drawn.launches.push_back(
      stream_launch(drawn.runner->machine(), random_loop(dice, machine.accelerator)));
  return drawn;
}

std::string difference(const LaunchStatistics& off, const LaunchStatistics& on) {
  std::string text;
  const auto compare = [&](const std::string& what, std::int64_t a, std::int64_t b) {
    if (a != b) text += what + ": " + std::to_string(a) + " off, " + std::to_string(b) + " on; ";
  };
  compare("cycles", off.cycles.count(), on.cycles.count());
  for (std::size_t unit = 0; unit < off.units.size(); ++unit) {
    for (std::size_t at = 0; at < off.units[unit].buckets.size(); ++at) {
      const auto& [name, cycles] = off.units[unit].buckets[at];
      compare(off.units[unit].unit + " " + name, cycles.count(),
              on.units[unit].buckets[at].second.count());
    }
  }
  for (const Counter& counter : off.counters()) {
    compare(counter.name, counter.value, on.count(counter.name));
  }
  LaunchStatistics same_events = on;
  same_events.events = off.events;
  return text.empty() && same_events != off ? "other statistics" : text;
}

}  // namespace stcsim::test
