#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/progress.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"
#include "common/io/text_file.hpp"
#include "reports/gemm/explain_report.hpp"
#include "reports/page/page_document.hpp"
#include "reports/run/study_report.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/explain/explanation.hpp"
#include "sim/kernel/library.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/sweep/sweep_store.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kReportNotes =
    "Makes one page of what the program wrote: JSON of any command (- is standard input), a "
    "folder\n"
    "of 'run --out', a sweep's .sqlite, a CSV file. The page loads nothing else and needs no "
    "network;\n"
    "commands write their own with --html.\n\n"
    "  stcsim run demo --format json | stcsim page - -o demo.html\n"
    "  stcsim page out/demo selector_widths.sqlite\n"
    "  stcsim page study.json --explain 50 --jobs auto -o report.html\n";

constexpr std::int64_t kMostExplained = 1000;

/// How many of the worst GEMMs of each study to explain, and in how many processes.
struct Explaining {
  std::int64_t count = 0;
  std::int64_t jobs = 1;
};

Explaining explaining_of(const Arguments& arguments) {
  return {arguments.integer_or(kCommon.explain, 0, 1, kMostExplained), jobs_of(arguments)};
}

const MachineSpec& machine_of(const Experiment& experiment, const WorstGemm& gemm,
                              const std::string& file) {
  const auto found = std::ranges::find(experiment.machines, gemm.machine, &MachineSpec::name);
  if (found != experiment.machines.end()) return *found;
  throw ConfigError(SourceLocation{file},
                    fmt::format("'config' has no machine '{}'", gemm.machine));
}

const PlannedRow& row_of(const MachinePlan& plan, const WorstGemm& gemm, const std::string& file) {
  const auto found = std::find_if(plan.rows.begin(), plan.rows.end(), [&](const PlannedRow& one) {
    return one.row.network == gemm.network && one.row.layer == gemm.layer &&
           to_string(one.row.phase) == gemm.phase && one.row.scheme == gemm.scheme &&
           one.gemms.size() > gemm.part && one.dense_gemms.size() > gemm.part;
  });
  if (found != plan.rows.end()) return *found;
  throw ConfigError(SourceLocation{file},
                    fmt::format("'config' has no {} of layer '{}' of '{}' under '{}'", gemm.phase,
                                gemm.layer, gemm.network, gemm.scheme));
}

ordered_json explained(const Experiment& experiment, const MachinePlan& plan, const WorstGemm& gemm,
                       const std::string& file, std::int64_t jobs) {
  const MachineConfig& machine = plan.machine->config;
  const PlannedRow& row = row_of(plan, gemm, file);
  const KernelPolicy policy = policy_of(experiment, machine);
  ExplainReport report;
  report.machine = gemm.machine;
  report.clock_mhz = machine.clock_mhz;
  if (policy.kernel == "auto") report.stack = describe(stack_named(machine, policy.stack));
  LaunchConditions conditions;
  conditions.locked_clock_mhz = gemm.clock_mhz;
  report.explanation = explain(machine,
                               {.problem = row.gemms[gemm.part],
                                .dense = row.dense_gemms[gemm.part],
                                .policy = policy,
                                .conditions = conditions},
                               jobs);
  report.resolved_config = "{}";
  ordered_json document = page_document(file, parse_json(explain_to_json(report), file));
  document.erase("config");
  document.erase("config_hash");
  return document;
}

/// The worst GEMMs of a study (worst_gemms) explained: documents of stcsim.explain/2 as
/// page_document() makes them, without `config`. They are simulated anew from the configuration in
/// the study, at the study's clock. This process must not have simulated anything before.
/// @param file that the study was read from, for messages
/// @throws ConfigError if the study's configuration cannot be read, or does not have its GEMMs
ordered_json explain_worst_gemms(const ordered_json& study, const std::string& file,
                                 std::size_t count, std::int64_t jobs) {
  const Experiment experiment = parse_resolved_experiment(study["config"].dump(), file);
  const std::vector<WorstGemm> worst = worst_gemms(study, count);
  ordered_json explanations = ordered_json::array();
  ProgressBar progress;
  const auto count_of_worst = static_cast<std::int64_t>(worst.size());
  const auto work = static_cast<double>(worst.size());
  std::optional<MachinePlan> plan;
  for (const WorstGemm& gemm : worst) {
    const auto done = static_cast<std::int64_t>(explanations.size());
    progress.update({done, count_of_worst, static_cast<double>(done), work}, "GEMMs");
    const MachineSpec& machine = machine_of(experiment, gemm, file);
    if (!plan || plan->machine != &machine) plan = plan_machine(experiment, machine);
    explanations.push_back(explained(experiment, *plan, gemm, file, jobs));
  }
  return explanations;
}

