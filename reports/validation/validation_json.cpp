#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "common/version.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/row_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/validation_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value, const std::string& key) {
  return value ? json_number(*value, key) : ordered_json(nullptr);
}

std::string value_key(GemmFigure quantity, const std::string& name) {
  return quantity == GemmFigure::speedup ? name : name + "_us";
}

void add_kernel(ordered_json& object, const std::string& name, const SimulatedKernel& kernel) {
  object[name + "_kernel"] = kernel.name;
  object[name + "_bound_by"] = kernel.bound_by;
  object[name + "_waits"] = kernel.waits;
}

ordered_json object_of(const ValidationRow& row) {
  const MeasuredGemm& gemm = row.gemm;
  ordered_json object{{"table", table_of(gemm)},
                      {"line", gemm.where.line},
                      {"source", gemm.source},
                      {"gpu", gemm.gpu},
                      {"machine", row.machine},
                      {"dtype", to_string(gemm.problem.dtype)},
                      {"pattern", gemm.pattern},
                      {"m", gemm.problem.m},
                      {"n", gemm.problem.n},
                      {"k", gemm.problem.k},
                      {"batch_count", gemm.problem.batch_count},
                      {"stack", gemm.stack},
                      {"timing", gemm.timing},
                      {"clock_mhz", nullptr},
                      {"command", row.command},
                      {"use", to_string(gemm.use)},
                      {"skipped", row.skipped}};
  if (gemm.clock_mhz) object["clock_mhz"] = *gemm.clock_mhz;
  for (const auto& [quantity, name, title] : kGemmFigures) {
    const std::string key = value_key(quantity, name);
    object["measured_" + key] = number_or_null(value_of(gemm.measured, quantity), key);
    object["simulated_" + key] = number_or_null(value_of(row.simulated, quantity), key);
    object[std::string(name) + "_error"] = number_or_null(error_of(row, quantity), key);
    const LikelyInterval& likely = likely_of(row, quantity);
    const bool is_said = likely.is_known() && value_of(row.simulated, quantity);
    const auto end = [&](double value) { return is_said ? std::optional(value) : std::nullopt; };
    object["likely_" + key + "_low"] = number_or_null(end(likely.low), key);
    object["likely_" + key + "_high"] = number_or_null(end(likely.high), key);
  }
  add_kernel(object, "dense", row.dense_kernel);
  add_kernel(object, "sparse", row.sparse_kernel);
  return object;
}

/// measured_KEY, simulated_KEY and NAME_error.
void add_compared(ordered_json& object, const std::string& key, const std::string& name,
                  const std::optional<double>& measured, const std::optional<double>& simulated) {
  object["measured_" + key] = number_or_null(measured, key);
  object["simulated_" + key] = number_or_null(simulated, key);
  object[name + "_error"] = number_or_null(relative_error(simulated, measured), key);
}

ordered_json object_of(const InstructionRow& row) {
  const MeasuredInstruction& measured = row.measured;
  ordered_json object{{"line", measured.where.line}, {"source", measured.source},
                      {"gpu", measured.gpu},         {"machine", row.machine},
                      {"instr", measured.name},      {"types", measured.types},
                      {"shape", measured.shape},     {"pattern", measured.pattern.to_string()},
                      {"warps", measured.warps},     {"ilp", row.ilp},
                      {"skipped", row.skipped}};
  add_compared(object, "latency_cycles", "latency", measured.latency_cycles, row.latency_cycles);
  add_compared(object, "fma_per_clk_sm", "throughput", measured.fma_per_clk, row.fma_per_clk);
  return object;
}

ordered_json object_of(const NetworkRow& row) {
  const MeasuredNetwork& network = row.measured;
  const NetworkFigures& measured = network.measured;
  const NetworkFigures& simulated = row.simulated;
  ordered_json object{{"line", network.where.line},
                      {"source", network.source},
                      {"gpu", network.gpu},
                      {"machine", row.machine},
                      {"network", network.network},
                      {"config", network.config},
                      {"phase", network.phase},
                      {"pattern", network.pattern},
                      {"dtype", to_string(network.dtype)},
                      {"model", network.model},
                      {"batches", network.batches},
                      {"scheme", network.scheme},
                      {"scope", to_string(network.scope)},
                      {"framework", network.framework},
                      {"accumulation", network.accumulation},
                      {"skipped", row.skipped}};
  add_compared(object, "dense_us", "dense", measured.dense_us, simulated.dense_us);
  add_compared(object, "sparse_us", "sparse", measured.sparse_us, simulated.sparse_us);
  for (const auto& [name, speedup] :
       {std::pair("measured", measured.speedup), std::pair("simulated", simulated.speedup)}) {
    const std::string key = std::string(name) + "_speedup_";
    object[key + "low"] = number_or_null(speedup.low, key);
    object[key + "high"] = number_or_null(speedup.high, key);
  }
  object["speedup_error"] =
      number_or_null(distance_from(simulated.speedup, measured.speedup), "speedup_error");
  return object;
}

ordered_json object_of(const StreamRow& row) {
  const MeasuredStream& measured = row.measured;
  ordered_json object{{"line", measured.where.line}, {"source", measured.source},
                      {"gpu", measured.gpu},         {"machine", row.machine},
                      {"op", measured.op},           {"dtype", to_string(measured.dtype)},
                      {"rows", measured.rows},       {"columns", measured.columns},
                      {"skipped", row.skipped}};
  add_compared(object, "us", "time", measured.time_us, row.time_us);
  return object;
}

