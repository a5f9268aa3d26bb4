#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

/// What of a kernel is off.
enum class ErrorClass : std::uint8_t { dense, sparse, gain, stream };
constexpr std::size_t kErrorClasses = 4;

const QuantityError& error_of(const TimeErrors& errors, ErrorClass of, const ResultRow& row) {
  if (of == ErrorClass::stream) return errors.stream;
  if (of == ErrorClass::dense) {
    return errors.dense.in(regime_of(row.m, row.n, row.dense_time_us));
  }
  const GemmRegime regime = regime_of(row.m, row.n, row.time_us);
  return of == ErrorClass::sparse ? errors.sparse.in(regime) : errors.gain.in(regime);
}

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
  explicit Sensitivities(const TimeErrors& errors) : errors_(errors) {}

  void add(ErrorClass of, const ResultRow& row, double sensitivity) {
    const QuantityError& error = error_of(errors_, of, row);
    common_.at(static_cast<std::size_t>(of)) += sensitivity * error.mean;
    Kernel& kernel =
        kernels_[{of, row.op, row.m, row.n, row.k, row.batch_count, row.cycles, row.dense_cycles}];
    kernel.error = &error;
    kernel.sensitivity += sensitivity;
  }
  /// @param step  what the framework's recipe leaves out, or lists too much, makes of the figure
  [[nodiscard]] Ends ends(const Ends& step) const {
    double common = 0;
    for (const double of_class : common_) common += std::abs(of_class);
    double below = step.below * step.below;
    double above = step.above * step.above;
    for (const auto& [name, kernel] : kernels_) {
      const LogRange& range = kernel.error->band.in_95;
      const double slower = kernel.sensitivity * range.high;
      const double faster = kernel.sensitivity * range.low;
      below += std::pow(std::min(slower, faster), 2);
      above += std::pow(std::max(slower, faster), 2);
    }
    return {common + std::sqrt(below), common + std::sqrt(above)};
  }

 private:
  struct Kernel {
    const QuantityError* error = nullptr;
    double sensitivity = 0;
  };

  const TimeErrors& errors_;
  std::array<double, kErrorClasses> common_{};
  std::map<SameKernel, Kernel> kernels_;
};

/// Time of a dense step that a recipe may leave out or list too much, the latter at most all
/// kernels beside the GEMMs; nothing where there are none, for a recipe lists these.
struct RecipeTime {
  double left_out = 0;
  double too_much = 0;
};

