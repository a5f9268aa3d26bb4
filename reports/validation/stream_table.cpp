#include "reports/validation/stream_table.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "reports/validation/measured_fields.hpp"
#include "reports/validation/read_rows.hpp"

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

MeasuredStream read_stream_row(const MeasuredFields& fields) {
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
  return stream;
}

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
                      {"machine", "note"});
  return read_rows(table, bad_rows, &read_stream_row);
}

}  // namespace stcsim
