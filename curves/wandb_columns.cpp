#include "curves/wandb_columns.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace stcsim::curves {
namespace {

constexpr std::string_view kDash = " - ";
constexpr std::string_view kLeast = "__MIN";
constexpr std::string_view kMost = "__MAX";

}  // namespace

bool has_wandb_columns(const CsvScanner::Record& header) {
  return std::any_of(header.begin(), header.end(), [](const CsvField& field) {
    return field.text.ends_with(kLeast) && field.text.find(kDash) != std::string::npos;
  });
}

void take_wandb_columns(const CsvScanner::Record& header, CsvDialect& dialect) {
  dialect.runs.clear();
  for (std::size_t index = 0; index < header.size(); ++index) {
    const std::string& name = header[index].text;
    const std::size_t dash = name.rfind(kDash);
    if (dash == std::string::npos || name.ends_with(kLeast) || name.ends_with(kMost)) continue;
    const std::string metric = name.substr(dash + kDash.size());
    if (metric.empty() || metric.starts_with('_')) continue;
    const std::string run = name.substr(0, dash);
    const auto found = std::find(dialect.runs.begin(), dialect.runs.end(), run);
    const auto number = static_cast<std::size_t>(found - dialect.runs.begin());
    if (found == dialect.runs.end()) dialect.runs.push_back(run);
    dialect.columns.push_back({index, number, metric});
  }
}

}  // namespace stcsim::curves
