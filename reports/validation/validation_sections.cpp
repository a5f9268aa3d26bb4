#include "reports/validation/validation_sections.hpp"

#include <fmt/format.h>

#include "reports/validation/instruction_tables.hpp"
#include "reports/validation/network_tables.hpp"
#include "reports/validation/step_tables.hpp"
#include "reports/validation/stream_tables.hpp"

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

}  // namespace

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

}  // namespace stcsim
