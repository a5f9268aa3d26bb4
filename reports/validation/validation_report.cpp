#include "reports/validation/validation_report.hpp"

#include <fmt/format.h>

#include "reports/validation/fidelity.hpp"
#include "reports/validation/gemm_tables.hpp"
#include "reports/validation/instruction_tables.hpp"
#include "reports/validation/network_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/stream_rows.hpp"

namespace stcsim {
namespace {

/// Sentences, each on a line after `mark`, below an empty line.
std::string lines_of(const std::vector<std::string>& sentences, const std::string& mark) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += (text.empty() ? "\n" : "") + mark + sentence + "\n";
  }
  return text;
}

std::string steps_markdown(const std::vector<NetworkRow>& rows) {
  if (dense_steps(rows).empty()) return "";
  return fmt::format("\n### Dense training steps\n\n{}\n{}", step_table(rows).to_markdown(),
                     step_rows_table(rows).to_markdown());
}

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

std::vector<std::string> validation_software(const ValidationResults& results) {
  std::vector<std::string> sentences;
  for (const MachineSoftware& software : results.software) {
    sentences.push_back(fmt::format("software of {}: {}", software.machine, software.stack));
  }
  return sentences;
}

std::string validation_sections(const ValidationResults& results, std::size_t width) {
  std::string text;
  if (!results.instructions.empty()) {
    text += "Instructions\n\n" + instruction_table(results.instructions).to_string(width);
    text += wrap_lines(fmt::format("\n{}\n\n", kInstructionLegend), width);
    text += instruction_summary_table(results.instructions).to_string(width);
    text += wrap_lines(lines_of(skipped_instructions(results.instructions), ""), width);
  }
  if (!results.networks.empty()) {
    text += (text.empty() ? "" : "\n") + std::string("Networks\n\n");
    text += network_table(results.networks).to_string(width);
    text += wrap_lines(fmt::format("\n{}\n", kNetworkLegend), width);
    if (!dense_steps(results.networks).empty()) {
      text += "\nDense training steps\n\n" + step_rows_table(results.networks).to_string(width);
      text += "\n" + step_table(results.networks).to_string(width);
    }
    text += wrap_lines(lines_of(skipped_networks(results.networks), ""), width);
  }
  if (!results.streams.empty()) {
    text += (text.empty() ? "" : "\n") + std::string("Kernels beside the products\n\n");
    text += stream_table(results.streams).to_string(width);
    text += wrap_lines(fmt::format("\n{}\n", kStreamLegend), width);
    text += wrap_lines(skipped_streams(results.streams), width);
  }
  std::string software = lines_of(validation_software(results), "");
  if (text.empty() && !software.empty()) software.erase(0, 1);
  return text + wrap_lines(software, width);
}

std::string validation_sections_markdown(const ValidationResults& results) {
  std::string text;
  if (!results.instructions.empty()) {
    text += fmt::format("\n## Instructions\n\n{}\n\n", kInstructionLegend);
    text += instruction_summary_table(results.instructions).to_markdown();
    text += "\n" + instruction_table(results.instructions).to_markdown();
    text += lines_of(skipped_instructions(results.instructions), "- ");
  }
  if (!results.networks.empty()) {
    text += fmt::format("\n## Networks\n\n{}\n\n", kNetworkLegend);
    text += network_table(results.networks).to_markdown();
    text += steps_markdown(results.networks);
    text += lines_of(skipped_networks(results.networks), "- ");
  }
  if (!results.streams.empty()) {
    text += fmt::format("\n## Kernels beside the products\n\n{}\n\n", kStreamLegend);
    text += stream_table(results.streams).to_markdown() + skipped_streams(results.streams);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> validation_page(const ValidationResults& results) {
  return {{"validation.md", text_of(results)},
          {"validation_cells.csv", fidelity_csv(fidelity_cells(results.gemms))}};
}

}  // namespace stcsim
