#include "reports/validation/validation_html.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/io/html_text.hpp"
#include "common/version.hpp"
#include "reports/validation/fidelity_tables.hpp"
#include "reports/validation/gemm_pictures.hpp"
#include "reports/validation/instruction_tables.hpp"
#include "reports/validation/network_tables.hpp"
#include "reports/validation/step_tables.hpp"
#include "reports/validation/stream_tables.hpp"
#include "reports/validation/validation_sections.hpp"
#include "reports/validation/validation_tables.hpp"
#include "reports/validation/worst_rows.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>stcsim: predictions beside measurements</title>
<style>
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --page: #fff; --line: #d1d9e0;
  --stripe: #f6f8fa; --panel: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --faint: #9198a1; --page: #0d1117; --line: #3d444d; --stripe: #151b23;
    --panel: #11161d; }
  svg circle { fill-opacity: 1; } svg .dots { stroke-opacity: .9; } svg .band { fill-opacity: .3; }
}
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 110rem; color: var(--text);
  background: var(--page); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
p, li { max-width: 50rem; } .faint { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin: 1rem 0;
  font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; } .r { text-align: right; }
tbody tr:nth-child(even) { background: var(--stripe); }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 24rem; max-width: 44rem; }
svg { width: 100%; height: auto; border: 1px solid var(--line); }
svg > rect[width="100%"] { fill: var(--panel); }
svg text { fill: var(--text); } svg .grid { stroke: var(--line); }
summary { cursor: pointer; font-weight: 600; margin: 1rem 0; }
</style>
</head>
<body>
)";

std::string paragraph(std::string_view text) {
  return fmt::format("<p class=\"faint\">{}</p>\n", html_text(text));
}

std::string scrollable(const Table& table) {
  return "<div class=\"scroll\">\n" + table.to_html() + "</div>\n";
}

std::string folded(const std::string& title, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", html_text(title), content);
}

std::string list_of(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string items;
  for (const std::string& sentence : sentences) {
    items += "<li>" + html_text(sentence) + "</li>\n";
  }
  return folded("Rows that were not simulated", "<ul>\n" + items + "</ul>\n");
}

std::string figure(const std::string& svg) {
  return "<figure>\n" + svg + "</figure>\n";
}

std::string gemm_section(const std::vector<ValidationRow>& rows) {
  if (rows.empty()) return "";
  std::string text = "<h2>GEMMs</h2>\n" + scrollable(validation_summary_table(rows));
  text += "<div class=\"pictures\">\n";
  for (const GemmPicture& picture : scatter_pictures(rows)) text += figure(picture.svg);
  text += "</div>\n<h3>By machine, type and size</h3>\n" + paragraph(kFidelityLegend);
  text += scrollable(fidelity_table(fidelity_cells(rows), true)) + "<div class=\"pictures\">\n";
  for (const GemmPicture& picture : error_pictures(rows)) text += figure(picture.svg);
  text += "</div>\n<h3>Largest errors</h3>\n" + scrollable(worst_rows_table(rows));
  text += folded("Where the largest errors of each machine and type come from",
                 scrollable(worst_rows_by_machine(rows)));
  const std::vector<RowsOfTable> tables = rows_by_table(rows);
  for (const auto& [table, of_table] : tables) {
    text += folded(tables.size() == 1 ? "All rows" : "All rows of " + table,
                   scrollable(validation_rows_table(of_table)));
  }
  return text + list_of(skipped_rows(rows));
}

std::string instruction_section(const ValidationResults& results) {
  const std::vector<InstructionRow>& rows = results.instructions;
  if (rows.empty()) return "";
  return "<h2>Instructions</h2>\n" + paragraph(kInstructionLegend) +
         scrollable(instruction_summary_table(rows)) + "<div class=\"pictures\">\n" +
         figure(instruction_picture(results)) + "</div>\n" + scrollable(instruction_table(rows)) +
         list_of(skipped_instructions(rows));
}

std::string network_section(const ValidationResults& results) {
  const std::vector<NetworkRow>& rows = results.networks;
  if (rows.empty()) return "";
  const bool has_steps = !dense_steps(rows).empty();
  return "<h2>Networks</h2>\n" + paragraph(kNetworkLegend) + "<div class=\"pictures\">\n" +
         figure(network_picture(results)) + (has_steps ? figure(step_picture(results)) : "") +
         "</div>\n" + scrollable(network_table(rows)) +
         (has_steps ? scrollable(step_table(rows)) + scrollable(step_rows_table(rows)) : "") +
         list_of(skipped_networks(rows));
}

std::string stream_section(const ValidationResults& results) {
  if (results.streams.empty()) return "";
  return "<h2>Kernels beside the products</h2>\n" + paragraph(kStreamLegend) +
         scrollable(stream_table(results.streams));
}

}  // namespace

std::string validation_html(const ValidationResults& results) {
  std::string text(kHead);
  text += "<h1>Predictions beside measurements</h1>\n";
  text += paragraph(fmt::format(
      "Made by stcsim {}. Error: simulated / measured - 1. Bias: its mean. r: Pearson's, of "
      "measured and simulated values. The band in a picture is the range of small errors: 10 % for "
      "GEMMs, 3 % for instructions.",
      program_version()));
  for (const std::string& sentence : validation_software(results)) text += paragraph(sentence);
  text += gemm_section(results.gemms) + instruction_section(results) + network_section(results) +
          stream_section(results);
  return text + "</body>\n</html>\n";
}

}  // namespace stcsim