RecipeTime recipe_time(double step, double others, const LogRange& error) {
  if (others <= 0) return {};
  return {step * std::expm1(error.high), std::min(-step * std::expm1(error.low), others)};
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

/// What the pattern leaves of a product's multiplications.
double kept_share(const ResultRow& row) {
  return std::min(row.pattern.share(), row.hardware_pattern.share());
}

/// Cycles of a row if what ran sparse took as little as its pattern leaves of it, and what the
/// scheme adds nothing. A product that takes less than that (of a narrower type than dense's) may
/// be faster by what gains are off.
double least_cycles(const ResultRow& row, const TimeErrors& errors) {
  const double repeat = row.per_step();
  const double own = repeat * static_cast<double>(row.cycles);
  const double dense = repeat * static_cast<double>(row.dense_cycles);
  if (!row.is_gemm() || (!row.ran_sparse && own >= dense)) return std::min(own, dense);
  const double kept = row.ran_sparse ? dense * kept_share(row) : dense;
  const QuantityError& error = error_of(errors, ErrorClass::gain, row);
  return kept < own ? kept : own * std::exp(-error.band.in_95.high);
}

/// The gain beyond which no scheme takes a step that is sparse for such a share of a training.
double most_gained(const std::vector<const ResultRow*>& rows, double share,
                   const TimeErrors& errors) {
  double dense = 0;
  double least = 0;
  for (const ResultRow* const row : rows) {
    const double of_row = row->per_step() * static_cast<double>(row->dense_cycles);
    dense += of_row;
    least += share * least_cycles(*row, errors) + (1 - share) * of_row;
  }
  return dense / least;
}

/// Whether errors of other cards or types are said of most of the GEMMs' dense cycles.
bool is_assumed(const TimeErrors& errors, const std::vector<const ResultRow*>& rows) {
  double all = 0;
  double assumed = 0;
  for (const ResultRow* const row : rows) {
    if (!row->is_gemm()) continue;
    const double dense = row->per_step() * static_cast<double>(row->dense_cycles);
    const ErrorClass of = row->cycles != row->dense_cycles ? ErrorClass::gain : ErrorClass::dense;
    all += dense;
    if (error_of(errors, of, *row).is_assumed) assumed += dense;
  }
  return 2 * assumed > all;
}

/// Then no recipe says what runs beside the products.
bool any_measured(const std::vector<const ResultRow*>& rows) {
  return std::ranges::any_of(rows, &ResultRow::measured);
}

/// Whether whole steps tell of this one: it has kernels beside the GEMMs.
bool is_step(double others, const TimeErrors& errors) {
  return others > 0 && errors.step.band != ErrorBand();
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
  Sensitivities sensitivities(errors);
  double share_sparse = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const ResultRow& row = *rows[at];
    const bool is_gemm = row.is_gemm();
    if (row.ran_sparse) share_sparse += cycles[at].sparse / both;
    const double share_gained = cycles[at].dense / dense - cycles[at].both / both;
    if (!row.measured) {
      sensitivities.add(is_gemm ? ErrorClass::dense : ErrorClass::stream, row, share_gained);
    }
    if (is_gemm && row.cycles != row.dense_cycles) {
      sensitivities.add(ErrorClass::gain, row, cycles[at].sparse / both);
    }
  }
  const RecipeTime recipe =
      any_measured(rows)
          ? RecipeTime()
          : recipe_time(dense, std::min(others.dense, others.both), errors.step.band.in_95);
  const Ends ends = sensitivities.ends(ends_of_speedup(dense, both, recipe));
  const double excess = share_sparse * errors.selection;
  const double high = dense / both * std::exp(ends.above - std::min(excess, 0.0));
  return {dense / both * std::exp(-ends.below - std::max(excess, 0.0)),
          std::min(high, most_gained(rows, share_of_training, errors)), is_assumed(errors, rows)};
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
  const bool is_measured = any_measured(rows);
  if (is_measured && step == StepOf::dense) return {};
  const bool of_steps = !is_measured && is_step(others, errors);
  Sensitivities sensitivities(errors);
  for (const ResultRow* const row : rows) {
    const bool is_own = step == StepOf::scheme && row->cycles != row->dense_cycles;
    if (row->measured ? !is_own || !row->is_gemm() : of_steps && !is_own) continue;
    const ErrorClass simulated = is_own ? ErrorClass::sparse : ErrorClass::dense;
    const ErrorClass gemm = row->measured ? ErrorClass::gain : simulated;
    sensitivities.add(row->is_gemm() ? gemm : ErrorClass::stream, *row, cycles(*row) / all);
  }
  const LogRange& range = errors.step.band.in_95;
  const Ends ends = sensitivities.ends(of_steps ? Ends{-range.low, range.high} : Ends());
  return {time_us * std::exp(-ends.below), time_us * std::exp(ends.above),
          of_steps ? errors.step.is_assumed : is_assumed(errors, rows)};
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
    std::vector<const ResultRow*> kernels = own;
    std::erase_if(kernels, [](const auto* row) { return row->kind >= StreamKind::launches; });
    total.kernels_interval = speedup_interval(kernels, 1.0, errors);
    total.step_interval = speedup_interval(own, 1.0, errors);
    total.time_interval = time_interval(own, StepOf::scheme, total.step.time_us, errors);
    total.dense_time_interval = time_interval(own, StepOf::dense, total.step.dense_time_us, errors);
  }
}

}  // namespace stcsim
