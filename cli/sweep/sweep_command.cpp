#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/format.hpp"
#include "reports/sweep/sweep_table.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSweepWho = "stcsim sweep";
constexpr const char* kSweepNotes =
    "SPACE is a path, or the name of a shipped space ('stcsim list spaces'). ACTION is one of\n"
    "  plan    say how many points there are, and what is left to simulate\n"
    "  run     simulate what is not there yet, also after it was stopped, however that was; then\n"
    "          say what is best over all work, and what pays\n"
    "  status  say how many points are done and have failed, and why\n"
    "  merge   put the results of other files (FILE..., of shards) into one\n"
    "  pareto  the points that no other of its work and pattern beats in the columns of --min and "
    "--max\n"
    "  export  all results as CSV or JSON\n\n"
    "  stcsim sweep plan selector_widths\n"
    "  stcsim sweep run selector_widths --jobs auto\n"
    "  stcsim sweep pareto selector_widths --max speedup \\\n"
    "      --min machine.accelerator.sm.operand_selector.b_bytes_per_clk\n";

constexpr Option kAction{"ACTION"};
constexpr struct SweepOptionTable {
  Option results = kCommon.results.as(
      "FILE",
      "SQLite file of the results (default: the space's name and .sqlite; of a shard "
      "NAME.I-of-N.sqlite)");
  Option shard{"shard", "I/N", "plan, run: the I-th of N parts only"};
  Option jobs = kCommon.jobs;
  Option retry_failed{"retry-failed", "", "run: simulate points again that have failed"};
  Option each{"each", "", "run: answer for each GEMM or network by itself, not over all of them"};
  Option fast_forward = kCommon.fast_forward;
  Option set = kCommon.set.like("sample.points=50");
  Option min =
      Option{"min", "COLUMN", "pareto: less of this is better; may be repeated"}.repeated();
  Option max =
      kCommon.max.as("COLUMN", "pareto: more of this is better; may be repeated").repeated();
  Option format =
      kCommon.format.as("table|csv|json", "form of the output (default table; of export csv)");
  Option output = kCommon.output;
  Option html = kCommon.html;
  Option svg = kCommon.svg;
} kSweep;
constexpr std::int64_t kMostShards = 100'000;

struct Action {
  const char* name;
  /// The options it knows, beside --set and --results.
  Options options;
  /// The forms it has, of those that the help says; "" without --format.
  const char* formats;
  int (*run)(const Arguments&, Space, Format);
};

/// --shard, "3/16"; all points without it.
Shard shard_of(const Arguments& arguments) {
  if (!arguments.has(kSweep.shard)) return {};
  const std::string text = arguments.text(kSweep.shard);
  const std::size_t slash = text.find('/');
  Shard shard{0, 0};
  if (slash != std::string::npos) {
    shard = {to_whole_number(text.substr(0, slash)).value_or(0),
             to_whole_number(text.substr(slash + 1)).value_or(0)};
  }
  if (shard.index < 1 || shard.index > shard.count || shard.count > kMostShards) {
    arguments.refuse(kSweep.shard,
                     fmt::format("i/n with 1 <= i <= n <= {}, e.g. 3/16", kMostShards));
  }
  return shard;
}

/// --results, or a file named after the space, and the shard if there is one.
fs::path results_of(const Arguments& arguments, const Space& space) {
  if (arguments.has(kCommon.results)) return arguments.text(kCommon.results);
  const Shard shard = shard_of(arguments);
  if (shard == Shard{}) return space.name + ".sqlite";
  return fmt::format("{}.{}-of-{}.sqlite", space.name, shard.index, shard.count);
}

/// The points of a space, and what its file of results has of them.
struct SweepResults {
  SweepResults(const Arguments& arguments, Space space)
      : plan(plan_sweep(std::move(space))),
        store(results_of(arguments, plan.space), Database::Access::read),
        table(sweep_table(plan, store)) {}

  SweepPlan plan;
  SweepStore store;
  SweepTable table;
};

/// Says what of the sweep is not in the table.
void report_gaps(const SweepTable& table) {
  if (!table.failures.empty()) {
    write_message(kSweepWho, fmt::format("{} of {} points failed; 'stcsim sweep status' says why",
                                         table.failures.size(), table.points));
  }
  if (table.missing == 0) return;
  write_message(kSweepWho,
                fmt::format("{} of {} points are not done yet", table.missing, table.points));
}

