#include "reports/parts/study_groups.hpp"

#include <string_view>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "sim/config/machine.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// What a training gains with the best of all kernels; null where that was not simulated.
const StackGain* with_best_kernels(const StudyTotal& total) {
  const auto found = std::ranges::find(total.beside, kBestStack, &StackGain::stack);
  return found == total.beside.end() ? nullptr : &*found;
}

bool has_best_kernels(const StudyTotal& total) {
  return with_best_kernels(total) != nullptr;
}

}  // namespace

std::vector<std::vector<const ResultRow*>> by_machine_and_network(
    const std::vector<ResultRow>& rows) {
  return groups_of(rows, [](const ResultRow& one, const ResultRow& other) {
    return one.machine == other.machine && one.network == other.network;
  });
}

std::vector<StudyTotals> by_pass(const std::vector<StudyTotal>& totals) {
  return groups_of(totals, [](const StudyTotal& one, const StudyTotal& other) {
    return one.machine == other.machine && one.network == other.network && one.pass == other.pass;
  });
}

bool is_baseline(const StudyTotal& total) {
  return total.scheme == kBaselineScheme;
}

const StudyTotal* fastest_of(const StudyTotals& totals) {
  const StudyTotal* fastest = nullptr;
  for (const StudyTotal* const total : totals) {
    if (is_baseline(*total) || !total->is_complete()) continue;
    if (fastest == nullptr || total->training.speedup > fastest->training.speedup) fastest = total;
  }
  return fastest;
}

SparseProducts sparse_products(const std::vector<ResultRow>& rows, const StudyTotal& total) {
  SparseProducts products;
  for (const ResultRow& row : rows) {
    const bool is_of_total = row.machine == total.machine && row.network == total.network &&
                             row.scheme == total.scheme && row.pass() == total.pass;
    if (!is_of_total || !row.is_gemm() || row.pattern.is_dense()) continue;
    products.asked += row.repeat;
    if (row.ran_sparse) products.ran += row.repeat;
  }
  return products;
}

bool leaves_dense(const StudyTotal& total) {
  return total.always.cycles > 0 && total.always.cycles != total.step.cycles;
}

bool any_leaves_dense(const StudyTotals& totals) {
  return std::ranges::any_of(totals, [](const StudyTotal* one) { return leaves_dense(*one); });
}

bool any_dense_steps(const StudyTotals& totals) {
  return std::ranges::any_of(totals, [](const auto* one) { return one->share_of_training < 1; });
}

bool any_best_kernels(const StudyTotals& totals) {
  return std::ranges::any_of(totals, [](const StudyTotal* one) { return has_best_kernels(*one); });
}

bool has_machines_without_libraries(const StudyResult& study) {
  return std::ranges::any_of(study.totals, &has_best_kernels) &&
         !std::ranges::all_of(study.totals, &has_best_kernels);
}

const char* step_word(const StudyTotal& total) {
  if (total.pass != kTrainingPass) return "pass";
  return total.products_only ? "sum" : "step";
}

std::string place_of(const std::string& network, const std::string& machine, StudyPass pass) {
  const std::string place = network + " on " + machine;
  return pass == StudyPass::training ? place : place + ", " + std::string(to_string(pass));
}

std::string place_of(const StudyTotal& total) {
  return place_of(total.network, total.machine, total.pass);
}

std::string name_with_repeat(const ResultRow& row) {
  return row.repeat == 1 ? row.layer : row.layer + " ×" + std::to_string(row.repeat);
}

std::string speedup_cell(const PhaseTotal& part) {
  return part_cell(part, [](const PhaseTotal& one) { return format_speedup(one.speedup); });
}

std::string step_time_cell(const StudyTotal& total) {
  return total.is_complete() ? format_time_us(total.step.time_us) : kFailedCell;
}

std::string all_kernels_cell(const StudyTotal& total) {
  const StackGain* const best = with_best_kernels(total);
  return best == nullptr ? kNothingCell : format_speedup(best->speedup);
}

bool has_verdict(const StudyTotal& total) {
  return total.interval.is_known() && !is_baseline(total);
}

std::string likely_cell(const StudyTotal& total) {
  if (!has_verdict(total)) return kNothingCell;
  std::string text = format_between(total.interval);
  std::erase(text, 'x');
  return text;
}

std::string verdict_cell(const StudyTotal& total) {
  if (!has_verdict(total)) return kNothingCell;
  const std::string_view verdict = total.interval.verdict();
  if (verdict == "as dense") return "same";
  if (verdict == "not told apart") return "unclear";
  return verdict == "slower" ? "SLOWER" : std::string(verdict);
}

}  // namespace stcsim
