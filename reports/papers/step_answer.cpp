#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/claims/gain_reasons.hpp"
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

/// Of the row's products together.
ProductTime chosen(const StepRow& row, const ProductTimes& times) {
  ProductTime sum;
  for (const std::string& product : row.products) {
    if (const auto at = times.find(product); at != times.end()) sum += at->second;
  }
  return sum;
}

/// Percent of the dense time of all products: what the row's products take, and what all take.
struct SharedTime {
  double products = 0;
  double all = kPercent;
};

SharedTime with_published_shares(const StepRow& row, const ProductTimes& times) {
  SharedTime time;
  for (const Phase phase : kPhases) {
    const std::optional<double>& share = row.published_shares.at(static_cast<std::size_t>(phase));
    const auto at = times.find(std::string(to_string(phase)));
    if (!share || at == times.end()) continue;
    const double left = *share / at->second.gain();
    time.all -= *share - left;
    if (has(row.products, at->first)) time.products += left;
  }
  return time;
}

double shared_value(const StepRow& row, const ProductTimes& times) {
  const SharedTime time = with_published_shares(row, times);
  switch (row.quantity) {
    case StepQuantity::share:
      return kPercent * time.products / time.all;
    case StepQuantity::share_of_dense:
      return time.products;
    case StepQuantity::gemm_gain:
    case StepQuantity::step_gain:
      return kPercent / time.all;
    default:
      return kPercent - time.all;
  }
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
    case StepQuantity::share:
      return kPercent * sum.sparse / all_of(times).sparse;
    case StepQuantity::share_of_dense:
      return kPercent * sum.sparse / all_of(times).dense;
    case StepQuantity::gemm_saved:
      return kPercent * (1 - 1 / sum.gain());
    case StepQuantity::block_gain:
      return block_time(rows).gain();
    case StepQuantity::gemm_ms:
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

/// Of a whole step or pass: what it is, and where it lies.
PaperAnswer whole_answer(const StepRow& row, const PaperColumn& column, const StudyTotal& total,
                         const StudyTotal* against) {
  PaperAnswer answer;
  // What is assumed has no error.
  const SpeedupInterval interval = column.assumed ? SpeedupInterval() : total.step_interval;
  const auto saved = [](double gain) { return kPercent * (1 - 1 / gain); };
  const auto from = [&](auto figure) {
    answer.value = answer.low = answer.high = figure(total.step.speedup);
    if (interval.is_known()) answer.low = figure(interval.low), answer.high = figure(interval.high);
  };
  switch (row.quantity) {
    case StepQuantity::step_saved:
      from(saved);
      break;
    case StepQuantity::step_ms:
    case StepQuantity::inference_ms:
      answer.value = answer.low = answer.high = total.step.time_us / 1000;
      break;
    case StepQuantity::step_ratio:
    case StepQuantity::implied_epochs: {
      const double left = 1 - row.less_time / kPercent;
      answer.value = answer.low = answer.high = left * against->step.time_us / total.step.time_us;
      break;
    }
    case StepQuantity::memory_share:
      answer.value = answer.low = answer.high = kPercent *
                                                static_cast<double>(total.memory.total()) /
                                                static_cast<double>(against->memory.total());
      break;
    default:
      from([](double gain) { return gain; });
  }
  return answer;
}

bool is_whole(StepQuantity quantity) {
  switch (quantity) {
    case StepQuantity::step_gain:
    case StepQuantity::step_saved:
    case StepQuantity::inference_gain:
    case StepQuantity::step_ms:
    case StepQuantity::inference_ms:
    case StepQuantity::step_ratio:
    case StepQuantity::implied_epochs:
    case StepQuantity::memory_share:
      return true;
    default:
      return false;
  }
}

PaperAnswer value_answer(double value) {
  PaperAnswer answer;
  answer.value = answer.low = answer.high = value;
  return answer;
}

/// Two schemes with the paper's own shares: time left of one / time left of the other.
PaperAnswer shared_ratio(const StepRow& row, const PaperColumn& column, const StudyResult& study) {
  StepRow other = row;
  other.scheme = *row.against;
  const double time = with_published_shares(row, gemm_times(rows_of(row, column, study))).all;
  const double against =
      with_published_shares(other, gemm_times(rows_of(other, column, study))).all;
  return value_answer((1 - row.less_time / kPercent) * against / time);
}

/// What every product of the row's layers gains in a step in which the scheme is sparse.
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
  if (!quantity_of(row).neutral || row.quantity == StepQuantity::memory_share) return "";
  if (is_whole(row.quantity)) return gain_reasons(study, total, true);
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
  PaperAnswer answer;
  const bool is_shared = column.assumed && row.has_published_shares();
  if (is_shared && row.against) {
    answer = shared_ratio(row, column, study);
  } else if (is_shared) {
    answer = value_answer(shared_value(row, gemm_times(rows_of(row, column, study))));
  } else if (is_whole(row.quantity)) {
    answer = whole_answer(row, column, *total, against);
  } else {
    answer = value_answer(layers_value(row, rows_of(row, column, study)));
  }
  answer.column = column.name;
  answer.where = column.where();
  answer.because = is_shared ? "with the paper's own shares of the products"
                             : because_of(row, column, study, *total);
  return answer;
}

}  // namespace stcsim
