#include "reports/parts/study_lines.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/io/figures.hpp"
#include "common/io/format.hpp"
#include "models/base/statistics.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result_figures.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

namespace {

/// What a training gains with the best of all kernels; null where that was not simulated.
const StackGain* with_best_kernels(const StudyTotal& total) {
  const auto found = std::ranges::find(total.beside, kBestStack, &StackGain::stack);
  return found == total.beside.end() ? nullptr : &*found;
}

/// "80.0 ms (72.1 ms..88.8 ms)", the dense step's time; every complete total knows it.
std::string dense_time(const std::vector<const StudyTotal*>& totals) {
  for (const StudyTotal* const total : totals) {
    if (!total->is_complete()) continue;
    const LikelyInterval& likely = total->dense_time_interval;
    return format_time_us(total->step.dense_time_us) +
           (likely.is_known() ? " (" + format_times_between(likely) + ")" : "");
  }
  return "failed";
}

constexpr const char* kProductsLine =
    "  the sum of the products alone: --framework NAME adds optimizer, casts, memory, pruning\n";

/// What the best scheme is, as far as that is sure.
std::string_view rank_of(const StudyTotal& best) {
  const std::string_view verdict = best.interval.verdict();
  const bool gains = verdict.empty() ? best.training.speedup > 1.0 : verdict == "faster";
  if (gains) return "fastest";
  return verdict.empty() || verdict == "slower" ? "no scheme is faster; best"
                                                : "no scheme is surely faster; best";
}

/// ", 24 of its 97 products sparse", repeats counted; "" where the scheme asks a pattern of none.
std::string sparse_text(const std::vector<ResultRow>& rows, const StudyTotal& total) {
  std::int64_t asked = 0;
  std::int64_t ran = 0;
  for (const ResultRow& row : rows) {
    const bool is_of_total = row.machine == total.machine && row.network == total.network &&
                             row.scheme == total.scheme && row.pass() == total.pass;
    if (!is_of_total || !row.is_gemm() || row.pattern.is_dense()) continue;
    asked += row.repeat;
    if (row.ran_sparse) ran += row.repeat;
  }
  return asked == 0 ? "" : fmt::format(", {} of its {} products sparse", ran, asked);
}

/// "fst, 46.2 ms in the mean of a training (1.07x, 1.04x..1.10x)"
std::string gain_of(const StudyTotal& total) {
  const std::string between =
      total.interval.is_known() ? ", " + format_between(total.interval) : std::string();
  return fmt::format("{}, {}{} ({}{})", total.scheme, format_time_us(total.training.time_us),
                     total.share_of_training < 1 ? " in the mean of a training" : "",
                     format_speedup(total.training.speedup), between);
}

/// A step of which the GPU waits for a larger share is bound by the host.
constexpr double kHostBound = 0.2;

/// "fst, kernels 88.9 ms (0.89x, 0.86x..0.92x), by the clock 288 ms (0.57x)", of a measured step.
std::string measured_gain_of(const StudyTotal& total) {
  const LikelyInterval& likely = total.kernels_interval;
  return fmt::format("{}, kernels {} ({}{}), by the clock {} ({})", total.scheme,
                     format_time_us(total.kernels_us), format_speedup(total.kernels_speedup),
                     likely.is_known() ? ", " + format_between(likely) : std::string(),
                     format_time_us(total.step.time_us), format_speedup(total.step.speedup));
}

/// "with searched kernels": how software chooses, beside another that chooses otherwise.
std::string stack_text(const std::string& stack) {
  if (stack == kBestStack) return "best of all kernels";
  if (stack.ends_with("_search")) return "with searched kernels";
  return stack.ends_with("_rule") ? "by the libraries' own rules" : "with " + stack;
}

/// Which of the two is the case changes a step by a tenth and more.
std::string attention_line(const StudyTotal& total) {
  if (total.scores == ScorePlace::none) return "";
  return fmt::format("  attention {} (framework {})\n",
                     total.scores == ScorePlace::on_chip
                         ? "in one kernel, its scores on chip"
                         : "materialised: its scores go to memory and back",
                     total.framework);
}

std::string answer_of(const std::vector<ResultRow>& rows, const StudyTotals& totals) {
  const StudyTotal& first = *totals.front();
  std::string line =
      fmt::format("{}: dense {} {}", place_of(first), step_word(first), dense_time(totals));
  if (first.measured) {
    line = fmt::format("{}: measured {} {}, kernels {}", place_of(first), step_word(first),
                       format_time_us(first.step.dense_time_us),
                       format_time_us(first.dense_kernels_us));
    const double waits = first.step.dense_time_us - first.dense_kernels_us;
    if (waits > kHostBound * first.step.dense_time_us) {
      line += ", waits for the host " + format_time_us(waits) + ", of which CUDA graphs leave none";
    }
  }
  if (const StudyTotal* const fastest = fastest_of(totals)) {
    line += fmt::format("; {} {}{}", rank_of(*fastest),
                        first.measured ? measured_gain_of(*fastest) : gain_of(*fastest),
                        sparse_text(rows, *fastest));
  }
  const auto failed = std::ranges::count(totals, false, &StudyTotal::is_complete);
  if (failed > 0) line += fmt::format("; {} of {} schemes failed", failed, totals.size());
  const StudyTotal* const fastest = fastest_of(totals);
  const std::string beside = fastest == nullptr ? "" : beside_text(fastest->beside);
  line += "\n" + misfit_line(totals);
  return line + (beside.empty() ? "" : "  " + beside + "\n") + attention_line(first) +
         (first.products_only ? kProductsLine : "");
}

}  // namespace

