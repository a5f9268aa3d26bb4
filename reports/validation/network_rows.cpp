#include "reports/validation/network_rows.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/config_field.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/table_fields.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kTimeUnits{
    {{"s", 1e6}, {"ms", 1e3}, {"us", 1.0}}};
constexpr std::array<std::string_view, 3> kRateUnits{"seq/s", "images/s", "img/s"};
[[noreturn]] void refuse(const CsvField& field, std::string_view column, std::string_view right) {
  throw ConfigError(
      field.where, std::string(column) + " is '" + field.text + "', must be " + std::string(right));
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::int64_t> batches_in(const CsvField& field) {
  constexpr std::int64_t kLargestBatch = 1'000'000;
  std::vector<std::int64_t> batches;
  for (const std::string& part : parts_of(field.text)) {
    const auto batch = to_whole_number(part);
    if (!batch || *batch < 1 || *batch > kLargestBatch) {
      refuse(field, "batch", "whole numbers from 1 to 1000000 with ';' between them");
    }
    batches.push_back(*batch);
  }
  if (batches.empty()) refuse(field, "batch", "the samples per step, as 'model' is given");
  return batches;
}

constexpr std::string_view kInference = "inference";

std::vector<Phase> phases_in(const CsvField& field) {
  if (field.text == kInference) return {Phase::forward};
  std::vector<Phase> phases;
  for (const std::string& part : parts_of(field.text)) {
    const auto phase = phase_from_string(part);
    if (!phase) break;
    phases.push_back(*phase);
  }
  if (phases.empty() || phases.size() != parts_of(field.text).size()) {
    refuse(field, "phases", "inference, or forward, dgrad and wgrad with ';' between them");
  }
  return phases;
}

Scope scope_in(const CsvField& field) {
  for (const auto& [name, scope] : kNetworkScopes) {
    if (field.text == name) return scope;
  }
  refuse(field, "scope", "step, passes, sparse_gemms, sparse_layers, best_layer or scheme_work");
}

Optimizer optimizer_in(const CsvField& field) {
  for (const auto& [name, optimizer] : names_until(Optimizer::lamb)) {
    if (field.text == name) return optimizer;
  }
  refuse(field, "optimizer", "sgd_momentum, adam or lamb");
}

/// The time of a step in us; nothing if no value is given.
std::optional<double> time_in(const TableFields& fields, std::string_view column,
                              const std::vector<std::int64_t>& batches) {
  const std::optional<double> value = fields.number(column);
  if (!value) return std::nullopt;
  const CsvField& unit = fields.at("unit");
  for (const auto& [name, microseconds] : kTimeUnits) {
    if (unit.text == name) return *value * microseconds;
  }
  if (std::find(kRateUnits.begin(), kRateUnits.end(), unit.text) == kRateUnits.end()) {
    refuse(unit, "unit", "s, ms, us, seq/s, images/s or img/s");
  }
  if (batches.size() != 1) return std::nullopt;
  return static_cast<double>(batches.front()) / *value * 1e6;
}

Interval speedup_in(const CsvField& field) {
  if (field.text.empty()) return {};
  const auto interval = interval_from_string(field.text);
  if (!interval) refuse(field, "speedup", "a number above 0, a range like 1.3-1.5, or 'up to 1.3'");
  return *interval;
}

std::string why_not(const TableFields& fields) {
  const std::string& types = fields.text("dtype");
  const std::string& pattern = fields.text("pattern");
  if (types.find("no tensor cores") != std::string::npos) return "ran without tensor cores";
  const auto parsed = pattern_from_string(pattern);
  if (!parsed || parsed->selects_columns()) return "pattern '" + pattern + "' is not n:m";
  const std::string& reason = fields.text("not_simulated");
  if (!reason.empty()) return reason;
  if (!types.empty() && !data_type_from_string(types)) {
    return "data type '" + types + "' is not simulated";
  }
  if (!fields.text("model").empty()) return "";
  return "no network file stands for '" + fields.text("network") + "'";
}

MeasuredNetwork read_network_row(const TableFields& fields) {
  MeasuredNetwork network;
  network.where = fields.at("source").where;
  network.source = fields.text("source");
  network.gpu = fields.text("gpu");
  network.network = fields.text("network");
  network.config = fields.text("config");
  network.phase = fields.text("phase");
  network.pattern = fields.text("pattern");
  network.types = fields.text("dtype");
  network.measured.speedup = speedup_in(fields.at("speedup"));
  network.unusable = why_not(fields);
  if (!network.unusable.empty()) return network;
  network.dtype = data_type_from_string(network.types).value_or(DataType::fp16);
  network.model = fields.text("model");
  network.scheme = fields.text("scheme");
  const std::string framework = fields.text_or_nothing("framework");
  if (!framework.empty()) network.framework = framework;
  network.stack = fields.text_or_nothing("stack");
  if (fields.given("accumulation") != nullptr) {
    network.accumulation = *fields.count("accumulation");
  }
  if (const CsvField* const optimizer = fields.given("optimizer")) {
    network.optimizer = optimizer_in(*optimizer);
  }
  if (fields.given("clock_mhz") != nullptr) network.clock_mhz = fields.number("clock_mhz");
  if (fields.given("software_year") != nullptr) {
    network.software_year = fields.count("software_year");
  }
  network.batches = batches_in(fields.at("batch"));
  network.phases = phases_in(fields.at("phases"));
  network.inference = fields.text("phases") == kInference;
  network.scope = scope_in(fields.at("scope"));
  network.measured.dense_us = time_in(fields, "dense", network.batches);
  network.measured.sparse_us = time_in(fields, "sparse", network.batches);
  return network;
}

}  // namespace

std::vector<MeasuredNetwork> read_measured_networks(const std::filesystem::path& path,
                                                    std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  table.check_columns(
      {"source", "gpu", "dtype", "network", "config", "phase", "dense", "sparse", "unit", "speedup",
       "pattern", "model", "batch", "phases", "scheme", "scope", "not_simulated"},
      {"framework", "stack", "accumulation", "optimizer", "clock_mhz", "software_year", "note"});
  return read_rows(table, bad_rows, &read_network_row);
}

}  // namespace stcsim
