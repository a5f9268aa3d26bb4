#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "cli/eval/eval_line.hpp"
#include "cli/gemm/gemm_options.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/format.hpp"
#include "common/io/next_command.hpp"
#include "common/io/table.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/least_squares.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/job/job_runner.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFitNotes =
    "TABLE is a CSV file with a row for each GEMM: m, n, k, time_us, and where they differ "
    "pattern,\n"
    "dtype, batch_count, layout, stack, clock and other options of `gemm`. What data sheets say "
    "comes\n"
    "with --from and --set: SMs, clock, multipliers, bandwidth of DRAM. Every third row is left "
    "out\n"
    "of a first fit, to say how far off the machine is where it was not fitted.\n\n"
    "  stcsim fit measured.csv --from a100 --set clock_mhz=1380 -o mine.yaml\n"
    "  stcsim gemm --arch ./mine.yaml --m 1024 --n 8192 --k 1024 --sparsity 2:4\n";

constexpr const char* kDramKey = "accelerator.dram.bytes_per_clk";
/// What data sheets do not say, and times of GEMMs tell.
constexpr std::array<const char*, 10> kFittedKeys{"accelerator.cta_scheduler.launch_cycles",
                                                  "accelerator.cta_scheduler.cta_setup_cycles",
                                                  "accelerator.sm.epilogue.setup_cycles",
                                                  "accelerator.sm.epilogue.elements_per_clk",
                                                  "accelerator.sm.shared_memory.fill_bytes_per_clk",
                                                  "accelerator.sm.shared_memory.barrier_cycles",
                                                  "accelerator.memory_bus.sm_read_bytes_per_clk",
                                                  "accelerator.l2_cache.read_bytes_per_clk",
                                                  "accelerator.l2_cache.near_hit_cycles",
                                                  kDramKey};
/// A key stays within a half and twice of what the first machine has.
constexpr std::int64_t kMostFactor = 2;
constexpr std::size_t kRowsPerKey = 2;
constexpr std::size_t kLeftOut = 3;
/// Less is not told by the rows: a tenth more or less of the key changes no time by a thousandth.
constexpr double kLeastInfluence = 0.01;

struct FitKey {
  std::string name;
  std::int64_t from = 0;
  std::int64_t least = 1;
  std::int64_t most = 1;
};

struct FitRow {
  std::vector<std::string> words;
  double time_us = 0;
  SourceLocation where;
};

/// @throws ConfigError at the row
GemmOptions gemm_of(const FitRow& row, const MachineSpec& machine) {
  try {
    return gemm_options_on(machine, Arguments(line_options(EvalLine::Kind::gemm), {}, row.words));
  } catch (const ConfigError& error) {
    throw ConfigError(row.where, message_of_line(error.what()));
  }
}

/// Fits a machine's numbers to times; a point has the logarithm of each key's factor.
class MachineFit {
 public:
  MachineFit(YamlNode machine, std::vector<FitKey> keys, std::vector<FitRow> rows,
             std::int64_t jobs)
      : machine_(std::move(machine)), keys_(std::move(keys)), rows_(std::move(rows)) {
    options_.workers = jobs;
    bar_.show("fitting");
  }

  [[nodiscard]] std::int64_t value(const Point& point, std::size_t key) const {
    const double exact = static_cast<double>(keys_[key].from) * std::exp(point[key]);
    return std::clamp<std::int64_t>(std::llround(exact), keys_[key].least, keys_[key].most);
  }

  /// ln(simulated / measured) of each row.
  [[nodiscard]] std::vector<Point> errors_at(const std::vector<Point>& points,
                                             const std::vector<FitRow>& rows) {
    std::deque<MachineSpec> machines;
    JobMachines job_machines;
    std::vector<Job> jobs;
    for (const Point& point : points) {
      const MachineSpec& machine = machines.emplace_back(machine_at(point));
      for (const FitRow& row : rows) {
        const GemmOptions asked = gemm_of(row, machine);
        jobs.push_back({&job_machines.of(machine.config), GemmWork{asked.problem}, asked.policy,
                        asked.method.launches});
      }
    }
    const Answers answers = answers_to(jobs, options_);
    std::vector<Point> errors(points.size());
    for (std::size_t at = 0; at < answers.size(); ++at) {
      const double ratio = answers[at]->result.time_us() / rows[at % rows.size()].time_us;
      errors[at / rows.size()].push_back(std::log(ratio));
    }
    simulated_ += points.size();
    bar_.show(fmt::format("fitting: {} machines simulated", simulated_));
    return errors;
  }

  [[nodiscard]] LeastSquaresResult fit(const std::vector<FitRow>& rows, const Point& start) {
    LeastSquares problem;
    problem.most = std::log(static_cast<double>(kMostFactor));
    problem.residuals = [&](const std::vector<Point>& points) { return errors_at(points, rows); };
    return minimise(problem, start);
  }

