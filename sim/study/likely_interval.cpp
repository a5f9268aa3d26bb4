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

/// How far a measured figure may lie below and above the simulated one, as logarithms.
struct Ends {
  double below = 0;
  double above = 0;
};

/// What a relative error of one adds to the logarithm of a figure.
class Sensitivities {
 public:
  void add(ErrorClass of, const ResultRow& row, double sensitivity) {
    sums_.at(static_cast<std::size_t>(of)) += sensitivity;
    kernels_[{of, row.op, row.m, row.n, row.k, row.batch_count, row.cycles, row.dense_cycles}] +=
        sensitivity;
  }
  /// @param step  what the framework's recipe leaves out, or lists too much, makes of the figure
  [[nodiscard]] Ends ends(const TimeErrors& errors, const Ends& step) const {
    const auto error = [&](std::size_t of) { return errors.*kErrors.at(of); };
    double common = 0;
    for (std::size_t at = 0; at < sums_.size(); ++at) {
      common += std::abs(sums_.at(at)) * error(at).mean;
    }
    double squares = 0;
    for (const auto& [kernel, sensitivity] : kernels_) {
      const auto of = static_cast<std::size_t>(std::get<0>(kernel));
      squares += std::pow(sensitivity * error(of).half, 2);
    }
    return {common + std::sqrt(squares + step.below * step.below),
            common + std::sqrt(squares + step.above * step.above)};
  }

 private:
  std::array<double, kErrors.size()> sums_{};
  std::map<SameKernel, double> kernels_;
};

/// Time of a dense step that a recipe may leave out or list too much, the latter at most all
/// kernels beside the GEMMs; nothing where there are none, for a recipe lists these.
struct RecipeTime {
  double left_out = 0;
  double too_much = 0;
};

RecipeTime recipe_time(double step, double others, const QuantityError& error) {
  if (others <= 0) return {};
  return {step * std::expm1(error.half), std::min(-step * std::expm1(-error.half), others)};
}

/// It takes its time in both steps, and so draws their ratio towards 1.
Ends ends_of_speedup(double dense, double scheme, const RecipeTime& recipe) {
  Ends ends;
  for (const double more : {recipe.left_out, -recipe.too_much}) {
    if (dense + more <= 0 || scheme + more <= 0) continue;
    const double moved = std::log((dense + more) / (scheme + more) * (scheme / dense));
    ends.below = std::max(ends.below, -moved);
    ends.above = std::max(ends.above, moved);
  }
  return ends;
}

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
  RowCycles others;
  for (const ResultRow* const row : rows) {
    cycles.push_back(cycles_of(*row, share_of_training));
    dense += cycles.back().dense;
    both += cycles.back().both;
    if (row->is_gemm()) continue;
    others.dense += cycles.back().dense;
    others.both += cycles.back().both;
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
  const RecipeTime recipe = recipe_time(dense, std::min(others.dense, others.both), errors.step);
  const Ends ends = sensitivities.ends(errors, ends_of_speedup(dense, both, recipe));
  const double excess = share_sparse * errors.selection;
  return {dense / both * std::exp(-ends.below - std::max(excess, 0.0)),
          dense / both * std::exp(ends.above - std::min(excess, 0.0)), is_assumed(errors)};
}

LikelyInterval time_interval(const std::vector<const ResultRow*>& rows, StepOf step, double time_us,
                             const TimeErrors& errors) {
  const auto cycles = [&](const ResultRow& row) {
    const RowCycles of_row = cycles_of(row, 1.0);
    return step == StepOf::dense ? of_row.dense : of_row.sparse;
  };
  double all = 0;
  double others = 0;
  for (const ResultRow* const row : rows) {
    all += cycles(*row);
    if (!row->is_gemm()) others += cycles(*row);
  }
  if (all <= 0) return {};
  Sensitivities sensitivities;
  for (const ResultRow* const row : rows) {
    const bool is_sparse = step == StepOf::scheme && row->cycles != row->dense_cycles;
    const ErrorClass gemm = is_sparse ? ErrorClass::sparse : ErrorClass::dense;
    sensitivities.add(row->is_gemm() ? gemm : ErrorClass::stream, *row, cycles(*row) / all);
  }
  const RecipeTime recipe = recipe_time(all, others, errors.step);
  const Ends ends = sensitivities.ends(
      errors, {-std::log1p(-recipe.too_much / all), std::log1p(recipe.left_out / all)});
  return {time_us * std::exp(-ends.below), time_us * std::exp(ends.above), is_assumed(errors)};
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
