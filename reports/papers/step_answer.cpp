#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "reports/papers/step_row.hpp"

namespace stcsim {
namespace {

constexpr double kPercent = 100;

/// Microseconds that products take, dense and as the scheme runs them.
struct ProductTime {
  double dense = 0;
  double sparse = 0;

  void operator+=(const ProductTime& other) {
    dense += other.dense;
    sparse += other.sparse;
  }
  [[nodiscard]] double gain() const { return sparse > 0 ? dense / sparse : 1; }
};

/// Percent of the dense time, from a gain.
double saved(double gain) {
  return kPercent * (1 - 1 / gain);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The rows of the network under the scheme on the machine, in the row's layers.
std::vector<const ResultRow*> rows_of(const StepRow& row, const PaperColumn& column,
                                      const StudyResult& study) {
  std::vector<const ResultRow*> rows;
  for (const ResultRow& one : study.rows) {
    if (one.machine == column.machine && one.network == row.network &&
        one.scheme == row.scheme.full_name() &&
        (row.layers.empty() || has(row.layers, one.layer))) {
      rows.push_back(&one);
    }
  }
  return rows;
}

ProductTime time_of(const ResultRow& row) {
  const double times = static_cast<double>(row.repeat) / static_cast<double>(row.every);
  const double us_per_cycle = row.cycles > 0 ? row.time_us / static_cast<double>(row.cycles) : 0;
  return {times * us_per_cycle * static_cast<double>(row.dense_cycles), times * row.time_us};
}

using ProductTimes = std::map<std::string, ProductTime>;

ProductTimes gemm_times(const std::vector<const ResultRow*>& rows) {
  ProductTimes times;
  for (const ResultRow* const row : rows) {
    if (row->is_gemm()) times[std::string(to_string(row->phase))] += time_of(*row);
  }
  return times;
}

/// Time of the row's products together.
ProductTime chosen(const StepRow& row, const ProductTimes& times) {
  ProductTime sum;
  for (const std::string& product : row.products) {
    if (const auto at = times.find(product); at != times.end()) sum += at->second;
  }
  return sum;
}

ProductTime all_of(const ProductTimes& times) {
  ProductTime sum;
  for (const auto& [product, time] : times) {
    if (product != kInferenceName) sum += time;
  }
  return sum;
}

/// Everything of the row's layers in a training step but the optimizer.
ProductTime block_time(const std::vector<const ResultRow*>& rows) {
  ProductTime sum;
  for (const ResultRow* const row : rows) {
    if (row->pass() == kTrainingPass && row->phase != RowPhase::optimizer) sum += time_of(*row);
  }
  return sum;
}

double layers_value(const StepRow& row, const std::vector<const ResultRow*>& rows) {
  const ProductTimes times = gemm_times(rows);
  const ProductTime sum = chosen(row, times);
  switch (row.quantity) {
    case Quantity::share:
      return kPercent * sum.sparse / all_of(times).sparse;
    case Quantity::share_of_dense:
      return kPercent * sum.sparse / all_of(times).dense;
    case Quantity::gemm_saved:
      return saved(sum.gain());
    case Quantity::block_gain:
      return block_time(rows).gain();
    case Quantity::gemm_ms:
      return sum.sparse / 1000;
    default:
      return sum.gain();
  }
}

const StudyTotal* total_of(const StepRow& row, const StepScheme& scheme, const PaperColumn& column,
                           const StudyResult& study) {
  for (const StudyTotal& total : study.totals) {
    if (total.machine == column.machine && total.network == row.network &&
        total.scheme == scheme.full_name() && (total.pass == kTrainingPass) != row.is_inference() &&
        total.is_complete()) {
      return &total;
    }
  }
  return nullptr;
}

PaperAnswer value_answer(double value) {
  PaperAnswer answer;
  answer.value = answer.low = answer.high = value;
  return answer;
}

/// A whole step or pass: its figure, and where it lies.
PaperAnswer whole_answer(const StepRow& row, const PaperColumn& column, const StudyTotal& total,
                         const StudyTotal* against) {
  switch (row.quantity) {
    case Quantity::step_ms:
    case Quantity::inference_ms:
      return value_answer(total.step.time_us / 1000);
    case Quantity::step_ratio:
      return value_answer(against->step.time_us / total.step.time_us);
    case Quantity::memory_share:
      return value_answer(kPercent * static_cast<double>(total.memory.total()) /
                          static_cast<double>(against->memory.total()));
    default:
      break;
  }
  const auto figure = [&](double gain) {
    return row.quantity == Quantity::step_saved ? saved(gain) : gain;
  };
  PaperAnswer answer = value_answer(figure(total.step.speedup));
  // What is assumed has no error.
  if (column.assumed || !total.step_interval.is_known()) return answer;
  answer.low = figure(total.step_interval.low);
  answer.high = figure(total.step_interval.high);
  return answer;
}

bool is_whole(const StepRow& row) {
  return info_of(row.quantity).scope != Scope::layers;
}

/// Cycles of a part of a step as it ran, and of the dense one in its place.
double cycles_of(const PhaseTotal& part) {
  return static_cast<double>(part.cycles);
}
double dense_of(const PhaseTotal& part) {
  return part.speedup * cycles_of(part);
}
/// dense / sparse; 1 where nothing runs.
double gain_of(double dense, double sparse) {
  return sparse > 0 ? dense / sparse : 1;
}

/// Gains that differ by less read as one.
constexpr double kSameGain = 0.005;

/// The gain that counting multiplications promises of a phase: all over those that are left.
double counted_gain(const StudyResult& study, const StudyTotal& total, RowPhase phase) {
  double all = 0;
  double left = 0;
  for (const ResultRow& row : study.rows) {
    if (row.machine != total.machine || row.network != total.network ||
        row.scheme != total.scheme || row.phase != phase || !row.is_gemm()) {
      continue;
    }
    const auto repeat = static_cast<double>(row.repeat);
    const Pattern& pattern = row.hardware_pattern;
    const double kept = static_cast<double>(pattern.n) / static_cast<double>(pattern.m);
    all += repeat * static_cast<double>(row.macs);
    left += repeat * static_cast<double>(row.macs) -
            repeat * static_cast<double>(row.sparse_macs) * (1 - kept);
  }
  return gain_of(all, left);
}

/// "dgrad 1.55x of 2.00x counted" of each phase that ran sparse.
std::vector<std::string> phase_gains(const StudyResult& study, const StudyTotal& total) {
  const bool is_training = total.pass == kTrainingPass;
  const std::array<std::pair<RowPhase, const PhaseTotal*>, 3> phases{
      {{RowPhase::forward, &total.forward},
       {RowPhase::dgrad, &total.dgrad},
       {RowPhase::wgrad, &total.wgrad}}};
  std::vector<std::string> parts;
  const auto add = [&](RowPhase phase, const PhaseTotal& part) {
    const double counted = counted_gain(study, total, phase);
    if (counted < 1 + kSameGain) return;
    parts.push_back(fmt::format("{} {} of {} counted", to_string(phase),
                                format_speedup(part.speedup), format_speedup(counted)));
  };
  if (!is_training) {
    add(RowPhase::inference, total.gemms);
    return parts;
  }
  for (const auto& [phase, part] : phases) add(phase, *part);
  return parts;
}

/// Why a row of the scheme that asked for a pattern ran dense.
std::string why_dense(const StudyResult& study, const StudyTotal& total) {
  for (const ResultRow& row : study.rows) {
    if (row.machine == total.machine && row.network == total.network &&
        row.scheme == total.scheme && !row.pattern.is_dense() && !row.ran_sparse) {
      return row.reason;
    }
  }
  return "nothing is pruned here";
}

/// Says what is left, in half a line, of the gain that counting multiplications promises each
/// product of a scheme, and where the rest went; why it ran dense if it did.
/// @param is_whole of a step or pass with everything beside the GEMMs, else of the GEMMs alone
std::string gain_reasons(const StudyResult& study, const StudyTotal& total, bool is_whole) {
  std::vector<std::string> parts = phase_gains(study, total);
  if (parts.empty()) return "all GEMMs run dense: " + why_dense(study, total);
  if (is_whole) {
    const double dense = dense_of(total.step);
    parts.push_back(fmt::format("GEMMs are {} of the dense {}",
                                format_percent(dense_of(total.gemms) / dense),
                                total.pass == kTrainingPass ? "step" : "pass"));
    if (total.scheme_work.cycles > 0) {
      parts.push_back(fmt::format("pruning takes {} of it",
                                  format_percent(cycles_of(total.scheme_work) / dense)));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// Gains of every product of the row's layers in a step in which the scheme is sparse.
std::string product_gains(const StepRow& row, const std::vector<const ResultRow*>& rows) {
  std::vector<std::string> gains;
  for (const auto& [product, time] : gemm_times(rows)) {
    if (has(row.products, product) && time.sparse < time.dense) {
      gains.push_back(product + " " + format_speedup(time.gain()));
    }
  }
  return fmt::format("{}", fmt::join(gains, ", "));
}

/// Why an answer that has a direction is what it is.
std::string because_of(const StepRow& row, const PaperColumn& column, const StudyResult& study,
                       const StudyTotal& total) {
  if (!info_of(row.quantity).neutral || row.quantity == Quantity::memory_share) return "";
  if (is_whole(row)) return gain_reasons(study, total, true);
  const std::string gains = product_gains(row, rows_of(row, column, study));
  return gains.empty() ? gain_reasons(study, total, false) : gains;
}

}  // namespace

std::optional<PaperAnswer> answer_of(const StepRow& row, const PaperColumn& column,
                                     const StudyResult& study) {
  const StudyTotal* const total = total_of(row, row.scheme, column, study);
  const StudyTotal* const against =
      row.against ? total_of(row, *row.against, column, study) : nullptr;
  if (total == nullptr || (row.against && against == nullptr)) return std::nullopt;
  PaperAnswer answer = is_whole(row) ? whole_answer(row, column, *total, against)
                                     : value_answer(layers_value(row, rows_of(row, column, study)));
  answer.column = column.name;
  answer.where = column.where();
  answer.because = because_of(row, column, study, *total);
  return answer;
}

}  // namespace stcsim
