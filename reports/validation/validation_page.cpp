#include "reports/validation/validation_page.hpp"

#include <array>

#include <fmt/format.h>

#include "reports/scatter_svg.hpp"
#include "reports/validation/validation_sections.hpp"
#include "reports/validation/validation_tables.hpp"

namespace stcsim {
namespace {

constexpr double kGemmBand = 0.1;
constexpr std::size_t kMostRowsOfAPage = 500;

struct Picture {
  Quantity quantity;
  const char* file;
  const char* title;
  const char* unit;
};
constexpr std::array<Picture, 3> kPictures{
    {{Quantity::dense, "validation_dense.svg", "Dense GEMMs", "time, us"},
     {Quantity::sparse, "validation_sparse.svg", "Sparse GEMMs", "time, us"},
     {Quantity::speedup, "validation_speedup.svg", "Speedup of sparse over dense", "speedup"}}};

std::string picture_of(const std::vector<ValidationRow>& rows, const Picture& picture) {
  ScatterPlot plot{picture.title,
                   fmt::format("measured {}", picture.unit),
                   fmt::format("simulated {}", picture.unit),
                   {}};
  for (const std::string& gpu : gpus_of(rows)) {
    ScatterSeries series{gpu, {}};
    for (const ValidationRow& row : rows) {
      if (row.gemm.gpu != gpu || !error_of(row, picture.quantity)) continue;
      series.points.emplace_back(*value_of(row.gemm.measured, picture.quantity),
                                 *value_of(row.simulated, picture.quantity));
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return scatter_svg(plot, kGemmBand);
}

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
      text += fmt::format("{} rows: `stcsim validate --format csv`.\n", of_table.size());
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
  for (const Picture& picture : kPictures) {
    text += fmt::format("![{}]({})\n\n", picture.title, picture.file);
  }
  text += "## Largest errors\n\n" + validation_worst_table(rows).to_markdown();
  text += "\n## Rows that were not simulated\n\n";
  for (const std::string& sentence : skipped_rows(rows)) text += "- " + sentence + "\n";
  text += "\n## All rows\n" + rows_text(rows);
  return text + validation_sections_markdown(results);
}

}  // namespace

std::vector<std::string> gemm_pictures(const std::vector<ValidationRow>& rows) {
  std::vector<std::string> pictures;
  for (const Picture& picture : kPictures) pictures.push_back(picture_of(rows, picture));
  return pictures;
}

std::vector<std::pair<std::string, std::string>> validation_page(const ValidationResults& results) {
  std::vector<std::pair<std::string, std::string>> files{{"validation.md", text_of(results)}};
  for (const Picture& picture : kPictures) {
    files.emplace_back(picture.file, picture_of(results.gemms, picture));
  }
  if (!results.instructions.empty()) {
    files.emplace_back(kInstructionPicture, instruction_picture(results));
  }
  if (!results.networks.empty()) files.emplace_back(kNetworkPicture, network_picture(results));
  return files;
}

}  // namespace stcsim
