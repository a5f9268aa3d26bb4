#include "reports/validation/stream_validation.hpp"

#include <cstddef>
#include <string_view>

#include "common/error.hpp"
#include "reports/validation/stream_table.hpp"
#include "sim/job/job_runner.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// Name of the operation's own kernel, beside casts and what scales.
std::string_view kernel_name(StreamOp op) {
  if (op == StreamOp::residual_add) return "residual_add forward";
  if (op == StreamOp::relu) return "relu forward";
  if (op == StreamOp::gelu) return "gelu forward";
  return op == StreamOp::softmax ? "softmax forward" : "layer_norm forward";
}

}  // namespace

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
    rows[row_of[at]].time_us = answers[at]->result.time_us();
  }
  return rows;
}

}  // namespace stcsim
