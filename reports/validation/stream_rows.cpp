#include "reports/validation/stream_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/format.hpp"
#include "reports/evidence/table_fields.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/errors.hpp"
#include "sim/job/job_runner.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, StreamOp>, 13> kOps{{
    {"add", StreamOp::residual_add},
    {"mul", StreamOp::residual_add},
    {"div", StreamOp::residual_add},
    {"pow", StreamOp::residual_add},
    {"addu", StreamOp::relu},
    {"mulu", StreamOp::relu},
    {"divu", StreamOp::relu},
    {"powu", StreamOp::relu},
    {"relu", StreamOp::relu},
    {"tanh", StreamOp::relu},
    {"gelu", StreamOp::gelu},
    {"softmax", StreamOp::softmax},
    {"ln", StreamOp::layer_norm},
}};

DataType dtype_in(const CsvField& field) {
  const auto dtype = data_type_from_string(field.text);
  if (dtype == DataType::fp32 || dtype == DataType::fp16) return *dtype;
  throw ConfigError(field.where, "dtype is '" + field.text + "', must be fp32 or fp16");
}

MeasuredStream read_stream_row(const TableFields& fields) {
  MeasuredStream stream;
  stream.where = fields.at("source").where;
  stream.source = fields.text("source");
  stream.gpu = fields.text("gpu");
  stream.machine = fields.text_or_nothing("machine");
  stream.op = fields.text("op");
  (void)stream_op_of(stream.op, fields.at("op").where);
  stream.dtype = dtype_in(fields.at("dtype"));
  stream.rows = size_in(fields.at("rows"), "rows");
  stream.columns = size_in(fields.at("columns"), "columns");
  const std::optional<double> time_us = fields.number("time_us");
  if (!time_us) throw ConfigError(fields.at("time_us").where, "time_us is missing");
  stream.time_us = *time_us;
  if (fields.given("overhead_us") != nullptr) {
    constexpr double kMostUs = 1000;
    stream.overhead_us = fields.number("overhead_us", 0, kMostUs);
  }
  return stream;
}

/// Name of the operation's own kernel, beside casts and what scales.
std::string_view kernel_name(StreamOp op) {
  if (op == StreamOp::residual_add) return "residual_add forward";
  if (op == StreamOp::relu) return "relu forward";
  if (op == StreamOp::gelu) return "gelu forward";
  return op == StreamOp::softmax ? "softmax forward" : "layer_norm forward";
}

constexpr const char* kAllOps = "all";

struct OpRows {
  std::vector<std::pair<double, double>> points;  // measured and simulated us
  double least_us = 0;

  void add(const StreamRow& row) {
    const double measured = row.measured.time_us;
    least_us = points.empty() ? measured : std::min(least_us, measured);
    points.emplace_back(measured, *row.time_us);
  }
};

}  // namespace

StreamOp stream_op_of(std::string_view op, const SourceLocation& where) {
  std::string names;
  for (const auto& [name, value] : kOps) {
    if (name == op) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw ConfigError(where, fmt::format("op is '{}', must be one of {}", op, names));
}

std::vector<MeasuredStream> read_measured_streams(const std::filesystem::path& path,
                                                  std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  table.check_columns({"source", "gpu", "op", "dtype", "rows", "columns", "time_us"},
                      {"machine", "overhead_us", "note"});
  return read_rows(table, bad_rows, &read_stream_row);
}

StreamWork stream_work_of(const MeasuredStream& measured, const Framework& framework) {
  const StreamOp op = stream_op_of(measured.op, measured.where);
  Layer layer;
  layer.kind = LayerKind::linear;
  layer.in_channels = 1;
  layer.out_channels = measured.columns;
  layer.height = measured.rows;
  layer.after = {op};
  // Products of tf32 leave fp32 behind.
  const DataType dtype = measured.dtype == DataType::fp32 ? DataType::tf32 : measured.dtype;
  for (const StreamKernel& kernel : stream_kernels(layer, 1, dtype, framework)) {
    if (kernel.name == kernel_name(op)) return kernel.work;
  }
  throw ConfigError("framework '" + framework.name + "' has no kernel '" +
                    std::string(kernel_name(op)) + "'");
}

std::vector<StreamRow> validate_streams(const std::vector<MeasuredStream>& streams,
                                        const std::map<std::string, MachineConfig>& machines,
                                        const Framework& framework,
                                        const ValidationOptions& options) {
  JobMachines of_jobs;
  std::vector<StreamRow> rows;
  std::vector<Job> jobs;
  std::vector<std::size_t> row_of;
  for (const MeasuredStream& measured : streams) {
    const std::string& key = measured.machine.empty() ? measured.gpu : measured.machine;
    const auto found = machines.find(key);
    StreamRow row{measured, "", std::nullopt, ""};
    if (found == machines.end()) {
      row.skipped = "no machine for GPU '" + measured.gpu + "'";
    } else {
      row.machine = found->second.name;
      jobs.push_back({&of_jobs.of(found->second), stream_work_of(measured, framework)});
      row_of.push_back(rows.size());
    }
    rows.push_back(std::move(row));
  }
  const auto answers = answers_to(jobs, {options.jobs, options.fast_forward}, options.progress);
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    StreamRow& row = rows[row_of[at]];
    row.time_us = answers[at]->result.time_us() + row.measured.overhead_us;
  }
  return rows;
}

Table stream_table(const std::vector<StreamRow>& rows) {
  std::map<std::pair<std::string, std::string>, OpRows> ops;
  for (const StreamRow& row : rows) {
    if (!row.time_us) continue;
    ops[{row.machine, kAllOps}].add(row);
    ops[{row.machine, row.measured.op}].add(row);
  }
  Table table({{"machine"},
               {"operation"},
               {"rows", Align::right},
               {"shortest", Align::right},
               {"mean error", Align::right},
               {"bias", Align::right}});
  for (const auto& [key, of_op] : ops) {
    const ErrorSummary errors = error_statistics(of_op.points);
    table.add_row({key.first, key.second, std::to_string(errors.rows),
                   format_time_us(of_op.least_us), format_percent(errors.mean_absolute),
                   error_cell(errors.bias)});
  }
  return table;
}

}  // namespace stcsim