/// What is left to simulate, why points failed, or a page of all.
void write_next_of(const Arguments& arguments, const SweepStore& store, const SweepTable& table) {
  const bool is_of_status = arguments.text(kAction) == "status";
  if (table.missing > 0) {
    return write_next(arguments, {"stcsim sweep run"},
                      arguments.again({kCommon.space, kCommon.results, kCommon.set}));
  }
  if (table.failures.empty() || is_of_status) {
    return write_next(arguments, {"stcsim page", shell_word(store.path())});
  }
  write_next(arguments, {"stcsim sweep status"},
             arguments.again({kCommon.space, kCommon.results, kCommon.set}));
}

/// What there is to know of machines whose stacks were written for other hardware, each once.
void write_machine_notes(const SweepPlan& plan) {
  std::set<std::string_view> written;
  for (const SweepPoint& point : plan.points) {
    const MachineConfig& machine = point.machine->spec.config;
    if (machine.other_stacks.empty()) continue;
    for (const std::string& note : machine.notes) {
      if (written.insert(note).second) write_message(kSweepWho, "note: " + note);
    }
  }
}

int plan(const Arguments& arguments, Space space, Format format) {
  const SweepPlan plan = plan_sweep(std::move(space));
  write_machine_notes(plan);
  const fs::path path = results_of(arguments, plan.space);
  std::optional<SweepStore> store;
  if (fs::exists(path)) store.emplace(path, Database::Access::read);
  const SweepForecast all = forecast(plan, store ? &*store : nullptr, shard_of(arguments));
  write_data(format == Format::json ? plan_json(plan.space, all)
                                    : plan_text(plan.space, all, output_width()));
  write_next(arguments, {"stcsim sweep run"},
             arguments.again({kCommon.space, kCommon.results, kCommon.set, kSweep.shard}));
  return kExitFine;
}

int run(const Arguments& arguments, Space space, Format /*format*/) {
  SweepOptions options;
  options.study.jobs = jobs_of(arguments);
  options.study.fast_forward = fast_forward_of(arguments);
  options.retry_failed = arguments.has(kSweep.retry_failed);
  options.shard = shard_of(arguments);
  HtmlPage page(arguments, kSweepWho);
  const SweepPlan plan = plan_sweep(std::move(space));
  SweepStore store(results_of(arguments, plan.space), Database::Access::write);
  ProgressBar bar;
  const InterruptWatch watch;
  options.study.on_progress = [&bar](const StudyProgress& progress) { bar.update(progress); };
  options.study.interrupted = &InterruptWatch::interrupted;
  SweepOutcome outcome;
  try {
    outcome = run_sweep(plan, store, options);
    if (InterruptWatch::interrupted()) throw StudyInterrupted();
  } catch (const StudyInterrupted&) {
    const SweepTable table = sweep_table(plan, store);
    throw StudyInterrupted(
        fmt::format("{} of {} points are kept in {}; the same command goes on there",
                    table.points - table.missing, table.points, store.path().string()));
  }
  bar.wipe();
  const SweepTable table = sweep_table(plan, store);
  page.write([&] { return sweep_to_json(plan.space, table); });
  const std::string answer =
      table.missing > 0
          ? ""  // of all shards
          : sweep_answer(plan.space, table, arguments.has(kSweep.each), output_width());
  write_data(answer + (answer.empty() ? "" : "\n") + outcome_text(outcome, store.path()));
  write_next_of(arguments, store, table);
  return outcome.failed + outcome.found_failed > 0 ? kExitFailed : kExitFine;
}

int status(const Arguments& arguments, Space space, Format format) {
  const auto& [plan, store, table] = SweepResults(arguments, std::move(space));
  write_data(format == Format::json ? status_json(plan.space, table)
                                    : status_text(table, store.path()));
  write_next_of(arguments, store, table);
  return kExitFine;
}