  [[nodiscard]] const std::vector<FitKey>& keys() const { return keys_; }
  [[nodiscard]] const std::vector<FitRow>& rows() const { return rows_; }
  /// Those left out of the first fit, or the others.
  [[nodiscard]] std::vector<FitRow> share_of_rows(bool left_out) const {
    std::vector<FitRow> some;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if ((at % kLeftOut == kLeftOut - 1) == left_out) some.push_back(rows_[at]);
    }
    return some;
  }

 private:
  [[nodiscard]] MachineSpec machine_at(const Point& point) const {
    YamlNode node = machine_;
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      apply_override(node, fmt::format("{}={}", keys_[key].name, value(point, key)));
    }
    return read_machine(node);
  }

  YamlNode machine_;
  std::vector<FitKey> keys_;
  std::vector<FitRow> rows_;
  JobOptions options_;
  ProgressBar bar_;
  std::size_t simulated_ = 0;
};

double mean_of(const Point& errors) {
  double sum = 0;
  for (const double error : errors) sum += std::abs(std::expm1(error));
  return sum / static_cast<double>(errors.size());
}

std::vector<FitRow> rows_of(const std::string& file) {
  const CsvTable table = CsvTable::read(file);
  const std::size_t time = table.column("time_us");
  for (const char* const name : {"m", "n", "k"}) static_cast<void>(table.column(name));
  std::vector<FitRow> rows;
  const auto options = line_options(EvalLine::Kind::gemm);
  for (const CsvTable::Row& fields : table.rows()) {
    FitRow row;
    for (const Option& option : options) {
      std::string name = option.name;
      std::ranges::replace(name, '-', '_');
      const auto column = table.find_column(name == "sparsity" ? "pattern" : name);
      if (column && !fields[*column].text.empty()) {
        row.words.push_back(option.spelled() + "=" + fields[*column].text);
      }
    }
    const std::string& text = fields[time].text;
    row.time_us = to_number(text).value_or(0);
    if (!(row.time_us > 0) || !std::isfinite(row.time_us)) {
      throw ConfigError(fields[time].where, "time_us is '" + text + "', must be a time above 0");
    }
    row.where = fields.front().where;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The value nearest to `value` that a machine may have, in halves of the way to one that it has.
std::int64_t allowed(const YamlNode& machine, const std::string& key, std::int64_t value,
                     std::int64_t from) {
  for (; value != from; value = from + (value - from) / 2) {
    try {
      YamlNode changed = machine;
      apply_override(changed, fmt::format("{}={}", key, value));
      static_cast<void>(read_machine(changed));
      break;
    } catch (const ConfigError&) {  // not that much
    }
  }
  return value;
}

/// The keys that the machine has a number for and that neither --set nor --copy says.
std::vector<FitKey> keys_of(const YamlNode& machine, const std::vector<std::string>& set) {
  const ordered_json json = to_json(machine);
  std::vector<FitKey> keys;
  for (const char* const name : kFittedKeys) {
    const bool is_given = std::ranges::any_of(
        set, [&](const std::string& one) { return one.starts_with(std::string(name) + "="); });
    std::string pointer = "/" + std::string(name);
    std::ranges::replace(pointer, '.', '/');
    const auto place = ordered_json::json_pointer(pointer);
    if (is_given || !json.contains(place) || !json.at(place).is_number_integer()) continue;
    const auto from = json.at(place).get<std::int64_t>();
    const std::int64_t least = std::max<std::int64_t>(1, from / kMostFactor);
    keys.push_back({name, from, allowed(machine, name, least, from),
                    allowed(machine, name, from * kMostFactor, from)});
  }
  return keys;
}

constexpr struct FitTable {
  Option from{"from", "NAME", "machine to begin with: a shipped one, or a path"};
  Option output = kCommon.output.as("FILE", "the machine file (required)").or_letter('o');
  Option copy{"copy", "GB/S", "bandwidth that copies reach in DRAM: it is not fitted then"};
  Option set = kCommon.set.like("accelerator.num_sms=82");
  Option jobs = kCommon.jobs;
} kFit;
constexpr Option kTable{"TABLE"};

MachineFit fit_of(const Arguments& arguments, std::vector<std::string>& set) {
  YamlNode machine = load_by_name(ConfigKind::machine, arguments.text(kFit.from));
  apply_overrides(machine, set);
  if (arguments.has(kFit.copy)) {
    const double bytes =
        arguments.number(kFit.copy) * 1000 / read_machine(machine).config.clock_mhz;
    set.push_back(fmt::format("{}={}", kDramKey, std::llround(bytes)));
    apply_override(machine, set.back());
  }
  std::vector<FitKey> keys = keys_of(machine, set);
  std::vector<FitRow> rows = rows_of(arguments.text(kTable));
  if (rows.size() < kRowsPerKey * keys.size()) {
    throw ConfigError(fmt::format("{} has {} rows, {} keys are fitted: must be {} rows at least",
                                  arguments.text(kTable), rows.size(), keys.size(),
                                  kRowsPerKey * keys.size()));
  }
  return {std::move(machine), std::move(keys), std::move(rows), jobs_of(arguments)};
}

std::string machine_text(const Arguments& arguments, const MachineFit& fit, const Point& point,
                         const std::vector<std::string>& set, const std::string& summary) {
  YamlNode node;
  const std::filesystem::path file = arguments.text(kCommon.output);
  apply_override(
      node, fmt::format("extends={}", name_from(std::filesystem::absolute(file).parent_path(),
                                                ConfigKind::machine, arguments.text(kFit.from))));
  const std::string name = file == kStandardStream ? "fitted" : file.stem().string();
  apply_override(node, "name=" + name);
  apply_overrides(node, set);
  for (std::size_t key = 0; key < fit.keys().size(); ++key) {
    apply_override(node, fmt::format("{}={}", fit.keys()[key].name, fit.value(point, key)));
  }
  return fmt::format("# Fitted by stcsim fit to {} times of GEMMs in {}: {}\n", fit.rows().size(),
                     arguments.text(kTable), summary) +
         to_yaml(to_json(node));
}

std::string fitted_keys(const MachineFit& fit, const LeastSquaresResult& result) {
  Table table({{"fitted key"}, {"before"}, {"after"}, {"range"}, {""}});
  for (std::size_t key = 0; key < fit.keys().size(); ++key) {
    const FitKey& one = fit.keys()[key];
    const std::int64_t value = fit.value(result.at, key);
    const bool is_at_end = value == one.least || value == one.most;
    const bool is_told = result.influence[key] > kLeastInfluence;
    table.add_row(
        {one.name, std::to_string(one.from), std::to_string(value),
         fmt::format("{}..{}", one.least, one.most),
         !is_told ? "no row depends on it" : (is_at_end ? "at the end of its range" : "")});
  }
  return table.to_string();
}

/// The rows that are still furthest off.
std::string unexplained(const MachineFit& fit, const Point& errors) {
  constexpr std::size_t kShown = 3;
  std::vector<std::size_t> order(errors.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::ranges::sort(order, std::greater(), [&](std::size_t at) { return std::abs(errors[at]); });
  std::string text = "furthest off still:\n";
  for (std::size_t at = 0; at < std::min(kShown, order.size()); ++at) {
    text += fmt::format("  {:+.1f} %  {}\n", 100 * std::expm1(errors[order[at]]),
                        fmt::join(fit.rows()[order[at]].words, " "));
  }
  return text;
}

int run_fit(const Arguments& arguments) {
  std::vector<std::string> set = arguments.all(kCommon.set);
  if (!arguments.has(kCommon.output)) throw ConfigError("--output is missing");
  Output output(arguments);
  MachineFit fit = fit_of(arguments, set);
  const Point start(fit.keys().size(), 0.0);
  const std::vector<FitRow> left_out = fit.share_of_rows(true);
  const LeastSquaresResult first = fit.fit(fit.share_of_rows(false), start);
  const double before = mean_of(fit.errors_at({start}, left_out).front());
  const double after = mean_of(fit.errors_at({first.at}, left_out).front());
  const double all_before = mean_of(fit.errors_at({start}, fit.rows()).front());
  const LeastSquaresResult all = fit.fit(fit.rows(), first.at);
  const std::string summary =
      fmt::format("{} off in the mean where it was not fitted", format_percent(after));
  output.write(machine_text(arguments, fit, all.at, set, summary));
  if (arguments.text(kCommon.output) == kStandardStream) return kExitFine;
  write_data(fmt::format("{}: times are {}, {} before\n", arguments.text(kCommon.output), summary,
                         format_percent(before)));
  write_data(fmt::format("  {} rows fitted in the end: {} off, {} before\n\n", fit.rows().size(),
                         format_percent(mean_of(all.residuals)), format_percent(all_before)));
  write_data(fitted_keys(fit, all) + "\n" + unexplained(fit, all.residuals));
  write_data(
      next_lines({"stcsim gemm", "--arch " + shell_word("./" + arguments.text(kCommon.output)),
                  "1024 8192 1024", "--sparsity 2:4"},
                 output_width()));
  return kExitFine;
}

}  // namespace

Command fit_command() {
  return {"fit",
          "Fit a machine to measured times of GEMMs: a file for your own card",
          "TABLE --from NAME -o FILE [OPTIONS]",
          kFitNotes,
          {kTable},
          options_of<FitTable>(),
          &run_fit};
}

}  // namespace stcsim