std::vector<StudyTotals> by_pass(const std::vector<StudyTotal>& totals) {
  return groups_of(totals, [](const StudyTotal& one, const StudyTotal& other) {
    return one.machine == other.machine && one.network == other.network && one.pass == other.pass;
  });
}

bool is_baseline(const StudyTotal& total) {
  return total.scheme == kBaselineScheme;
}

const StudyTotal* fastest_of(const StudyTotals& totals) {
  const StudyTotal* fastest = nullptr;
  for (const StudyTotal* const total : totals) {
    if (is_baseline(*total) || !total->is_complete()) continue;
    if (fastest == nullptr || total->training.speedup > fastest->training.speedup) fastest = total;
  }
  return fastest;
}

bool leaves_dense(const StudyTotal& total) {
  return total.always.cycles > 0 && total.always.cycles != total.step.cycles;
}

bool has_dense_steps(const StudyTotal& total) {
  return total.share_of_training < 1;
}

bool has_best_kernels(const StudyTotal& total) {
  return with_best_kernels(total) != nullptr;
}

bool has_figures(const StudyTotals& totals, PhaseTotal StudyTotal::*part) {
  return any_of(totals, [part](const StudyTotal& total) {
    return (total.*part).cycles > 0 || (total.*part).failed > 0;
  });
}

bool has_machines_without_libraries(const StudyResult& study) {
  return std::ranges::any_of(study.totals, &has_best_kernels) &&
         !std::ranges::all_of(study.totals, &has_best_kernels);
}

const char* step_word(const StudyTotal& total) {
  if (total.pass != kTrainingPass) return "pass";
  return total.products_only ? "sum" : "step";
}

std::string place_of(const std::string& network, const std::string& machine, StudyPass pass) {
  const std::string place = network + " on " + machine;
  return pass == StudyPass::training ? place : place + ", " + std::string(to_string(pass));
}

std::string place_of(const StudyTotal& total) {
  return place_of(total.network, total.machine, total.pass);
}

std::string name_with_repeat(const ResultRow& row) {
  return row.repeat == 1 ? row.layer : row.layer + " ×" + std::to_string(row.repeat);
}