int merge(const Arguments& arguments, Space space, Format /*format*/) {
  const fs::path path = results_of(arguments, space);
  const std::vector<std::string> files = arguments.all(kCommon.file);
  if (files.empty()) throw ConfigError("FILE is missing: the files to merge");
  for (const std::string& file : files) {
    std::error_code ignored;
    if (fs::equivalent(file, path, ignored)) {
      throw ConfigError(fmt::format("'{}' cannot be merged into itself", file));
    }
    static_cast<void>(SweepStore(file, Database::Access::read));
  }
  SweepStore store(path, Database::Access::write);
  for (const std::string& file : files) store.absorb(SweepStore(file, Database::Access::read));
  const SweepPlan plan = plan_sweep(std::move(space));
  const SweepTable table = sweep_table(plan, store);
  write_data(status_text(table, store.path()));
  write_next_of(arguments, store, table);
  return kExitFine;
}

int export_results(const Arguments& arguments, Space space, Format format) {
  const auto& [plan, store, table] = SweepResults(arguments, std::move(space));
  report_gaps(table);
  Output(arguments).write(format == Format::json ? sweep_to_json(plan.space, table)
                                                 : sweep_to_csv(table));
  return kExitFine;
}

int pareto(const Arguments& arguments, Space space, Format format) {
  std::vector<Objective> objectives;
  for (const std::string& column : arguments.all(kSweep.min)) objectives.push_back({column, false});
  for (const std::string& column : arguments.all(kCommon.max)) objectives.push_back({column, true});
  if (objectives.empty()) throw ConfigError("--min or --max is missing: the columns to compare");
  const auto& [plan, store, table] = SweepResults(arguments, std::move(space));
  report_gaps(table);
  const SweepTable front = pareto_front(table, objectives, plan.space);
  Output output(arguments);
  output.write(format == Format::json ? sweep_to_json(plan.space, front)
               : format == Format::csv
                   ? sweep_to_csv(front)
                   : pareto_text(front, plan.space, objectives, output.width()));
  write_next_of(arguments, store, table);
  return kExitFine;
}

const std::vector<Action>& actions() {
  constexpr const SweepOptionTable& of = kSweep;
  static const std::vector<Action> kActions{
      {"plan", {of.shard, of.format}, "table|json", &plan},
      {"run",
       {of.shard, of.jobs, of.fast_forward, of.retry_failed, of.each, of.html, of.svg},
       "",
       &run},
      {"status", {of.format}, "table|json", &status},
      {"merge", {kCommon.file}, "", &merge},
      {"pareto", {of.min, of.max, of.format, of.output}, "table|json|csv", &pareto},
      {"export", {of.format, of.output}, "csv|json", &export_results}};
  return kActions;
}

/// Refuses what the command has and the action does not.
void refuse_others(const Arguments& arguments, const Action& action) {
  Options known = action.options;
  known.insert(known.end(), {kSweep.set, kSweep.results});
  Options all = options_of<SweepOptionTable>();
  all.push_back(kCommon.file);
  for (const Option& option : all) {
    const bool is_known = std::ranges::any_of(
        known, [&](const Option& one) { return std::string_view(one.name) == option.name; });
    arguments.allow_only_if(is_known, option, fmt::format("has no effect on '{}'", action.name));
  }
}

int run_action(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Action& action : actions()) names.emplace_back(action.name);
  const std::string given = arguments.text(kAction);
  const bool is_space =
      !arguments.has(kCommon.space) && std::ranges::find(names, given) == names.end();
  if (is_space) {
    throw ConfigError(
        fmt::format("ACTION is missing before '{0}', must be one of {1}, as in "
                    "'stcsim sweep run {0}'",
                    given, fmt::join(names, ", ")));
  }
  const Action& action = actions().at(arguments.choose(kAction, names));
  refuse_others(arguments, action);
  const Format format = *action.formats == 0
                            ? Format::table
                            : format_of(arguments, kSweep.format.as(action.formats, ""));
  return action.run(arguments,
                    load_space(arguments.text(kCommon.space), arguments.all(kCommon.set)), format);
}

}  // namespace

Command sweep_command() {
  return {"sweep",
          "Explore a space of machines and work, point by point",
          "ACTION SPACE [FILE]... [OPTIONS]",
          kSweepNotes,
          {kAction, kCommon.space.optional(), kCommon.file.optional().repeated()},
          options_of<SweepOptionTable>(),
          &run_action};
}

}  // namespace stcsim
