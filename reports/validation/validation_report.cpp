#include "reports/validation/validation_report.hpp"

#include <optional>

#include <fmt/format.h>

#include "reports/validation/band_coverage.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/counted_k_steps.hpp"
#include "reports/validation/counter_baselines.hpp"
#include "reports/validation/counter_rows.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/residuals.hpp"
#include "reports/validation/row_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/stream_rows.hpp"
#include "reports/validation/system_rows.hpp"
#include "sim/config/config_readers.hpp"

namespace stcsim {
namespace {

/// The meaning of the figures of a section.
constexpr const char* kErrorLegend =
    "Error: simulated / measured - 1. Bias: its mean. r: Pearson's, of measured and simulated "
    "values.";
constexpr const char* kPageLegend =
    "Made by `make validation`. Error: simulated / measured - 1. Bias: its mean. r: Pearson's, of "
    "measured\nand simulated values. The band in the pictures is 10 % wide on either side.";
constexpr const char* kInstructionLegend =
    "Latency: cycles of a pass with one warp and one chain. FMA/clk/SM: dense-equivalent "
    "multiply-accumulates. ILP: independent chains per warp; where none is published, the smallest "
    "of 1 to 6 within 3 % of the best.";
/// @return the meaning of the figures of kernels beside the products
std::string stream_legend() {
  return fmt::format(
      "Kernels of element-wise operations, softmax and layer normalisation on their own, held "
      "against those of the framework {} that move the same tensors.",
      kDefaultFramework);
}
constexpr const char* kNetworkLegend =
    "A range is met only if all simulated values lie in it: the error is that of the value "
    "furthest outside.";

constexpr const char* kTrainingLegend =
    "Forward and backward passes with what a scheme does in them, without optimiser and search of "
    "masks. Mean absolute error and bias.";

constexpr const char* kSystemLegend =
    "Collectives of 1 MiB and more, from latency, bandwidth and steps of a system's file, fitted "
    "to "
    "every second size; time of a dense update on several GPUs, which nothing is fitted to. "
    "Scaling: samples per GPU over those of the fewest GPUs of a series.";

constexpr const char* kCounterLegend =
    "One launch each, caches empty, at the clock it was counted at. Error and bias: with the "
    "kernel that ran; own choice: with the one that the simulator takes by itself. To SMs and from "
    "L2: bytes; what a cluster shares counts for each SM, and once. Busy: share of the cycles in "
    "which tensor cores multiply. In a row: many launches on the same operands, at the clock that "
    "the board's power allows. Short: 10,000 to 35,000 cycles, else more; k cut: in segments.";

constexpr const char* kKStepLegend =
    "Cycles of a tile's main loop a k-step: the same kernel on the same C, of two K. Multiplying: "
    "of the multipliers alone. Where more is counted, something else bounds the loop: \"stcsim "
    "explain\" says what. Busy and bytes are of the launch with the larger K.";

constexpr const char* kBaselineLegend =
    "Mean errors of cycles, of rows by which no number was set (their errors were seen). "
    "Simulated: "
    "with the kernels that ran. Roofline: the larger of multiplying and moving all operands once. "
    "Nearest GEMM: the counted one whose sizes are nearest, times the multiplications. Regression: "
    "of logarithms, over M, N, K and the kernel's tiles. Both know the rows that were looked at.";

constexpr std::size_t kMostRowsOfAPage = 500;

/// Blocks with an empty line between them: Markdown, or text in so many columns.
class Page {
 public:
  /// @param width nothing for Markdown
  explicit Page(std::optional<std::size_t> width) : width_(width) {}

