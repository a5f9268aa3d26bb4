#include "reports/validation/validation_sections_json.hpp"

#include "common/io/json_text.hpp"
#include "reports/validation/network_tables.hpp"

namespace stcsim {
namespace {

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
