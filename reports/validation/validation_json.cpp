#include "reports/validation/validation_json.hpp"

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "common/version.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/gemm_tables.hpp"
#include "reports/validation/network_tables.hpp"
#include "reports/validation/selection.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json optional_number(const std::optional<double>& value, const std::string& key) {
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

ordered_json row_json(const ValidationRow& row) {
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
                      {"command", row.command},
                      {"use", to_string(gemm.use)},
                      {"skipped", row.skipped}};
  for (const auto& [quantity, name, title] : kGemmFigures) {
    const std::string key = value_key(quantity, name);
    object["measured_" + key] = optional_number(value_of(gemm.measured, quantity), key);
    object["simulated_" + key] = optional_number(value_of(row.simulated, quantity), key);
    object[std::string(name) + "_error"] = optional_number(error_of(row, quantity), key);
  }
  add_kernel(object, "dense", row.dense_kernel);
  add_kernel(object, "sparse", row.sparse_kernel);
  return object;
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
                         {"pearson_r", optional_number(errors.correlation, "pearson_r")}});
    }
  }
  return summary;
}

std::vector<ordered_json> rows_json(const std::vector<ValidationRow>& rows) {
  std::vector<ordered_json> objects;
  for (const ValidationRow& row : rows) objects.push_back(row_json(row));
  return objects;
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

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value, const std::string& key) {
  return value ? json_number(*value, key) : ordered_json(nullptr);
}

/// measured_KEY, simulated_KEY and NAME_error.
void add_compared(ordered_json& object, const std::string& key, const std::string& name,
                  const std::optional<double>& measured, const std::optional<double>& simulated) {
  object["measured_" + key] = number_or_null(measured, key);
  object["simulated_" + key] = number_or_null(simulated, key);
  object[name + "_error"] = number_or_null(relative_error(simulated, measured), key);
}

}  // namespace

std::string validation_to_json(const ValidationResults& results) {
  return document_text({{"schema", kValidationSchema},
                        {"version", program_version()},
                        {"software", software_json(results.software)},
                        {"results", rows_json(results.gemms)},
                        {"summary", summary_json(results.gemms)},
                        {"cells", fidelity_json(fidelity_cells(results.gemms))},
                        {"selections", selections_json(selections(results.gemms))},
                        {"instructions", instructions_json(results.instructions)},
                        {"networks", networks_json(results.networks)},
                        {"streams", streams_json(results.streams)},
                        {"bad_rows", bad_rows_json(results.bad_rows)}});
}

std::string validation_to_csv(const ValidationResults& results) {
  if (results.gemms.empty() && results.instructions.empty() && results.networks.empty() &&
      !results.streams.empty()) {
    return to_csv(stream_json(StreamRow()), streams_json(results.streams));
  }
  const bool no_gemms = results.gemms.empty();
  if (no_gemms && !results.instructions.empty() && results.networks.empty()) {
    return to_csv(instruction_json(InstructionRow()), instructions_json(results.instructions));
  }
  if (no_gemms && !results.networks.empty() && results.instructions.empty()) {
    return to_csv(network_json(NetworkRow()), networks_json(results.networks));
  }
  return to_csv(row_json(ValidationRow()), rows_json(results.gemms));
}

ordered_json instruction_json(const InstructionRow& row) {
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

ordered_json network_json(const NetworkRow& row) {
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

ordered_json stream_json(const StreamRow& row) {
  const MeasuredStream& measured = row.measured;
  ordered_json object{{"line", measured.where.line}, {"source", measured.source},
                      {"gpu", measured.gpu},         {"machine", row.machine},
                      {"op", measured.op},           {"dtype", to_string(measured.dtype)},
                      {"rows", measured.rows},       {"columns", measured.columns},
                      {"skipped", row.skipped}};
  add_compared(object, "us", "time", measured.time_us, row.time_us);
  return object;
}

std::vector<ordered_json> instructions_json(const std::vector<InstructionRow>& rows) {
  std::vector<ordered_json> objects;
  for (const InstructionRow& row : rows) objects.push_back(instruction_json(row));
  return objects;
}

std::vector<ordered_json> streams_json(const std::vector<StreamRow>& rows) {
  std::vector<ordered_json> objects;
  for (const StreamRow& row : rows) objects.push_back(stream_json(row));
  return objects;
}

std::vector<ordered_json> networks_json(const std::vector<NetworkRow>& rows) {
  std::vector<ordered_json> objects;
  for (const NetworkRow& row : rows) objects.push_back(network_json(row));
  return objects;
}

}  // namespace stcsim