/// Of a sweep's file all points, whatever space they are of.
ordered_json points_of(const std::string& file) {
  const SweepStore store(file, Database::Access::read);
  std::map<std::string, StoredPoint> points;  // in an order that does not depend on keys
  for (const auto& [key, point] : store.rows("points")) points.emplace(point.axes + key, point);
  ordered_json document = document_head("stcsim.points/1", "");
  for (const auto& [order, point] : points) {
    ordered_json row{{"axes", parse_json(point.axes, file)}};
    row["figures"] = parse_json(point.result, file);
    document["points"].push_back(std::move(row));
  }
  return document;
}

/// A JSON document of the program ("-" is standard input), a folder that `run --out` wrote, a
/// sweep's file, or a CSV file.
ordered_json read_input(const std::string& file) {
  if (fs::is_directory(file)) return read_input((fs::path(file) / "results.json").string());
  if (file.ends_with(".sqlite")) return points_of(file);
  const std::string text = read_text_file(file, "a file of results");
  if (!file.ends_with(".csv")) return unfolded_study(parse_json(text, file), file);
  ordered_json document = document_head("stcsim.csv/1", "");
  document["text"] = text;
  return document;
}

/// The first one's name, as .html, in this directory.
std::string page_name_of(const std::vector<std::string>& inputs) {
  const fs::path first(inputs.front());
  if (inputs.front() == kStandardStream) return "page.html";
  const fs::path name = first.has_filename() ? first.filename() : first.parent_path().filename();
  return (name.has_stem() ? name.stem().string() : "page") + ".html";
}

ordered_json document_of(const std::string& file, const Explaining& explaining) {
  const ordered_json document = read_input(file);
  ordered_json shown = page_document(file, document);
  if (explaining.count > 0 && document["schema"] == "stcsim.study/2") {
    shown["explanations"] = explain_worst_gemms(
        document, file, static_cast<std::size_t>(explaining.count), explaining.jobs);
  }
  return shown;
}

ordered_json documents_of(const std::vector<std::string>& files, const Explaining& explaining) {
  ordered_json documents = ordered_json::array();
  bool has_study = false;
  for (const std::string& file : files) {
    documents.push_back(document_of(file, explaining));
    has_study = has_study || documents.back()["schema"] == "stcsim.study/2";
  }
  if (explaining.count > 0 && !has_study) {
    throw ConfigError("--explain has no effect: none of the files is of 'stcsim run'");
  }
  return documents;
}

/// A publication's own title; else the names of the files.
std::string title_of(const std::vector<std::string>& files, const ordered_json& documents) {
  const ordered_json& first = documents.front();
  const bool has_title = files.size() == 1 && first.contains("title") && first["title"].is_string();
  return has_title ? first["title"].get<std::string>()
                   : fmt::format("stcsim: {}", fmt::join(files, ", "));
}

int run_page_command(const Arguments& arguments) {
  const std::vector<std::string> files = arguments.all(kCommon.file);
  const Explaining explaining = explaining_of(arguments);
  const std::string name = arguments.text_or(kCommon.output, page_name_of(files));
  std::optional<Figures> figures;
  if (arguments.has(kCommon.svg)) figures.emplace(arguments.text(kCommon.svg), "stcsim page");
  std::optional<AtomicFile> page;
  if (name != kStandardStream) page.emplace(name);
  const std::string shell = read_text_file(page_shell_file(), "the page's shell");
  const ordered_json documents = documents_of(files, explaining);
  const std::string text = page_html(shell, title_of(files, documents), documents);
  if (figures) figures->write(page_data(documents));
  if (!page) {
    write_data(text);
    return kExitFine;
  }
  page->write(text);
  page->commit();
  if (!arguments.has(kCommon.output)) write_data(name + "\n");
  return kExitFine;
}

struct PageTable {
  Option output =
      kCommon.output
          .as("FILE", "the page (default: the first FILE's name as .html, in this directory)")
          .or_letter('o');
  Option explain = kCommon.explain.as(
      "N", "simulate why the N GEMMs of each study that lose most do (default none)");
  Option jobs = kCommon.jobs.with(&Option::needed, &explain);
  Option svg = kCommon.svg;
};

}  // namespace

Command page_command() {
  return {"page",
          "Make one page of results: charts and tables, to open in a browser",
          "FILE... [OPTIONS]",
          kReportNotes,
          {kCommon.file.repeated()},
          options_of<PageTable>(),
          &run_page_command};
}

}  // namespace stcsim
