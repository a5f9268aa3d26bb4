#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/parts/described_table.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The items that are alike, in order of first appearance.
template <typename Item, class Alike>
[[nodiscard]] std::vector<std::vector<const Item*>> groups_of(const std::vector<Item>& items,
                                                              Alike alike) {
  std::vector<std::vector<const Item*>> groups;
  for (const Item& item : items) {
    const auto found = std::ranges::find_if(
        groups, [&](const auto& group) { return alike(*group.front(), item); });
    (found == groups.end() ? groups.emplace_back() : *found).push_back(&item);
  }
  return groups;
}

using StudyTotals = std::vector<const StudyTotal*>;

/// The rows of each machine and network.
[[nodiscard]] std::vector<std::vector<const ResultRow*>> by_machine_and_network(
    const std::vector<ResultRow>& rows);
/// The totals of each machine, network and pass.
[[nodiscard]] std::vector<StudyTotals> by_pass(const std::vector<StudyTotal>& totals);

/// What others are held against.
[[nodiscard]] bool is_baseline(const StudyTotal& total);
/// The scheme with which a training gains most, of those that are complete and not dense; null if
/// there is none.
[[nodiscard]] const StudyTotal* fastest_of(const StudyTotals& totals);

/// Of a pass, repeats counted: the products that a scheme asks a pattern of, and those of them that
/// ran sparse.
struct SparseProducts {
  std::int64_t asked = 0;
  std::int64_t ran = 0;
};
[[nodiscard]] SparseProducts sparse_products(const std::vector<ResultRow>& rows,
                                             const StudyTotal& total);

/// Whether some product is left dense because that is faster.
[[nodiscard]] bool leaves_dense(const StudyTotal& total);
[[nodiscard]] bool any_leaves_dense(const StudyTotals& totals);
/// Whether a training has dense steps besides.
[[nodiscard]] bool any_dense_steps(const StudyTotals& totals);

/// Whether the best of all kernels was simulated beside a library's.
[[nodiscard]] bool any_best_kernels(const StudyTotals& totals);
/// Whether machines with libraries stand beside some without, which run the best of all kernels:
/// then they are compared under those.
[[nodiscard]] bool has_machines_without_libraries(const StudyResult& study);

/// What the total's times are of: a training step, the pass after training, or a sum of products.
[[nodiscard]] const char* step_word(const StudyTotal& total);
/// "resnet50 on a100", and the pass if it is not the training step.
[[nodiscard]] std::string place_of(const std::string& network, const std::string& machine,
                                   StudyPass pass);
[[nodiscard]] std::string place_of(const StudyTotal& total);
/// "layer1.conv2 ×3"
[[nodiscard]] std::string name_with_repeat(const ResultRow& row);

/// Cells of tables.

using TotalColumn = DescribedColumn<StudyTotal>;

inline constexpr const char* kNothingCell = "-";
inline constexpr const char* kFailedCell = "failed";

/// What `format` makes of a part, unless points of it failed or nothing runs in it.
template <class Format>
[[nodiscard]] std::string part_cell(const PhaseTotal& part, Format format) {
  if (part.failed > 0) return kFailedCell;
  return part.cycles == 0 ? kNothingCell : format(part);
}
[[nodiscard]] std::string speedup_cell(const PhaseTotal& part);
[[nodiscard]] std::string step_time_cell(const StudyTotal& total);
/// What a training gains with the best of all kernels.
[[nodiscard]] std::string all_kernels_cell(const StudyTotal& total);

/// Whether it is known where the scheme's speedup lies; likely_cell() ("1.04..1.10") and
/// verdict_cell() ("faster", "SLOWER", "same", "unclear") say it.
[[nodiscard]] bool has_verdict(const StudyTotal& total);
[[nodiscard]] std::string likely_cell(const StudyTotal& total);
[[nodiscard]] std::string verdict_cell(const StudyTotal& total);

}  // namespace stcsim
