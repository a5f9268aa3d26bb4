#include "reports/validation/stream_validation.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

#include "common/error.hpp"
#include "reports/validation/measured_fields.hpp"
#include "reports/validation/stream_table.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/worker_pool.hpp"
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

/// Runs the rows `at` of one machine in worker processes.
void run_rows(std::vector<StreamRow>& rows, const std::vector<std::size_t>& at,
              const MachineConfig& machine, const Framework& framework,
              const ValidationOptions& options, const std::function<void()>& row_done) {
  const auto row_of = [&](std::int64_t job) -> StreamRow& {
    return rows[at[static_cast<std::size_t>(job)]];
  };
  WorkerPoolOptions pool;
  pool.workers = options.jobs;
  pool.start_worker = [&]() -> Worker {
    auto runner = std::make_shared<MachineRunner>(machine);
    runner->set_fast_forward(options.fast_forward);
    return [&, runner](std::int64_t job) {
      const StreamWork work = stream_work_of(row_of(job).measured, framework);
      return std::to_string(run_stream(*runner, work).cycles);
    };
  };
  pool.on_result = [&](std::int64_t job, const std::string& text) {
    row_of(job).time_us = to_number(text).value_or(0) / machine.clock_mhz;
    row_done();
  };
  pool.on_failure = [&](std::int64_t job, const std::string& why) {
    throw SimulationError(row_of(job).measured.op + " on " + machine.name + ": " + why);
  };
  run_jobs(std::ssize(at), pool);
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
  std::vector<StreamRow> rows;
  std::map<std::string, std::vector<std::size_t>> by_machine;
  for (const MeasuredStream& measured : streams) {
    const std::string& key = measured.machine.empty() ? measured.gpu : measured.machine;
    const auto found = machines.find(key);
    StreamRow row{measured, "", std::nullopt, ""};
    if (found == machines.end()) {
      row.skipped = "no machine for GPU '" + measured.gpu + "'";
    } else {
      row.machine = found->second.name;
      by_machine[key].push_back(rows.size());
    }
    rows.push_back(std::move(row));
  }
  std::size_t done = 0;
  const auto row_done = [&] {
    if (options.progress) options.progress(++done);
  };
  for (const auto& [key, at] : by_machine) {
    run_rows(rows, at, machines.at(key), framework, options, row_done);
  }
  return rows;
}

}  // namespace stcsim
