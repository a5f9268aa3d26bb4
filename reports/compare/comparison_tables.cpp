#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "reports/compare/comparison_report.hpp"
#include "reports/parts/described_table.hpp"
#include "reports/parts/study_groups.hpp"

namespace stcsim {
namespace {

std::string percent_text(double relative) {
  if (std::isinf(relative)) return "was 0";
  return relative == 0 ? "0" : fmt::format("{:+.3g}", 100 * relative);
}

template <class Figure>
std::string step_cell(const std::optional<StudyTotal>& total, Figure figure) {
  return total ? figure(*total) : std::string(kNothingCell);
}

/// "layer1.0.conv1..2 ×4": what they have in common once.
std::string layers_cell(const ComparedRow& row, bool with_network) {
  const std::string& first = row.layers.front();
  const std::string& last = row.layers.back();
  std::string text = first;
  if (row.layers.size() > 1) {
    const auto common = std::ranges::mismatch(first, last).in2 - last.begin();
    text += ".." + last.substr(static_cast<std::size_t>(common));
  }
  if (with_network) text.insert(0, row.any().network + " ");
  if (row.per_step == 1) return text;
  return text + fmt::format(" ×{:.3g}", row.per_step);
}

std::string cycles_cell(const std::optional<ResultRow>& row) {
  return row ? format_count(row->cycles) : kNothingCell;
}

std::string moved_cell(const ComparedRow& row) {
  if (!row.before) return "new";
  if (!row.now) return "gone";
  if (row.before->cycles == 0) return "was 0";
  return percent_changed(static_cast<double>(row.before->cycles),
                         static_cast<double>(row.now->cycles));
}

/// One word, which is not broken across lines.
std::string before_and_now(const std::string& before, const std::string& now) {
  return before == now ? now : before + "→" + now;
}

/// "64x128x64_s3" of "cublas12_64x128x64_s3" where the other is of that library too.
std::string kernel_change(const std::string& before, const std::string& now) {
  const std::size_t library = before.find('_') + 1;
  const bool is_same = now.compare(0, library, before, 0, library) == 0;
  return is_same ? before_and_now(before.substr(library), now.substr(library))
                 : before_and_now(before, now);
}

/// What limits it, and its kernel where that is another.
std::string limit_cell(const ComparedRow& row) {
  if (!row.before || !row.now) return row.any().bound_by;
  std::string text = before_and_now(row.before->bound_by, row.now->bound_by);
  if (row.before->kernel.name != row.now->kernel.name) {
    text += " " + kernel_change(row.before->kernel.name, row.now->kernel.name);
  }
  return text;
}

std::string phase_cell(const ComparedRow& row) {
  const ResultRow& any = row.any();
  return any.op == "gemm" ? std::string(to_string(any.phase)) : any.op;
}

std::string schemes_cell(const ComparedRow& row) {
  return row.schemes.empty() ? "all" : fmt::format("{}", fmt::join(row.schemes, ", "));
}

bool are_several(const Comparison& comparison, std::string StudyTotal::*name) {
  std::set<std::string> names;
  for (const ComparedStep& step : comparison.steps) names.insert(step.any().*name);
  return names.size() > 1;
}

}  // namespace

std::string percent_changed(double before, double now) {
  return percent_text(before == now ? 0 : now / before - 1);
}

Table compared_steps_table(const std::vector<ComparedStep>& steps) {
  const auto time = [](const StudyTotal& total) { return format_time_us(total.step.time_us); };
  const auto gain = [](const StudyTotal& total) { return format_speedup(total.training.speedup); };
  const std::vector<DescribedColumn<ComparedStep>> columns{
      {{"step"}, [](const auto& step) { return place_of(step.any()); }},
      {{"scheme"}, [](const auto& step) { return step.any().scheme; }},
      {{"before", Align::right}, [&](const auto& step) { return step_cell(step.before, time); }},
      {{"now", Align::right}, [&](const auto& step) { return step_cell(step.now, time); }},
      {{"%", Align::right},
       [](const auto& step) {
         if (!step.before) return std::string("new");
         return step.now ? percent_text(step.relative()) : "gone";
       }},
      {{std::string(kSpeedupKey.name), Align::right},
       [&](const auto& step) { return step_cell(step.before, gain); }},
      {{"now", Align::right}, [&](const auto& step) { return step_cell(step.now, gain); }}};
  return table_of(columns, steps);
}

Table compared_rows_table(const Comparison& comparison, std::size_t count) {
  using Row = ComparedRow;
  const bool networks = are_several(comparison, &StudyTotal::network);
  std::vector<DescribedColumn<Row>> columns;
  if (are_several(comparison, &StudyTotal::machine)) {
    columns.push_back({{"machine"}, [](const Row& row) { return row.any().machine; }});
  }
  columns.push_back({{"layer"}, [=](const Row& row) { return layers_cell(row, networks); }});
  columns.push_back({{"phase"}, &phase_cell});
  if (are_several(comparison, &StudyTotal::scheme)) {
    columns.push_back({{"scheme", Align::left, 0, true}, &schemes_cell});
  }
  columns.push_back(
      {{"before", Align::right}, [](const Row& row) { return cycles_cell(row.before); }});
  columns.push_back({{"now", Align::right}, [](const Row& row) { return cycles_cell(row.now); }});
  columns.push_back({{"%", Align::right}, &moved_cell});
  columns.push_back({{"share", Align::right},
                     [](const Row& row) { return fmt::format("{:.1f} %", 100 * row.share); }});
  columns.push_back({{"limited by, kernel", Align::left, 0, true}, &limit_cell});
  const auto shown = comparison.rows.begin() + static_cast<std::ptrdiff_t>(count);
  return table_of(columns, std::vector<Row>(comparison.rows.begin(), shown));
}

}  // namespace stcsim
