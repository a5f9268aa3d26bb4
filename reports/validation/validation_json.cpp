#include "reports/validation/validation_json.hpp"

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "common/version.hpp"
#include "reports/validation/fidelity_tables.hpp"
#include "reports/validation/selection.hpp"
#include "reports/validation/validation_sections_json.hpp"
#include "reports/validation/validation_tables.hpp"

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

}  // namespace stcsim
