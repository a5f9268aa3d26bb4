#include "reports/validation/validation_report.hpp"

#include "reports/validation/validation_tables.hpp"

namespace stcsim {

std::string validation_report(const std::vector<ValidationRow>& rows) {
  std::string text = validation_rows_table(rows).to_string();
  text +=
      "\nError: simulated / measured - 1. Bias: its mean. r: Pearson's, of measured and "
      "simulated values.\n\n";
  text += validation_summary_table(rows).to_string();
  text += "\nLargest errors:\n\n" + validation_worst_table(rows).to_string();
  std::string separator = "\n";
  for (const std::string& sentence : skipped_rows(rows)) {
    text += separator + sentence + "\n";
    separator.clear();
  }
  return text;
}

}  // namespace stcsim
