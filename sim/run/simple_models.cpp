#include "sim/run/simple_models.hpp"

#include <algorithm>

#include "common/data_type.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/gemm_kernels.hpp"

namespace stcsim {
namespace {

Pattern hardware_of(const GemmProblem& problem, const MachineConfig& machine) {
  return sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
}

/// The selected columns only, of V:2:m; the windows of (2N-2):2N.
GemmProblem multiplied(const GemmProblem& problem, const MachineConfig& machine) {
  return problem.a_pattern.selects_columns() ? of_selected_columns(problem)
                                             : in_windows(machine, problem);
}

double multiplying_us(double macs, const GemmProblem& problem, const MachineConfig& machine) {
  return 2.0 * macs / peak_tflops(machine, problem.dtype, hardware_of(problem, machine)) / 1e6;
}

double moving_us(const GemmProblem& problem, const MachineConfig& machine) {
  const Pattern hardware = hardware_of(problem, machine);
  const auto row = static_cast<double>(bytes_of(problem.dtype, problem.k));
  const auto output = static_cast<double>(bytes_of(problem.dtype, problem.m * problem.n));
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const double kept = hardware.share();
  const double moved =
      static_cast<double>(problem.batch_count) * (m * row * kept + n * row + output);
  return moved / static_cast<double>(machine.accelerator.dram.bytes_per_clk) / machine.clock_mhz;
}

std::int64_t tiles_along(std::int64_t size) {
  return (size + kPlainTile - 1) / kPlainTile;
}

}  // namespace

double roofline_us(const GemmProblem& asked, const MachineConfig& machine) {
  const GemmProblem problem = multiplied(asked, machine);
  return std::max(multiplying_us(static_cast<double>(problem.macs()), problem, machine),
                  moving_us(problem, machine));
}

double tile_model_us(const GemmProblem& asked, const MachineConfig& machine) {
  const GemmProblem problem = multiplied(asked, machine);
  const std::int64_t sms = machine.accelerator.num_sms;
  const std::int64_t tiles = problem.batch_count * tiles_along(problem.m) * tiles_along(problem.n);
  const std::int64_t waves = (tiles + sms - 1) / sms;
  const auto macs =
      static_cast<double>(waves * sms * kPlainTile * kPlainTile) * static_cast<double>(problem.k);
  return std::max(multiplying_us(macs, problem, machine), moving_us(problem, machine));
}

}  // namespace stcsim
