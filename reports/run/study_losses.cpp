#include "reports/run/study_losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "common/io/next_command.hpp"
#include "common/phase.hpp"
#include "reports/parts/described_table.hpp"
#include "reports/parts/study_groups.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kWorstRows = 5;

SparsityLoss loss_of(const ResultRow& row) {
  const Pattern& hardware = row.hardware_pattern;
  SparsityLoss loss{&row, static_cast<double>(hardware.m) / static_cast<double>(hardware.n)};
  const double ideal = static_cast<double>(row.dense_cycles) / loss.ideal_gain;
  loss.lost_cycles =
      std::llround(static_cast<double>(row.repeat) * (static_cast<double>(row.cycles) - ideal));
  return loss;
}

/// The losses of the row's machine, network, pass and scheme, made anew if there are none.
SchemeLosses& losses_of(std::vector<SchemeLosses>& all, const ResultRow& row) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const SchemeLosses& losses) {
    return losses.machine == row.machine && losses.network == row.network &&
           losses.scheme == row.scheme && losses.pass == row.pass();
  });
  if (known != all.end()) return *known;
  return all.emplace_back(
      SchemeLosses{row.machine, row.network, row.scheme, row.pass(), 0, {}, {}});
}

void keep_worst(SchemeLosses& losses) {
  std::stable_sort(
      losses.worst.begin(), losses.worst.end(),
      [](const SparsityLoss& a, const SparsityLoss& b) { return a.lost_cycles > b.lost_cycles; });
  losses.worst.resize(std::min(losses.worst.size(), kWorstRows));
  for (SparsityLoss& loss : losses.worst) {
    loss.share = static_cast<double>(loss.lost_cycles) / static_cast<double>(losses.lost_cycles);
  }
}

/// What of the experiment is not the default: type, batch and how kernels are picked. No kernel
/// runs both sparse and dense GEMMs, so that none is named where something is lost.
void add_settings(const nlohmann::ordered_json& config, const ResultRow& row,
                  std::vector<std::string>& parts) {
  if (config.contains("networks")) {
    for (const auto& network : config["networks"]) {
      if (network.value("name", "") != row.network || !network.contains("batch")) continue;
      parts.push_back(fmt::format("--batch {}", network["batch"].get<std::int64_t>()));
    }
  }
  const std::string dtype = config.value("dtype", "fp16");
  if (dtype != "fp16") parts.push_back("--dtype " + dtype);
  if (config.contains("stack")) {
    parts.push_back("--stack " + shell_word(config["stack"].get<std::string>()));
  }
  if (config.contains("kernel_candidates")) {
    parts.push_back(
        fmt::format("--candidates {}", config["kernel_candidates"].get<std::int64_t>()));
  }
}

std::vector<std::string> explain_of(const nlohmann::ordered_json& config, const ResultRow& row,
                                    const CalledAs& called_as) {
  const auto called = [&](const std::string& name) {
    const auto found = called_as.find(name);
    return found == called_as.end() ? name : found->second;
  };
  const std::string_view phase =
      to_string(row.pass() == StudyPass::training ? row.phase : RowPhase::forward);
  std::vector<std::string> parts{"stcsim explain", "--arch " + shell_word(called(row.machine)),
                                 "--layer " + shell_word(called(row.network) + ":" + row.layer),
                                 fmt::format("--phase {}", phase),
                                 "--scheme " + shell_word(row.scheme)};
  if (row.gemm_count > 1) parts.push_back(fmt::format("--part {}", row.longest_part));
  add_settings(config, row, parts);
  return parts;
}

constexpr std::string_view kLegend =
    "Cycles are of all repeats. Lost: what a layer takes longer than dense cycles / ideal, ideal "
    "being m/n of the hardware's pattern; share: of what the scheme loses. *: slower than "
    "dense.\n";

std::string pattern_of(const ResultRow& row) {
  const std::string pattern = row.pattern.to_string();
  if (row.pattern == row.hardware_pattern) return pattern;
  return pattern + " as " + row.hardware_pattern.to_string();
}

