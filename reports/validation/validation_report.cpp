#include "reports/validation/validation_report.hpp"

#include "reports/validation/validation_tables.hpp"

namespace stcsim {

std::string validation_report(const std::vector<ValidationRow>& rows, std::size_t width) {
  std::string text = validation_summary_table(rows).to_string(width);
  text += wrap_lines(
      "\nError: simulated / measured - 1. Bias: its mean. r: Pearson's, of measured and "
      "simulated values.\n",
      width);
  text += "\nLargest errors:\n\n" + validation_worst_table(rows).to_string(width);
  text += "\nAll rows:\n\n" + validation_rows_table(rows).to_string(width);
  std::string separator = "\n";
  for (const std::string& sentence : skipped_rows(rows)) {
    text += separator + wrap_lines(sentence, width);
    separator.clear();
  }
  return text;
}

}  // namespace stcsim
