#include "reports/losses_report.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "common/io/table.hpp"
#include "reports/study_losses.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kLegend =
    "Cycles are of all repeats. Lost: what a layer takes longer than dense cycles / ideal, ideal "
    "being m/n of the hardware's pattern; of all: of what the scheme loses. *: slower than "
    "dense.\n";

std::string pattern_of(const ResultRow& row) {
  if (row.pattern == row.hardware_pattern) return row.pattern;
  return row.pattern + " as " + row.hardware_pattern;
}

Table table_of(const SchemeLosses& losses) {
  Table table({{"layer"},
               {"phase"},
               {"pattern"},
               {"cycles", Align::right},
               {"gain", Align::right},
               {"ideal", Align::right},
               {"cycles lost", Align::right},
               {"of all", Align::right},
               {"limited by"}});
  for (const SparsityLoss& loss : losses.worst) {
    const ResultRow& row = *loss.row;
    const std::string mark = loss.is_slower_than_dense() ? "*" : "";
    table.add_row({row.repeat == 1 ? row.layer : row.layer + " ×" + std::to_string(row.repeat),
                   row.phase, pattern_of(row), format_amount(loss.cycles()),
                   mark + format_speedup(row.speedup), format_speedup(loss.ideal_gain),
                   format_amount(loss.lost_cycles), format_percent(loss.share), row.bound_by});
  }
  return table;
}

/// "next: stcsim explain ...", broken as a shell continues a line.
std::string next_lines(const std::vector<std::string>& command, std::size_t width) {
  constexpr std::string_view kBreak = " \\";
  constexpr std::string_view kIndent = "   ";
  std::string text = "next:";
  std::size_t column = text.size();
  for (const std::string& part : command) {
    const std::size_t length = 1 + display_width(part);
    if (column + length + kBreak.size() > width) {
      text += fmt::format("{}\n{}", kBreak, kIndent);
      column = kIndent.size();
    }
    text += " " + part;
    column += length;
  }
  return text + "\n";
}

std::string place_of(const SchemeLosses& losses) {
  const std::string place = losses.network + " on " + losses.machine;
  return losses.pass == kTrainingPass ? place : place + ", " + losses.pass;
}

std::string text_of(const SchemeLosses& losses, std::size_t width) {
  const std::string title =
      fmt::format("{}, {}: where sparsity loses\n", place_of(losses), losses.scheme);
  return wrap_lines(title, width) + "\n" + table_of(losses).to_string(width) +
         next_lines(losses.explain, width) + "\n";
}

/// Losses of the same machine, network and pass, the scheme that loses most first.
std::vector<std::vector<const SchemeLosses*>> by_place(const std::vector<SchemeLosses>& all) {
  std::vector<std::vector<const SchemeLosses*>> places;
  for (const SchemeLosses& losses : all) {
    const auto found = std::find_if(places.begin(), places.end(), [&](const auto& place) {
      return place_of(*place.front()) == place_of(losses);
    });
    if (found == places.end()) {
      places.push_back({&losses});
    } else {
      found->push_back(&losses);
    }
  }
  for (auto& place : places) {
    std::stable_sort(place.begin(), place.end(),
                     [](const auto* a, const auto* b) { return a->lost_cycles > b->lost_cycles; });
  }
  return places;
}

nlohmann::ordered_json loss_json(const SparsityLoss& loss) {
  const ResultRow& row = *loss.row;
  return {{"layer", row.layer},
          {"phase", row.phase},
          {"repeat", row.repeat},
          {"pattern", row.pattern},
          {"hardware_pattern", row.hardware_pattern},
          {"cycles", loss.cycles()},
          {"speedup", json_number(row.speedup, "speedup")},
          {"ideal_speedup", json_number(loss.ideal_gain, "ideal_speedup")},
          {"lost_cycles", loss.lost_cycles},
          {"share", json_number(loss.share, "share")},
          {"bound_by", row.bound_by},
          {"slower_than_dense", loss.is_slower_than_dense()}};
}

}  // namespace

std::string losses_tables(const StudyResult& study, std::size_t schemes, std::size_t width) {
  const std::vector<SchemeLosses> all = study_losses(study);
  if (all.empty()) return "";
  std::string text;
  std::size_t left_out = 0;
  for (const auto& place : by_place(all)) {
    const std::size_t shown = std::min(place.size(), schemes);
    for (std::size_t at = 0; at < shown; ++at) text += text_of(*place[at], width);
    left_out += place.size() - shown;
  }
  std::string lines(kLegend);
  if (left_out > 0) {
    lines += fmt::format(
        "{} more {} less: --out DIR (report.txt) and --format json have the tables of all.\n",
        left_out, left_out == 1 ? "scheme loses" : "schemes lose");
  }
  return text + wrap_lines(lines, width);
}

nlohmann::ordered_json losses_json(const StudyResult& study) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const SchemeLosses& losses : study_losses(study)) {
    nlohmann::ordered_json worst = nlohmann::ordered_json::array();
    for (const SparsityLoss& loss : losses.worst) worst.push_back(loss_json(loss));
    array.push_back({{"machine", losses.machine},
                     {"network", losses.network},
                     {"scheme", losses.scheme},
                     {"pass", losses.pass},
                     {"lost_cycles", losses.lost_cycles},
                     {"worst", std::move(worst)},
                     {"explain", fmt::format("{}", fmt::join(losses.explain, " "))}});
  }
  return array;
}

}  // namespace stcsim
