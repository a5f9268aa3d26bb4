#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "common/io/format.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/row_tables.hpp"

namespace stcsim {
namespace {

constexpr double kClose = 0.03;

std::optional<double> latency_error(const InstructionRow& row) {
  return relative_error(row.latency_cycles, row.measured.latency_cycles);
}

std::optional<double> throughput_error(const InstructionRow& row) {
  return relative_error(row.fma_per_clk, row.measured.fma_per_clk);
}

std::string count_cell(std::int64_t count) {
  return count > 0 ? std::to_string(count) : "-";
}

std::vector<std::string> gpus_in(const std::vector<InstructionRow>& rows) {
  std::vector<std::string> gpus;
  for (const InstructionRow& row : rows) {
    const std::string& gpu = row.measured.gpu;
    if (row.skipped.empty() && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) {
      gpus.push_back(gpu);
    }
  }
  return gpus;
}

}  // namespace

Table instruction_table(const std::vector<InstructionRow>& rows) {
  Table table({{"line", Align::right},
               {"gpu"},
               {"instruction"},
               {"types"},
               {"shape"},
               {"warps", Align::right, 1},
               {"ILP", Align::right, 1},
               {"latency", Align::right},
               {"simulated", Align::right},
               {"error", Align::right},
               {"FMA/clk/SM", Align::right},
               {"simulated", Align::right},
               {"error", Align::right}});
  for (const InstructionRow& row : rows) {
    if (!row.skipped.empty()) continue;
    const MeasuredInstruction& measured = row.measured;
    table.add_row({std::to_string(measured.where.line), measured.gpu, measured.name, measured.types,
                   measured.shape, count_cell(measured.warps), count_cell(row.ilp),
                   value_cell(measured.latency_cycles), value_cell(row.latency_cycles),
                   error_cell(latency_error(row)), value_cell(measured.fma_per_clk),
                   value_cell(row.fma_per_clk), error_cell(throughput_error(row))});
  }
  return table;
}

Table instruction_summary_table(const std::vector<InstructionRow>& rows) {
  Table table({{"gpu"},
               {"quantity"},
               {"rows", Align::right},
               {"within 3 %", Align::right},
               {"mean |error|", Align::right},
               {"largest |error|", Align::right}});
  for (const std::string& gpu : gpus_in(rows)) {
    for (const auto& [name, error_of] :
         {std::pair("latency", &latency_error), std::pair("throughput", &throughput_error)}) {
      std::vector<double> errors;
      for (const InstructionRow& row : rows) {
        const std::optional<double> error = error_of(row);
        if (error && row.measured.gpu == gpu) errors.push_back(std::abs(*error));
      }
      if (errors.empty()) continue;
      const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
      const auto close =
          std::count_if(errors.begin(), errors.end(), [](double error) { return error <= kClose; });
      table.add_row({gpu, name, std::to_string(errors.size()), std::to_string(close),
                     format_percent(sum / static_cast<double>(errors.size())),
                     format_percent(*std::max_element(errors.begin(), errors.end()))});
    }
  }
  return table;
}

}  // namespace stcsim
