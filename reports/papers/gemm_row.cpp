#include "reports/papers/gemm_row.hpp"

#include <string>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "sim/run/bound_by.hpp"

namespace stcsim {
namespace {

constexpr IntRange kGemmExtent{1, 1'000'000};
constexpr double kFlopsPerMac = 2;
/// Operations per microsecond in a TFLOP/s.
constexpr double kFlopsPerUs = 1e6;

double gemm_value(const GemmRow& row, const LaunchResult& run, const LaunchResult& against) {
  switch (row.quantity) {
    case Quantity::kernel_tflops:
      return kFlopsPerMac * static_cast<double>(row.problem.macs()) / run.time_us() / kFlopsPerUs;
    case Quantity::kernel_us:
      return run.time_us();
    case Quantity::kernel_cycles:
      return static_cast<double>(run.cycles);
    default:
      return against.time_us() / run.time_us();
  }
}

/// The limit of a GEMM, in half a line: "multipliers busy 62.1 %, bound by l2".
std::string gemm_limits(const MachineConfig& machine, const LaunchResult& run) {
  const std::string limit = bound_by(at_clock(machine, run.clock_mhz), run);
  const double busy = static_cast<double>(run.multiplier_macs) / static_cast<double>(run.peak_macs);
  return fmt::format("multipliers busy {}, {}", format_percent(busy),
                     limit == "unclear" ? "nothing alone limits" : "bound by " + limit);
}

}  // namespace

GemmRow read_gemm_row(MapReader& map) {
  GemmRow row;
  row.problem.m = map.get_int("m", kGemmExtent);
  row.problem.n = map.get_int("n", kGemmExtent);
  row.problem.k = map.get_int("k", kGemmExtent);
  row.problem.dtype = map.get_dtype_or("dtype", row.problem.dtype);
  row.problem.a_pattern = map.get_pattern_or("pattern", kDense);
  row.against = row.problem;
  row.against.a_pattern = map.get_pattern_or("against", kDense);
  row.against.dtype = map.get_dtype_or("against_dtype", row.problem.dtype);
  row.quantity = read_quantity(map, {Scope::gemm});
  for (const char* const key : {"against", "against_dtype"}) {
    if (map.has(key) && row.quantity != Quantity::kernel_gain) {
      map.fail(key, std::string("'") + key + "' has no effect but on quantity: gain");
    }
  }
  map.finish();
  validate(row.problem, "a row's GEMM");
  return row;
}

std::vector<GemmProblem> gemms_of(const GemmRow& row) {
  if (row.quantity != Quantity::kernel_gain) return {row.problem};
  return {row.problem, row.against};
}

PaperAnswer answer_of(const GemmRow& row, const PaperColumn& column, const MachineConfig& machine,
                      std::span<const std::shared_ptr<const GemmRun>> runs) {
  const LaunchResult& run = runs.front()->result;
  const double value = gemm_value(row, run, runs.back()->result);
  return {column.name, column.machine + ", " + column.stack,
          value,       value,
          value,       gemm_limits(machine, run)};
}

}  // namespace stcsim
