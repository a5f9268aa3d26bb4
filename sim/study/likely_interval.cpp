#include "sim/study/likely_interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace stcsim {
namespace {

/// What of a kernel is off.
enum class ErrorClass : std::uint8_t { dense, sparse, gain, stream };
constexpr std::array<QuantityError TimeErrors::*, 4> kErrors{
    &TimeErrors::dense, &TimeErrors::sparse, &TimeErrors::gain, &TimeErrors::stream};

/// Kernels that are simulated once: they err alike.
using SameKernel = std::tuple<ErrorClass, std::string, std::int64_t, std::int64_t, std::int64_t,
                              std::int64_t, std::int64_t, std::int64_t>;

/// What a relative error of one adds to the logarithm of a figure.
class Sensitivities {
 public:
  void add(ErrorClass of, const ResultRow& row, double sensitivity) {
    sums_.at(static_cast<std::size_t>(of)) += sensitivity;
    kernels_[{of, row.op, row.m, row.n, row.k, row.batch_count, row.cycles, row.dense_cycles}] +=
        sensitivity;
    has_others_ = has_others_ || of == ErrorClass::stream;
  }
  /// Half the interval's length.
  /// @param step  the sensitivity to what the framework's recipe leaves out
  [[nodiscard]] double half(const TimeErrors& errors, double step) const {
    const auto error = [&](std::size_t of) { return errors.*kErrors.at(of); };
    double common = 0;
    for (std::size_t at = 0; at < sums_.size(); ++at) {
      common += std::abs(sums_.at(at)) * error(at).mean;
    }
    double squares = has_others_ ? std::pow(step * errors.step.half, 2) : 0;
    for (const auto& [kernel, sensitivity] : kernels_) {
      const auto of = static_cast<std::size_t>(std::get<0>(kernel));
      squares += std::pow(sensitivity * error(of).half, 2);
    }
    return common + std::sqrt(squares);
  }

 private:
  std::array<double, kErrors.size()> sums_{};
  std::map<SameKernel, double> kernels_;
  bool has_others_ = false;  // kernels beside the GEMMs, which a recipe lists
};

/// Cycles per step of a row, all repeats.
struct RowCycles {
  double dense = 0;
  double sparse = 0;  // of the steps in which the scheme is
  double both = 0;    // of the mean step
};

RowCycles cycles_of(const ResultRow& row, double share) {
  const double repeat = row.per_step();
  RowCycles cycles;
  cycles.dense = repeat * static_cast<double>(row.dense_cycles);
  cycles.sparse = share * repeat * static_cast<double>(row.cycles);
  cycles.both = cycles.sparse + (1.0 - share) * cycles.dense;
  return cycles;
}

bool is_assumed(const TimeErrors& errors) {
  return errors.dense.is_assumed || errors.gain.is_assumed;
}

}  // namespace

LikelyInterval speedup_interval(const std::vector<const ResultRow*>& rows, double share_of_training,
                                const TimeErrors& errors) {
  std::vector<RowCycles> cycles;
  double dense = 0;
  double both = 0;
  for (const ResultRow* const row : rows) {
    cycles.push_back(cycles_of(*row, share_of_training));
    dense += cycles.back().dense;
    both += cycles.back().both;
  }
  if (dense <= 0 || both <= 0) return {};
  Sensitivities sensitivities;
  double share_sparse = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const ResultRow& row = *rows[at];
    const bool is_gemm = row.is_gemm();
    if (row.ran_sparse) share_sparse += cycles[at].sparse / both;
    const double share_gained = cycles[at].dense / dense - cycles[at].both / both;
    sensitivities.add(is_gemm ? ErrorClass::dense : ErrorClass::stream, row, share_gained);
    if (is_gemm && row.cycles != row.dense_cycles) {
      sensitivities.add(ErrorClass::gain, row, cycles[at].sparse / both);
    }
  }
  // What a recipe leaves out takes its time in both steps.
  const double half = sensitivities.half(errors, 1 - dense / both);
  const double excess = share_sparse * errors.selection;
  return {dense / both * std::exp(-half - std::max(excess, 0.0)),
          dense / both * std::exp(half - std::min(excess, 0.0)), is_assumed(errors)};
}

LikelyInterval time_interval(const std::vector<const ResultRow*>& rows, StepOf step, double time_us,
                             const TimeErrors& errors) {
  const auto cycles = [&](const ResultRow& row) {
    const RowCycles of_row = cycles_of(row, 1.0);
    return step == StepOf::dense ? of_row.dense : of_row.sparse;
  };
  double all = 0;
  for (const ResultRow* const row : rows) all += cycles(*row);
  if (all <= 0) return {};
  Sensitivities sensitivities;
  for (const ResultRow* const row : rows) {
    const bool is_sparse = step == StepOf::scheme && row->cycles != row->dense_cycles;
    const ErrorClass gemm = is_sparse ? ErrorClass::sparse : ErrorClass::dense;
    sensitivities.add(row->is_gemm() ? gemm : ErrorClass::stream, *row, cycles(*row) / all);
  }
  const double half = sensitivities.half(errors, 1);
  return {time_us * std::exp(-half), time_us * std::exp(half), is_assumed(errors)};
}

void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors) {
  for (StudyTotal& total : totals) {
    if (!total.is_complete()) continue;
    std::vector<const ResultRow*> own;
    for (const ResultRow& row : rows) {
      const bool is_own =
          row.network == total.network && row.scheme == total.scheme && row.pass() == total.pass;
      if (is_own) own.push_back(&row);
    }
    total.interval = speedup_interval(own, total.share_of_training, errors);
    total.step_interval = speedup_interval(own, 1.0, errors);
    total.time_interval = time_interval(own, StepOf::scheme, total.step.time_us, errors);
    total.dense_time_interval = time_interval(own, StepOf::dense, total.step.dense_time_us, errors);
  }
}

}  // namespace stcsim
