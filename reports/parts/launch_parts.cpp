#include "reports/parts/launch_parts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "models/base/statistics.hpp"
#include "sim/run/result_figures.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kByte = "byte";

}  // namespace

void add_problem(ordered_json& object, const GemmProblem& problem) {
  add_figures(object, {{"m", problem.m},
                       {"n", problem.n},
                       {"k", problem.k},
                       {"batch_count", problem.batch_count},
                       {"dtype", problem.dtype},
                       {"pattern", problem.a_pattern}});
}

void write_counters(ordered_json& object, const std::vector<Counter>& counters) {
  ordered_json& traffic = object["traffic"] = ordered_json::object();
  ordered_json others = ordered_json::object();
  for (const Counter& counter : counters) {
    (counter.unit == kByte ? traffic : others[counter.unit])[counter.name] = counter.value;
  }
  if (!others.empty()) object["counters"] = std::move(others);
}

std::vector<Counter> all_counters(const std::vector<ResultRow>& rows) {
  std::vector<Counter> all;
  for (const std::string_view name : kTrafficCounters) {
    all.push_back({std::string(name), std::string(kByte), 0});
  }
  for (const ResultRow& row : rows) {
    for (const Counter& counter : row.counters) {
      const bool is_known = std::ranges::find(all, counter.name, &Counter::name) != all.end();
      if (!is_known) all.push_back({counter.name, counter.unit, 0});
    }
  }
  return all;
}

ordered_json buckets_json(const std::vector<UnitReport>& units) {
  ordered_json object = ordered_json::object();
  for (const UnitReport& unit : units) {
    ordered_json& entry = object[unit.unit];
    entry["instances"] = unit.instances;
    for (const auto& [bucket, cycles] : unit.buckets) entry[bucket] = cycles;
  }
  return object;
}

ordered_json gemm_interval_json(const LikelyInterval& interval) {
  ordered_json object = figures_of(interval);
  add_figures(object, {{"low_80", interval.low_80}, {"high_80", interval.high_80}});
  return object;
}

std::string search_text(const std::optional<KernelSearch>& search, bool is_named) {
  if (!search) return is_named ? "it was named" : "it was chosen by the library's rule";
  std::string text = fmt::format("{} kernels could run it: {} simulated, {} cannot be faster",
                                 format_count(search->possible), format_count(search->simulated),
                                 format_count(search->cannot_win));
  if (search->is_exact()) return text + "; it is the fastest of all";
  text += fmt::format(", {} left out: none of these saves more than {} of the time",
                      format_count(search->left_out), format_percent(search->regret_at_most));
  if (!search->left_out_estimate) return text;
  return text + fmt::format("; by estimate the best takes {:.2f} times as long",
                            *search->left_out_estimate);
}

ordered_json search_json(const std::optional<KernelSearch>& search) {
  if (!search) return nullptr;
  return figures({{"possible", search->possible},
                  {"simulated", search->simulated},
                  {"cannot_win", search->cannot_win},
                  {"left_out", search->left_out},
                  {"regret_at_most", search->regret_at_most},
                  {"left_out_estimate", search->left_out_estimate}});
}

}  // namespace stcsim