ordered_json object_of(const SystemRow& row) {
  const MeasuredSystem& measured = row.measured;
  ordered_json object{{"line", measured.where.line},
                      {"source", measured.source},
                      {"gpu", measured.gpu},
                      {"system", measured.system},
                      {"collective", nullptr},
                      {"bytes", json_number(measured.bytes, "bytes")},
                      {"series", measured.series},
                      {"sharding", to_string(measured.parallel.sharding)},
                      {"gpus", measured.gpus},
                      {"nodes", measured.nodes},
                      {"use", to_string(measured.use)},
                      {"skipped", row.skipped}};
  if (measured.collective) object["collective"] = to_string(*measured.collective);
  add_compared(object, "us", "time", measured.us, row.us);
  add_compared(object, "scaling", "scaling", row.measured_scaling, row.scaling);
  return object;
}

ordered_json object_of(const CounterRow& row) {
  const MeasuredCounters& measured = row.measured;
  const GemmProblem& problem = measured.problem;
  ordered_json object{{"line", measured.where.line},
                      {"source", measured.source},
                      {"gpu", measured.gpu},
                      {"machine", row.machine},
                      {"dtype", to_string(problem.dtype)},
                      {"pattern", measured.pattern},
                      {"m", problem.m},
                      {"n", problem.n},
                      {"k", problem.k},
                      {"clock_mhz", nullptr},
                      {"use", to_string(measured.use)},
                      {"measured_kernel", measured.kernel},
                      {"kernel", row.as_measured.kernel_text()},
                      {"chosen_kernel", row.chosen.kernel_text()},
                      {"no_kernel", row.no_kernel},
                      {"skipped", row.skipped}};
  if (measured.clock_mhz) object["clock_mhz"] = *measured.clock_mhz;
  for (const CounterFigure& figure : kCounterFigures) {
    const auto counted = measured.counted.*figure.value;
    const auto chosen = row.chosen.counted.*figure.value;
    add_compared(object, figure.key, figure.key, counted, row.as_measured.counted.*figure.value);
    object[std::string("chosen_") + figure.key] = number_or_null(chosen, figure.key);
    object[std::string("chosen_") + figure.key + "_error"] =
        number_or_null(relative_error(chosen, counted), figure.key);
  }
  return object;
}

template <class Row>
std::vector<ordered_json> objects_of(const std::vector<Row>& rows) {
  std::vector<ordered_json> objects;
  for (const Row& row : rows) objects.push_back(object_of(row));
  return objects;
}

template <class Row>
std::string csv_of(const std::vector<Row>& rows) {
  return to_csv(object_of(Row()), objects_of(rows));
}

ordered_json summary_json(const std::vector<ValidationRow>& rows) {
  ordered_json summary = ordered_json::array();
  for (const NamedSelection& one : reported_selections(rows)) {
    for (const auto& [quantity, name, title] : kGemmFigures) {
      const ErrorSummary errors = summarise_errors(rows, one.selection, quantity);
      if (errors.rows == 0) continue;
      summary.push_back({{"gpu", one.name},
                         {"quantity", name},
                         {"rows", errors.rows},
                         {"mean_absolute_error", json_number(errors.mean_absolute, "error")},
                         {"bias", json_number(errors.bias, "bias")},
                         {"pearson_r", number_or_null(errors.correlation, "pearson_r")}});
    }
  }
  return summary;
}

ordered_json software_json(const std::vector<MachineSoftware>& software) {
  ordered_json array = ordered_json::array();
  for (const MachineSoftware& one : software) {
    array.push_back({{"machine", one.machine}, {"stack", one.stack}});
  }
  return array;
}

ordered_json bad_rows_json(const std::vector<ConfigError>& bad_rows) {
  ordered_json array = ordered_json::array();
  for (const ConfigError& error : bad_rows) array.push_back(error.what());
  return array;
}

}  // namespace

std::string validation_to_json(const ValidationResults& results) {
  return document_text({{"schema", kValidationSchema},
                        {"version", program_version()},
                        {"software", software_json(results.software)},
                        {"results", objects_of(results.gemms)},
                        {"summary", summary_json(results.gemms)},
                        {"cells", fidelity_json(fidelity_cells(results.gemms))},
                        {"selections", selections_json(selections(results.gemms))},
                        {"instructions", objects_of(results.instructions)},
                        {"networks", objects_of(results.networks)},
                        {"streams", objects_of(results.streams)},
                        {"systems", objects_of(results.systems)},
                        {"counters", objects_of(results.counters)},
                        {"bad_rows", bad_rows_json(results.bad_rows)}});
}

std::string validation_to_csv(const ValidationResults& results) {
  const bool has_instructions = !results.instructions.empty();
  const bool has_networks = !results.networks.empty();
  if (!results.gemms.empty() || (has_instructions && has_networks)) return csv_of(results.gemms);
  if (has_instructions) return csv_of(results.instructions);
  if (has_networks) return csv_of(results.networks);
  if (!results.streams.empty()) return csv_of(results.streams);
  return results.systems.empty() ? csv_of(results.counters) : csv_of(results.systems);
}

}  // namespace stcsim
