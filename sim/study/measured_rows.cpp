#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {
namespace {

constexpr double kNanoseconds = 1000;  // of a microsecond

/// Cycles of something in the dense step and with the scheme.
struct BothSteps {
  double dense = 0;
  double own = 0;

  void add(const ResultRow& row) {
    dense += row.per_step() * static_cast<double>(row.dense_cycles);
    own += row.per_step() * static_cast<double>(row.cycles);
  }
  [[nodiscard]] double ratio() const { return dense > 0 ? own / dense : 1.0; }
};

/// What one repeat of the row's product took, in nanoseconds.
std::int64_t measured_ns(const Network& network, const ResultRow& row) {
  const auto layer = std::ranges::find(network.layers, row.layer, &Layer::name);
  if (layer == network.layers.end() || !layer->measured) return 0;
  if (row.phase == RowPhase::forward) return layer->measured->forward_ns;
  return row.phase == RowPhase::dgrad ? layer->measured->dgrad_ns : layer->measured->wgrad_ns;
}

class MeasuredStepRows {
 public:
  MeasuredStepRows(const Network& network, const LaunchCosts& launch, double clock_mhz)
      : step_(*network.measured_step), network_(network), launch_(launch), clock_mhz_(clock_mhz) {}

  void add(const ResultRow& row, double share) {
    share_ = std::min(share_, share);
    if (row.kind >= StreamKind::launches) return;
    if (sample_.scheme.empty()) sample_ = row;
    if (row.is_gemm()) return add_product(row, share);
    if (row.scheme_work) {
      launches_ += row.per_step() * static_cast<double>(row.launches);
      return keep(row, share);
    }
    (row.phase == RowPhase::optimizer ? optimizer_ : others_).add(row);
  }

  SharedRows take() {
    if (step_.gpu.empty()) {
      add_rest();
    } else {
      add_measured("optimizer", StreamKind::optimizer, step_.optimizer_ns, optimizer_.ratio());
      add_measured("kernels beside products", StreamKind::layout, step_.others_ns, others_.ratio());
      add_measured("copies", StreamKind::layout, step_.copies_ns, 1);
      add_measured("fills", StreamKind::layout, step_.fills_ns, 1);
      add_waits();
    }
    return std::move(rows_);
  }

 private:
  [[nodiscard]] double cycles_of(double ns) const { return ns * clock_mhz_ / kNanoseconds; }

  void keep(const ResultRow& row, double share) {
    busy_.add(row);
    rows_.rows.push_back(row);
    rows_.shares.push_back(share);
  }

  void set_times(ResultRow& row, double dense_cycles, double cycles) const {
    row.dense_cycles = std::llround(dense_cycles);
    row.cycles = std::llround(cycles);
    row.dense_time_us = static_cast<double>(row.dense_cycles) / clock_mhz_;
    row.time_us = static_cast<double>(row.cycles) / clock_mhz_;
    row.speedup = row.cycles > 0 ? dense_cycles / cycles : 1.0;
  }

  /// A product of which nothing was measured ran in the kernel of another.
  void add_product(ResultRow row, double share) {
    if (row.ran_sparse) sparse_products_ += row.per_step() * static_cast<double>(row.gemm_count);
    if (step_.gpu.empty()) return keep(row, share);
    const double dense = cycles_of(static_cast<double>(measured_ns(network_, row)));
    if (dense == 0) return;
    const double ratio = static_cast<double>(row.cycles) / static_cast<double>(row.dense_cycles);
    row.measured = true;
    set_times(row, dense, dense * ratio);
    keep(row, share);
  }

  void add_measured(const std::string& op, StreamKind kind, std::int64_t ns, double ratio) {
    if (ns == 0) return;
    const double dense = cycles_of(static_cast<double>(ns));
    add_row(op, kind, dense, dense * ratio);
  }

  void add_row(const std::string& op, StreamKind kind, double dense, double own) {
    ResultRow row;
    row.machine = sample_.machine;
    row.network = sample_.network;
    row.scheme = sample_.scheme;
    row.dtype = sample_.dtype;
    row.layer = "measured";
    row.op = op;
    row.kind = kind;
    row.phase = kind == StreamKind::optimizer ? RowPhase::optimizer : RowPhase::other;
    row.measured = true;
    set_times(row, dense, own);
    keep(row, dense == own ? 1.0 : share_);
  }

  /// Only the whole step is known: all that is not a product takes the rest of it.
  void add_rest() {
    const double span = cycles_of(static_cast<double>(step_.span_ns));
    const double rest = span - busy_.dense;
    if (rest < 0) refuse("products and attention", sample_.machine);
    BothSteps beside = others_;
    beside.dense += optimizer_.dense;
    beside.own += optimizer_.own;
    add_row("all else", StreamKind::layout, rest, rest * beside.ratio());
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& where) const {
    throw ConfigError(fmt::format(
        "the measured step of '{}' takes {:.4g} ms, must be more than its {}, {:.4g} ms ({})",
        network_.name, 1e-6 * static_cast<double>(step_.span_ns), what,
        1e-3 * busy_.dense / clock_mhz_, where));
  }

  void add_waits() {
    const double span = cycles_of(static_cast<double>(step_.span_ns));
    constexpr double kOverlapping = 0.01;  // share of the kernels that ran beside others
    if (span < (1 - kOverlapping) * busy_.dense) refuse("kernels, copies and fills", "profile");
    const double host = std::min(span, cycles_of(static_cast<double>(step_.host_ns)));
    const double own_host = host + clock_mhz_ * launches_ * launch_.host_us;
    const double calls = clock_mhz_ * sparse_products_ * launch_.sparse_product_us;
    const double gaps = std::max(0.0, span - std::max(host, busy_.dense));
    const double own = std::max(own_host, busy_.own) + gaps - busy_.own;
    const double called = std::max(own_host + calls, busy_.own) - std::max(own_host, busy_.own);
    add_row(std::string(kHostOp), StreamKind::launches, span - busy_.dense, own);
    if (called > 0) add_row(std::string(kSparseCallsOp), StreamKind::sparse_calls, 0, called);
  }

  const MeasuredStep& step_;
  const Network& network_;
  const LaunchCosts& launch_;
  double clock_mhz_;
  /// Names of rows that are not of a layer.
  ResultRow sample_;
  double share_ = 1;
  BothSteps busy_;
  BothSteps optimizer_;
  BothSteps others_;
  /// What the scheme launches beside the dense step, per step.
  double launches_ = 0;
  double sparse_products_ = 0;
  SharedRows rows_;
};

}  // namespace

SharedRows measured_rows(const Network& network, const SharedRows& rows, const LaunchCosts& launch,
                         double clock_mhz) {
  std::vector<std::string> schemes;
  for (const ResultRow& row : rows.rows) {
    if (std::ranges::find(schemes, row.scheme) == schemes.end()) schemes.push_back(row.scheme);
  }
  SharedRows all;
  for (const std::string& scheme : schemes) {
    MeasuredStepRows step(network, launch, clock_mhz);
    for (std::size_t at = 0; at < rows.rows.size(); ++at) {
      if (rows.rows[at].scheme == scheme) step.add(rows.rows[at], rows.shares[at]);
    }
    SharedRows own = step.take();
    std::ranges::move(own.rows, std::back_inserter(all.rows));
    std::ranges::move(own.shares, std::back_inserter(all.shares));
  }
  return all;
}

}  // namespace stcsim