  [[nodiscard]] bool is_markdown() const { return !width_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  void heading(const std::string& title, std::size_t level = 2) {
    add((is_markdown() ? std::string(level, '#') + " " : "") + title + "\n");
  }
  void table(const Table& table) { add(width_ ? table.to_string(*width_) : table.to_markdown()); }
  void note(const std::string& text) { add(wrapped(text + "\n")); }
  /// A legend stands above the tables of a page, and below those of a text, which begins with the
  /// answer.
  void section(const std::string& title, const std::string& legend,
               const std::vector<Table>& tables, std::size_t level = 2) {
    heading(title, level);
    if (is_markdown()) note(legend);
    for (const Table& one : tables) table(one);
    if (!is_markdown()) note(legend);
  }
  void list(const std::vector<std::string>& sentences) {
    std::string lines;
    for (const std::string& sentence : sentences) {
      lines += (is_markdown() ? "- " : "") + sentence + "\n";
    }
    if (!lines.empty()) add(wrapped(lines));
  }

 private:
  [[nodiscard]] std::string wrapped(const std::string& lines) const {
    return width_ ? wrap_lines(lines, *width_) : lines;
  }
  void add(const std::string& block) { text_ += (text_.empty() ? "" : "\n") + block; }

  std::optional<std::size_t> width_;
  std::string text_;
};

/// The rows of each table, on a page if they are not too many.
void add_rows(Page& page, const std::vector<ValidationRow>& rows) {
  page.heading("All rows");
  const std::vector<RowsOfTable> tables = rows_by_table(rows);
  for (const auto& [table, of_table] : tables) {
    if (tables.size() > 1) page.heading(table, 3);
    if (page.is_markdown() && of_table.size() > kMostRowsOfAPage) {
      page.note(fmt::format("{} rows: `stcsim evidence rows --format csv`.", of_table.size()));
    } else {
      page.table(validation_rows_table(of_table));
    }
  }
}

void add_gemms(Page& page, const std::vector<ValidationRow>& rows) {
  if (rows.empty()) return;
  page.table(validation_summary_table(rows));
  if (!page.is_markdown()) page.note(kErrorLegend);
  page.section("By machine, type and size", kFidelityLegend,
               {fidelity_table(fidelity_cells(rows), page.is_markdown())});
  if (const std::vector<Selection> chosen = selections(rows); !chosen.empty()) {
    page.section("Sparse where it pays", kSelectionLegend, {selection_table(chosen)});
  }
  if (page.is_markdown()) {
    page.heading("Where the largest errors come from");
    page.table(worst_rows_by_machine(rows));
  }
  page.heading("Largest errors");
  page.table(worst_rows_table(rows));
  if (page.is_markdown()) page.heading("Rows that were not simulated");
  page.list(skipped_rows(rows));
  add_rows(page, rows);
}

void add_instructions(Page& page, const std::vector<InstructionRow>& rows) {
  if (rows.empty()) return;
  page.section("Instructions", kInstructionLegend,
               {instruction_summary_table(rows), instruction_table(rows)});
  page.list(skipped_in(rows));
}

void add_networks(Page& page, const std::vector<NetworkRow>& rows) {
  if (rows.empty()) return;
  page.section("Networks", kNetworkLegend, {network_table(rows)});
  if (const std::optional<Table> training = training_table(rows)) {
    page.section("Sparse training", kTrainingLegend, {*training}, 3);
  }
  if (!dense_steps(rows).empty()) {
    page.heading("Dense training steps", 3);
    page.table(step_table(rows));
    page.table(step_rows_table(rows));
  }
  page.list(skipped_in(rows));
}

void add_streams(Page& page, const std::vector<StreamRow>& rows) {
  if (rows.empty()) return;
  page.section("Kernels beside the products", stream_legend(), {stream_table(rows)});
  page.list(skipped_in(rows));
}

void add_systems(Page& page, const std::vector<SystemRow>& rows) {
  if (rows.empty()) return;
  page.section("Several GPUs", kSystemLegend, {system_table(rows), system_rows_table(rows)});
  page.list(skipped_in(rows));
}

void add_counters(Page& page, const std::vector<CounterRow>& rows) {
  if (rows.empty()) return;
  if (page.is_markdown()) {
    page.heading("Counters");
    page.note("Launches beside hardware counters: [counters.md](counters.md).");
    return;
  }
  page.section("Counters", kCounterLegend, {counter_table(rows), counter_rows_table(rows)});
  page.list(skipped_in(rows));
}

void add_kinds(Page& page, const ValidationResults& results) {
  add_gemms(page, results.gemms);
  add_instructions(page, results.instructions);
  add_networks(page, results.networks);
  add_streams(page, results.streams);
  add_systems(page, results.systems);
  add_counters(page, results.counters);
  if (!page.is_markdown()) return;
  page.section("Intervals", kBandLegend, {band_table(residuals_of(results), results.errors)});
}

/// How many numbers of a machine's file counted rows set, beside how many rows these are; "" where
/// there are none.
std::string numbers_note(const std::vector<CounterRow>& rows, const std::string& machine,
                         const std::vector<std::string>& numbers) {
  const auto fitting = std::ranges::count_if(rows, [&](const CounterRow& row) {
    return row.machine == machine && row.measured.use == RowUse::fitting;
  });
  if (fitting == 0 || numbers.empty()) return "";
  return fmt::format(
      "{} rows marked fitting set {} numbers of the file {}.yaml, one for {:.1f} rows: {}.",
      fitting, numbers.size(), machine,
      static_cast<double>(fitting) / static_cast<double>(numbers.size()), fmt::join(numbers, ", "));
}

/// The page of launches that were counted; its answer stands first.
std::string counter_page(const ValidationResults& results) {
  const std::vector<CounterRow>& rows = results.counters;
  Page page(std::nullopt);
  page.heading("Cycles, bytes and clocks beside hardware counters", 1);
  page.note(counter_summary(rows));
  page.note(kCounterLegend);
  page.table(counter_table(rows));
  for (const auto& [machine, numbers] : results.set_by_counters) {
    page.note(numbers_note(rows, machine, numbers));
  }
  page.section("What a k-step takes", kKStepLegend, {k_step_table(rows)});
  page.heading("Without a simulator");
  page.note(kBaselineLegend);
  page.table(baseline_table(rows));
  page.heading("All launches");
  page.table(counter_rows_table(rows));
  page.list(skipped_in(rows));
  return page.text();
}

/// "software of a100: nvidia (...)" for each machine.
std::vector<std::string> software_lines(const ValidationResults& results) {
  std::vector<std::string> sentences;
  for (const MachineSoftware& software : results.software) {
    sentences.push_back(fmt::format("software of {}: {}", software.machine, software.stack));
  }
  return sentences;
}

}  // namespace

std::string validation_text(const ValidationResults& results, std::size_t width) {
  Page page(width);
  add_kinds(page, results);
  page.list(software_lines(results));
  return page.text();
}

std::vector<std::pair<std::string, std::string>> validation_page(const ValidationResults& results) {
  Page page(std::nullopt);
  page.heading("Predictions beside measurements", 1);
  page.note(kPageLegend);
  page.list(software_lines(results));
  add_kinds(page, results);
  std::vector<std::pair<std::string, std::string>> files{
      {"validation.md", page.text()},
      {"validation_cells.csv", fidelity_csv(fidelity_cells(results.gemms))},
      {"validation_errors.csv", error_cells_csv(results)},
      {"validation_residuals.csv", residuals_csv(residuals_of(results))}};
  if (!results.counters.empty()) files.emplace_back("counters.md", counter_page(results));
  return files;
}

}  // namespace stcsim