std::string speedup_cell(const PhaseTotal& part) {
  return part_cell(part, [](const PhaseTotal& one) { return format_speedup(one.speedup); });
}

TotalColumn speedup_column(std::string_view header, PhaseTotal StudyTotal::*part, int dispensable) {
  return {{std::string(header), Align::right, dispensable},
          [part](const StudyTotal& one) { return speedup_cell(one.*part); }};
}

std::string step_time_cell(const StudyTotal& total) {
  return total.is_complete() ? format_time_us(total.step.time_us) : kFailedCell;
}

std::string all_kernels_cell(const StudyTotal& total) {
  const StackGain* const best = with_best_kernels(total);
  return best == nullptr ? kNothingCell : format_speedup(best->speedup);
}

bool has_verdict(const StudyTotal& total) {
  return total.interval.is_known() && !is_baseline(total);
}

std::string likely_cell(const StudyTotal& total) {
  if (!has_verdict(total)) return kNothingCell;
  std::string text = format_between(total.interval);
  std::erase(text, 'x');
  return text;
}

std::string verdict_cell(const StudyTotal& total) {
  if (!has_verdict(total)) return kNothingCell;
  const std::string_view verdict = total.interval.verdict();
  if (verdict == "as dense") return "same";
  if (verdict == "not told apart") return "unclear";
  return verdict == "slower" ? "SLOWER" : std::string(verdict);
}

std::string markdown_list(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    text += "- " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

std::string study_answer(const StudyResult& study) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) text += answer_of(study.rows, totals);
  return text;
}

std::string format_between(const LikelyInterval& interval) {
  return format_speedup(interval.low) + ".." + format_speedup(interval.high);
}

std::string format_times_between(const LikelyInterval& interval) {
  return format_time_us(interval.low) + ".." + format_time_us(interval.high);
}

std::string likely_line(const GemmIntervals& likely, bool with_dense) {
  if (!likely.time.is_known()) return "";
  std::string line = "  likely " + format_times_between(likely.time);
  if (with_dense) {
    line += fmt::format(", dense {}, gain {}", format_times_between(likely.dense_time),
                        format_between(likely.speedup));
  }
  const bool is_assumed = likely.time.is_assumed || (with_dense && likely.speedup.is_assumed);
  return line + (is_assumed ? "; assumed\n" : "\n");
}

std::string beside_text(const std::vector<StackGain>& beside) {
  std::string text;
  for (const StackGain& one : beside) {
    text += (text.empty() ? "" : ", ") + stack_text(one.stack) + " " + format_speedup(one.speedup);
  }
  return text;
}

std::string interval_line(const StudyResult& study) {
  std::vector<std::string> assumed;
  bool is_known = false;
  for (const StudyTotal& total : study.totals) {
    is_known = is_known || total.interval.is_known();
    const bool is_new = std::find(assumed.begin(), assumed.end(), total.machine) == assumed.end();
    if (total.interval.is_assumed && is_new) assumed.push_back(total.machine);
  }
  if (!is_known) return "";
  std::string line =
      "Likely: where a measured gain lies, by how far validated times are off; unclear: faster or "
      "slower, that does not say.\n";
  if (!assumed.empty()) {
    line += fmt::format("Of other machines or types, for want of own measurements: {}.\n",
                        fmt::join(assumed, ", "));
  }
  return line;
}

std::string clock_text(const StudyTotal& total) {
  const bool is_own = total.clock_of == "machine";
  if (is_own && total.dense_watts <= 0) return "";
  std::string text = fmt::format("clock: {:.0f} MHz", total.clock_mhz);
  const char* const pass = step_word(total);
  if (total.clock_of == "power") {
    return text +
           fmt::format(", all that the board's power allows the dense {}, which draws {:.0f} W",
                       pass, total.dense_watts);
  }
  if (!is_own) text += ", locked";
  if (total.dense_watts > 0) {
    text += fmt::format("; the dense {} draws {:.0f} W", pass, total.dense_watts);
  }
  return text;
}

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
