#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/errors.hpp"
#include "reports/validation/system_rows.hpp"
#include "sim/config/config_readers.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/parallel/step_parts.hpp"
#include "sim/study/study.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// A network on one GPU, simulated once for all rows of it.
struct SimulatedStep {
  Network network;
  StudyResult study;
};

class SystemRunner {
 public:
  explicit SystemRunner(const ValidationOptions& options) {
    study_.jobs = options.jobs;
    study_.fast_forward = options.fast_forward;
  }

  /// Fills in what is predicted, or why nothing is.
  void predict(SystemRow& row) {
    const MeasuredSystem& measured = row.measured;
    row.skipped = measured.unusable;
    if (!row.skipped.empty()) return;
    const SystemConfig& system = system_of(measured);
    if (!measured.collective) {
      row.us = step_us(measured, system);
    } else if (measured.nodes > 1 && !system.links.between_nodes) {
      row.skipped = "system '" + system.name + "' has no links between nodes";
    } else {
      row.us = collective_time(system.links, {*measured.collective, measured.bytes, measured.gpus,
                                              measured.nodes})
                   .us;
    }
  }

 private:
  double step_us(const MeasuredSystem& row, const SystemConfig& system) {
    const SimulatedStep& step = step_of(row, system);
    ParallelConfig parallel = row.parallel;
    parallel.system = system;
    std::vector<const ResultRow*> rows;
    for (const ResultRow& one : step.study.rows) rows.push_back(&one);
    StepParts parts = step_parts(step.network, Scheme(), rows, parallel, true);
    parts.accumulation = row.accumulation;
    return run_streams(step_streams(parts, parallel, row.gpus), system.beside).us;
  }

  template <class Value>
  static Value load_named(const MeasuredSystem& row, ConfigKind kind, const std::string& name,
                          Value (*read)(MapReader&)) {
    const YamlNode node = load_by_name(kind, name, row.where);
    MapReader map(node, "");
    return read(map);
  }

  const SystemConfig& system_of(const MeasuredSystem& row) {
    auto known = systems_.find(row.system);
    if (known == systems_.end()) {
      known = systems_.emplace(row.system, load_system(row.system, row.where)).first;
    }
    return known->second;
  }

  SimulatedStep& step_of(const MeasuredSystem& row, const SystemConfig& system) {
    const StepKey key{system.machine, row.model, row.framework, row.dtype, row.micro_batch};
    const auto known = steps_.find(key);
    return known != steps_.end() ? known->second
                                 : steps_.emplace(key, simulate(row, system)).first->second;
  }

  [[nodiscard]] SimulatedStep simulate(const MeasuredSystem& row,
                                       const SystemConfig& system) const {
    Experiment experiment;
    experiment.machines = {load_machine(system.machine)};
    Network network = load_named(row, ConfigKind::network, row.model, &read_network);
    network.batch = row.micro_batch;
    experiment.phases.assign(kPhases.begin(), kPhases.end());
    experiment.schemes = {load_scheme(kBaselineScheme)};
    experiment.dtype = row.dtype;
    experiment.framework = load_named(row, ConfigKind::framework, row.framework, &read_framework);
    skip_blocks(network, experiment.framework);
    experiment.networks = {network};
    StudyResult study = run_study(experiment, study_);
    if (!study.failures.empty()) throw SimulationError(study.failures.front());
    return {std::move(network), std::move(study)};
  }

  using StepKey = std::tuple<std::string, std::string, std::string, DataType, std::int64_t>;

  StudyOptions study_;
  std::map<std::string, SystemConfig> systems_;
  std::map<StepKey, SimulatedStep> steps_;
};

/// Time of a micro-batch on as many GPUs, over that on the series' fewest.
double scaling_of(const MeasuredSystem& fewest, double fewest_us, const MeasuredSystem& row,
                  double us) {
  return fewest_us / static_cast<double>(fewest.accumulation) /
         (us / static_cast<double>(row.accumulation));
}

