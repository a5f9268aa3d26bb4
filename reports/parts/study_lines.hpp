#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// A column of a table, and what a row of it has there.
template <class Row>
struct DescribedColumn {
  Column column;
  std::function<std::string(const Row&)> cell;
};

/// @param rows  of Row, or pointers to them
template <class Row, class Rows>
[[nodiscard]] Table table_of(const std::vector<DescribedColumn<Row>>& columns, const Rows& rows) {
  std::vector<Column> headers;
  for (const DescribedColumn<Row>& one : columns) headers.push_back(one.column);
  Table table(std::move(headers));
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const DescribedColumn<Row>& one : columns) {
      if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>) {
        cells.push_back(one.cell(*row));
      } else {
        cells.push_back(one.cell(row));
      }
    }
    table.add_row(std::move(cells));
  }
  return table;
}

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

/// The totals of each machine, network and pass.
[[nodiscard]] std::vector<StudyTotals> by_pass(const std::vector<StudyTotal>& totals);

/// Whether something is so of any of them.
[[nodiscard]] bool any_of(const StudyTotals& totals, const auto& is_so) {
  return std::ranges::any_of(totals, [&](const StudyTotal* one) { return is_so(*one); });
}
/// Whether any of them has figures in a part, or would have them had nothing failed.
[[nodiscard]] bool has_figures(const StudyTotals& totals, PhaseTotal StudyTotal::*part);

/// What others are held against.
[[nodiscard]] bool is_baseline(const StudyTotal& total);
/// The scheme with which a training gains most, of those that are complete and not dense; null if
/// there is none.
[[nodiscard]] const StudyTotal* fastest_of(const StudyTotals& totals);

/// Whether some product is left dense because that is faster.
[[nodiscard]] bool leaves_dense(const StudyTotal& total);
/// Whether a training has dense steps besides.
[[nodiscard]] bool has_dense_steps(const StudyTotal& total);

/// Whether the best of all kernels was simulated beside a library's.
[[nodiscard]] bool has_best_kernels(const StudyTotal& total);
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
[[nodiscard]] TotalColumn speedup_column(std::string_view header, PhaseTotal StudyTotal::*part,
                                         int dispensable = 0);
[[nodiscard]] std::string step_time_cell(const StudyTotal& total);
/// What a training gains with the best of all kernels.
[[nodiscard]] std::string all_kernels_cell(const StudyTotal& total);

/// Whether it is known where the scheme's speedup lies; likely_cell() ("1.04..1.10") and
/// verdict_cell() ("faster", "SLOWER", "same", "unclear") say it.
[[nodiscard]] bool has_verdict(const StudyTotal& total);
[[nodiscard]] std::string likely_cell(const StudyTotal& total);
[[nodiscard]] std::string verdict_cell(const StudyTotal& total);

/// Every line as an item of a list in Markdown.
[[nodiscard]] std::string markdown_list(const std::string& lines);

/// What a study found, one line per machine, network and pass:
///   "resnet50 on a100: dense step 80.0 ms; fastest sdgp, 75.1 ms (1.07x), 52 of its 52 products
///   sparse".
/// Schemes whose sums lack a point are not compared but counted.
[[nodiscard]] std::string study_answer(const StudyResult& study);

/// "1.04x..1.10x", and of microseconds "56.1 us..69.2 us"
[[nodiscard]] std::string format_between(const LikelyInterval& interval);
[[nodiscard]] std::string format_times_between(const LikelyInterval& interval);

/// "  likely 56.1 us..69.2 us, dense 83 us..99 us, gain 1.31x..1.62x", where measured values lie,
/// as a line, "; assumed" where the errors are of other cards or types; "" where that is not known.
/// @param with_dense  beside the dense baseline
[[nodiscard]] std::string likely_line(const GemmIntervals& likely, bool with_dense);

/// "with searched kernels 1.02x, best of all kernels 1.04x": what else it gains with other
/// software; "" of none.
[[nodiscard]] std::string beside_text(const std::vector<StackGain>& beside);

/// What the columns of intervals and verdicts say, and which machines' errors are assumed; "" if no
/// interval is known.
[[nodiscard]] std::string interval_line(const StudyResult& study);

/// "clock: 1410 MHz; the dense step draws 247 W"; "" where there is nothing to say: it is the
/// machine's own, and nothing is known of its power.
[[nodiscard]] std::string clock_text(const StudyTotal& total);

/// One table per machine, network and pass: what all kernels beside the matrix products take, by
/// what they are there for, in the dense step and in that of the fastest scheme. What takes no time
/// is left out; "" where all is nothing.
[[nodiscard]] std::string kind_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// One table per machine and network: what the training step needs of the machine's memory, for
/// `dense` and every scheme that needs another amount. "" where no training step was simulated.
[[nodiscard]] std::string memory_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// "  DOES NOT FIT: 211 GB of 85.9 GB: dense, asp\n" of the totals of a machine, network and pass:
/// what the largest needs. "" if all fit.
[[nodiscard]] std::string misfit_line(const std::vector<const StudyTotal*>& totals);
/// The same for each machine and network, named before it.
[[nodiscard]] std::string memory_notes(const StudyResult& study);

/// The parts of a launch that study rows, GEMM reports and explanations share.

/// Adds m, n, k, batch_count, dtype and pattern.
void add_problem(nlohmann::ordered_json& object, const GemmProblem& problem);

/// Adds "traffic": counter -> bytes, those that every machine has first; and "counters" if
/// something else was counted: unit of measurement -> counter -> value.
void write_counters(nlohmann::ordered_json& object, const std::vector<Counter>& counters);
/// Every counter that a row may have, at 0.
[[nodiscard]] std::vector<Counter> all_counters(const std::vector<ResultRow>& rows);

/// unit -> {"instances", bucket -> cycles}, in the report's order.
[[nodiscard]] nlohmann::ordered_json buckets_json(const std::vector<UnitReport>& units);

/// An interval of a single GEMM, of which 80 % are told too.
[[nodiscard]] nlohmann::ordered_json gemm_interval_json(const LikelyInterval& interval);

/// "412 kernels could run it: 3 simulated, 350 cannot be faster, 59 left out: none of these
/// is more than 6.2 % faster"; of no search who chose the kernel.
/// @param is_named  by the user
[[nodiscard]] std::string search_text(const std::optional<KernelSearch>& search, bool is_named);

/// As docs/reference/results.md says; null of no search.
[[nodiscard]] nlohmann::ordered_json search_json(const std::optional<KernelSearch>& search);

}  // namespace stcsim
