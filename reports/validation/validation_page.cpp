#include "reports/validation/validation_page.hpp"

#include <fmt/format.h>

#include "reports/validation/fidelity_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/validation_sections.hpp"
#include "reports/validation/validation_tables.hpp"
#include "reports/validation/worst_rows.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kMostRowsOfAPage = 500;

/// The rows of each table that is not too long for a page.
std::string rows_text(const std::vector<ValidationRow>& rows) {
  std::string text;
  const std::vector<RowsOfTable> tables = rows_by_table(rows);
  for (const auto& [table, of_table] : tables) {
    if (tables.size() > 1) text += "\n### " + table + "\n";
    text += "\n";
    if (of_table.size() <= kMostRowsOfAPage) {
      text += validation_rows_table(of_table).to_markdown();
    } else {
      text += fmt::format("{} rows: `stcsim evidence rows --format csv`.\n", of_table.size());
    }
  }
  return text;
}

std::string text_of(const ValidationResults& results) {
  const std::vector<ValidationRow>& rows = results.gemms;
  std::string text =
      "# Predictions beside measurements\n\n"
      "Made by `make validation`. Error: simulated / measured - 1. Bias: its mean. r: Pearson's, "
      "of "
      "measured\nand simulated values. The band in the pictures is 10 % wide on either side.\n\n";
  for (const std::string& sentence : validation_software(results)) text += "- " + sentence + "\n";
  if (!results.software.empty()) text += "\n";
  text += validation_summary_table(rows).to_markdown() + "\n";
  text += fmt::format("## By machine, type and size\n\n{}\n\n", kFidelityLegend);
  text += fidelity_table(fidelity_cells(rows), true).to_markdown() + "\n";
  text += fmt::format("## Sparse where it pays\n\n{}\n\n", kSelectionLegend);
  text += selection_table(selections(rows)).to_markdown() + "\n";
  text += "## Where the largest errors come from\n\n" + worst_rows_by_machine(rows).to_markdown();
  text += "\n## Largest errors\n\n" + worst_rows_table(rows).to_markdown();
  text += "\n## Rows that were not simulated\n\n";
  for (const std::string& sentence : skipped_rows(rows)) text += "- " + sentence + "\n";
  text += "\n## All rows\n" + rows_text(rows);
  return text + validation_sections_markdown(results);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> validation_page(const ValidationResults& results) {
  return {{"validation.md", text_of(results)},
          {"validation_cells.csv", fidelity_csv(fidelity_cells(results.gemms))}};
}

}  // namespace stcsim
