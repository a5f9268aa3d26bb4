#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"
#include "common/io/table.hpp"
#include "common/phase.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
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
    const ResultRow& one = losses.row();
    return one.machine == row.machine && one.network == row.network && one.scheme == row.scheme &&
           one.pass() == row.pass();
  });
  return known != all.end() ? *known : all.emplace_back();
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
  return place_of(losses.row().network, losses.row().machine, losses.row().pass());
}

std::string text_of(const SchemeLosses& losses, std::size_t width) {
  const std::string title =
      fmt::format("{}, {}: where sparsity loses\n", place_of(losses), losses.row().scheme);
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

/// Microseconds of one repeat by network, layer and phase.
using MeasuredByProduct = std::map<std::tuple<std::string, std::string, std::string>, double>;

MeasuredByProduct measured_in(const StudyResult& study) {
  MeasuredByProduct times;
  if (study.resolved_config.find("\"measured\"") == std::string::npos) return times;
  const auto config = try_parse_json(study.resolved_config);
  if (!config.is_object() || !config.contains("networks")) return times;
  for (const auto& network : config.at("networks")) {
    for (const auto& layer : network.at("layers")) {
      if (!layer.contains("measured")) continue;
      for (const Phase phase : kPhases) {
        const std::string name(to_string(phase));
        const auto time = layer.at("measured").value(name + "_ns", std::int64_t{0});
        constexpr double kMicrosecond = 1000;
        if (time <= 0) continue;
        times[{network.at("name"), layer.at("name"), name}] =
            static_cast<double>(time) / kMicrosecond;
      }
    }
  }
  return times;
}

/// A product in both worlds, repeats counted.
struct Compared {
  const ResultRow* row;
  double measured_us;
  double simulated_us;
};

std::string ratio_of(const Compared& one) {
  return one.measured_us > 0 ? format_speedup(one.simulated_us / one.measured_us) : kNothingCell;
}

std::string measured_table(std::vector<Compared> products, std::size_t width) {
  Table table({{"layer"},
               {"phase"},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"simulated / measured", Align::right}});
  std::ranges::stable_sort(products, std::ranges::greater{}, &Compared::measured_us);
  Compared all{products.front().row, 0, 0};
  for (const Compared& one : products) {
    table.add_row({name_with_repeat(*one.row), std::string(to_string(one.row->phase)),
                   format_time_us(one.measured_us), format_time_us(one.simulated_us),
                   ratio_of(one)});
    all.measured_us += one.measured_us;
    all.simulated_us += one.simulated_us;
  }
  table.add_rule();
  table.add_row({"all", "", format_time_us(all.measured_us), format_time_us(all.simulated_us),
                 ratio_of(all)});
  const ResultRow& first = *products.front().row;
  return first.network + " on " + first.machine +
         ": measured where the profile is from, and simulated here (dense)\n\n" +
         table.to_string(width);
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
    losses.explain = explain_of(config, losses.row(), called_as);
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
    return figures({{"machine", losses.row().machine},
                    {"network", losses.row().network},
                    {"scheme", losses.row().scheme},
                    {"pass", losses.row().pass()},
                    {"lost_cycles", losses.lost_cycles},
                    {"worst", figures_of_each(losses.worst, &loss_json)},
                    {"explain", fmt::format("{}", fmt::join(losses.explain, " "))}});
  });
}

std::string measured_tables(const StudyResult& study, std::size_t width) {
  const MeasuredByProduct times = measured_in(study);
  std::string text;
  if (times.empty()) return text;
  const auto alike = [](const ResultRow& one, const ResultRow& other) {
    return one.machine == other.machine && one.network == other.network;
  };
  for (const auto& rows : groups_of(study.rows, alike)) {
    std::vector<Compared> products;
    std::set<std::pair<std::string, RowPhase>> seen;
    for (const ResultRow* const row : rows) {
      const auto found = times.find({row->network, row->layer, std::string(to_string(row->phase))});
      if (!row->is_gemm() || found == times.end()) continue;
      if (!seen.insert({row->layer, row->phase}).second) continue;
      const auto repeat = static_cast<double>(row->repeat);
      products.push_back({row, found->second * repeat, row->dense_time_us * repeat});
    }
    if (!products.empty()) text += measured_table(std::move(products), width) + "\n";
  }
  return text;
}

}  // namespace stcsim