Table table_of(const SchemeLosses& losses) {
  using Loss = SparsityLoss;
  const std::vector<DescribedColumn<Loss>> columns{
      {{"layer"}, [](const Loss& loss) { return name_with_repeat(*loss.row); }},
      {{"phase"}, [](const Loss& loss) { return std::string(to_string(loss.row->phase)); }},
      {{"pattern"}, [](const Loss& loss) { return pattern_of(*loss.row); }},
      {{"cycles", Align::right}, [](const Loss& loss) { return format_amount(loss.cycles()); }},
      {{"gain", Align::right},
       [](const Loss& loss) {
         return (loss.is_slower_than_dense() ? "*" : "") + format_speedup(loss.row->speedup);
       }},
      {{"ideal", Align::right}, [](const Loss& loss) { return format_speedup(loss.ideal_gain); }},
      {{"cycles lost", Align::right},
       [](const Loss& loss) { return format_amount(loss.lost_cycles); }},
      {{"share", Align::right}, [](const Loss& loss) { return format_percent(loss.share); }},
      {{"limited by"}, [](const Loss& loss) { return loss.row->bound_by; }}};
  return table_of(columns, losses.worst);
}

std::string place_of(const SchemeLosses& losses) {
  return place_of(losses.network, losses.machine, losses.pass);
}

std::string text_of(const SchemeLosses& losses, std::size_t width) {
  const std::string title =
      fmt::format("{}, {}: where sparsity loses\n", place_of(losses), losses.scheme);
  return wrap_lines(title, width) + "\n" + table_of(losses).to_string(width) +
         next_lines(losses.explain, width) + "\n";
}

/// Losses of the same machine, network and pass, the scheme that loses most first.
std::vector<std::vector<const SchemeLosses*>> by_place(const std::vector<SchemeLosses>& all) {
  auto places = groups_of(all, [](const SchemeLosses& one, const SchemeLosses& other) {
    return place_of(one) == place_of(other);
  });
  for (auto& place : places) {
    std::ranges::stable_sort(place, std::greater<>(),
                             [](const SchemeLosses* one) { return one->lost_cycles; });
  }
  return places;
}

nlohmann::ordered_json loss_json(const SparsityLoss& loss) {
  const ResultRow& row = *loss.row;
  return figures({{"layer", row.layer},
                  {"phase", row.phase},
                  {"repeat", row.repeat},
                  {"pattern", row.pattern},
                  {"hardware_pattern", row.hardware_pattern},
                  {"cycles", loss.cycles()},
                  {kSpeedupKey, row.speedup},
                  {"ideal_speedup", loss.ideal_gain},
                  {"lost_cycles", loss.lost_cycles},
                  {"share", loss.share},
                  {"bound_by", row.bound_by},
                  {"slower_than_dense", loss.is_slower_than_dense()}});
}

}  // namespace

std::vector<SchemeLosses> study_losses(const StudyResult& study, const CalledAs& called_as) {
  std::vector<SchemeLosses> all;
  for (const ResultRow& row : study.rows) {
    if (!row.ran_sparse || row.scheme == kBaselineScheme) continue;
    const SparsityLoss loss = loss_of(row);
    if (loss.lost_cycles <= 0) continue;
    SchemeLosses& losses = losses_of(all, row);
    losses.lost_cycles += loss.lost_cycles;
    losses.worst.push_back(loss);
  }
  if (all.empty()) return all;
  const nlohmann::ordered_json config = config_object(study.resolved_config);
  for (SchemeLosses& losses : all) {
    keep_worst(losses);
    losses.explain = explain_of(config, *losses.worst.front().row, called_as);
  }
  return all;
}

std::string losses_tables(const StudyResult& study, std::size_t width, const CalledAs& called_as) {
  const std::vector<SchemeLosses> all = study_losses(study, called_as);
  if (all.empty()) return "";
  std::string text;
  for (const auto& place : by_place(all)) {
    for (const SchemeLosses* const losses : place) text += text_of(*losses, width);
  }
  return text + wrap_lines(kLegend, width);
}

nlohmann::ordered_json losses_json(const StudyResult& study) {
  return figures_of_each(study_losses(study), [](const SchemeLosses& losses) {
    return figures({{"machine", losses.machine},
                    {"network", losses.network},
                    {"scheme", losses.scheme},
                    {"pass", losses.pass},
                    {"lost_cycles", losses.lost_cycles},
                    {"worst", figures_of_each(losses.worst, &loss_json)},
                    {"explain", fmt::format("{}", fmt::join(losses.explain, " "))}});
  });
}

}  // namespace stcsim