void find_scaling(std::vector<SystemRow>& rows) {
  std::map<std::string, const SystemRow*> fewest;
  for (const SystemRow& row : rows) {
    if (row.measured.collective || !row.us) continue;
    const SystemRow*& known = fewest[row.measured.series];
    if (known == nullptr || row.measured.gpus < known->measured.gpus) known = &row;
  }
  for (SystemRow& row : rows) {
    if (row.measured.collective || !row.us) continue;
    const SystemRow& base = *fewest.at(row.measured.series);
    row.measured_scaling =
        scaling_of(base.measured, base.measured.us, row.measured, row.measured.us);
    row.scaling = scaling_of(base.measured, *base.us, row.measured, *row.us);
  }
}

bool is_short(const SystemRow& row) {
  return row.measured.collective && row.measured.bytes < kLeastCollectiveBytes;
}

/// "collectives", "collectives between nodes", or the sharding of a training.
std::string kind_of(const MeasuredSystem& row) {
  if (!row.collective) return std::string(to_string(row.parallel.sharding));
  return row.nodes == 1 ? "collectives" : "collectives between nodes";
}

using SystemPoints = std::vector<std::pair<double, double>>;
struct SystemGroup {
  SystemPoints times;
  SystemPoints scaling;
};

std::string errors_cell_of(const SystemPoints& points) {
  if (points.empty()) return "-";
  const ErrorSummary errors = error_statistics(points);
  return fmt::format("{}, {}", format_percent(errors.mean_absolute), error_cell(errors.bias));
}

}  // namespace

std::vector<SystemRow> validate_systems(const std::vector<MeasuredSystem>& rows,
                                        const ValidationOptions& options) {
  SystemRunner runner(options);
  std::vector<SystemRow> predicted;
  for (const MeasuredSystem& measured : rows) {
    SystemRow row{measured, std::nullopt, 1, std::nullopt, ""};
    try {
      runner.predict(row);
      predicted.push_back(std::move(row));
    } catch (const ConfigError& error) {
      if (!options.on_bad_row) throw;
      options.on_bad_row(error);
    }
    if (options.progress) options.progress(predicted.size());
  }
  find_scaling(predicted);
  return predicted;
}

Table system_table(const std::vector<SystemRow>& rows) {
  std::map<std::tuple<std::string, std::string, std::string>, SystemGroup> groups;
  for (const SystemRow& row : rows) {
    if (!row.us || is_short(row)) continue;
    const MeasuredSystem& measured = row.measured;
    SystemGroup& group =
        groups[{measured.system, kind_of(measured), std::string(to_string(measured.use))}];
    group.times.emplace_back(measured.us, *row.us);
    if (row.scaling) group.scaling.emplace_back(row.measured_scaling, *row.scaling);
  }
  Table table({{"system"},
               {"kind"},
               {"use"},
               {"rows", Align::right},
               {"time: error, bias", Align::right},
               {"scaling: error, bias", Align::right}});
  for (const auto& [key, group] : groups) {
    const auto& [system, kind, use] = key;
    table.add_row({system, kind, use, std::to_string(group.times.size()),
                   errors_cell_of(group.times), errors_cell_of(group.scaling)});
  }
  return table;
}

Table system_rows_table(const std::vector<SystemRow>& rows) {
  Table table({{"line", Align::right},
               {"system"},
               {"what"},
               {"GPUs", Align::right},
               {"measured", Align::right},
               {"predicted", Align::right},
               {"error", Align::right},
               {"scaling", Align::right},
               {"predicted", Align::right}});
  for (const SystemRow& row : rows) {
    const MeasuredSystem& measured = row.measured;
    if (!row.us || is_short(row) || (measured.collective && measured.nodes == 1)) continue;
    const std::string what = measured.collective
                                 ? fmt::format("{}, {:.0f} MiB", to_string(*measured.collective),
                                               measured.bytes / kLeastCollectiveBytes)
                                 : measured.series;
    table.add_row({std::to_string(measured.where.line), measured.system, what,
                   std::to_string(measured.gpus), format_time_us(measured.us),
                   format_time_us(*row.us), error_cell(*row.us / measured.us - 1),
                   row.scaling ? format_percent(row.measured_scaling) : "-",
                   row.scaling ? format_percent(*row.scaling) : "-"});
  }
  return table;
}

}  // namespace stcsim
