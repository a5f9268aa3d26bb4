#include "reports/validation/validation_report.hpp"

#include <fmt/format.h>

#include "reports/validation/fidelity_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/validation_tables.hpp"
#include "reports/validation/worst_rows.hpp"

namespace stcsim {

std::string validation_report(const std::vector<ValidationRow>& rows, std::size_t width) {
  std::string text = validation_summary_table(rows).to_string(width);
  text += wrap_lines(
      "\nError: simulated / measured - 1. Bias: its mean. r: Pearson's, of measured and "
      "simulated values.\n",
      width);
  text += "\nBy machine, type and size:\n\n";
  text += fidelity_table(fidelity_cells(rows), false).to_string(width);
  text += wrap_lines(fmt::format("\n{}\n", kFidelityLegend), width);
  if (const std::vector<Selection> chosen = selections(rows); !chosen.empty()) {
    text += "\nSparse where it pays:\n\n" + selection_table(chosen).to_string(width);
    text += wrap_lines(fmt::format("\n{}\n", kSelectionLegend), width);
  }
  text += "\nLargest errors:\n\n" + worst_rows_table(rows).to_string(width);
  const std::vector<RowsOfTable> tables = rows_by_table(rows);
  for (const auto& [table, of_table] : tables) {
    text += tables.size() == 1 ? "\nAll rows:\n\n" : "\nAll rows of " + table + ":\n\n";
    text += validation_rows_table(of_table).to_string(width);
  }
  std::string separator = "\n";
  for (const std::string& sentence : skipped_rows(rows)) {
    text += separator + wrap_lines(sentence, width);
    separator.clear();
  }
  return text;
}

}  // namespace stcsim
