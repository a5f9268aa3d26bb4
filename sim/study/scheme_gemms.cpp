#include "sim/study/scheme_gemms.hpp"

#include <fmt/format.h>

#include "sim/study/study_plan.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// The type the scheme wants for these GEMMs, if the machine multiplies it.
DataType dtype_for(const MachineSpec& machine, SchemeGemms& gemms, DataType dtype) {
  const std::optional<DataType> wanted = gemms.request.dtype;
  if (!wanted) return dtype;
  if (machine.config.supports(*wanted)) return *wanted;
  add_reason(gemms.reason, fmt::format("{} does not multiply {}, ran in {}", machine.name,
                                       to_string(*wanted), to_string(dtype)));
  return dtype;
}

/// Cuts off rows of the sparse operand that stay dense: a product of their own.
void split_dense_rows(double share, std::vector<GemmProblem>& gemms) {
  if (share <= 0 || gemms.size() != 1) return;
  GemmProblem& sparse = gemms.front();
  const std::int64_t rows = dense_channels(share, sparse.m);
  if (rows == sparse.m) {
    sparse.a_pattern = kDense;
    return;
  }
  GemmProblem dense = sparse;
  dense.m = rows;
  dense.a_pattern = kDense;
  sparse.m -= rows;
  gemms.push_back(dense);
}

}  // namespace

void add_reason(std::string& reasons, const std::string& reason) {
  if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
}

SchemeGemms scheme_gemms(const MachineSpec& machine, const Scheme& scheme, const Layer& layer,
                         Phase phase, std::int64_t batch, DataType dtype,
                         const KernelPolicy& policy) {
  SchemeGemms gemms;
  gemms.dense = lower(layer, phase, batch);
  if (gemms.dense.empty()) return gemms;
  gemms.request = request_for(scheme, layer, phase);
  add_reason(gemms.reason, gemms.request.reason);
  const DataType own = dtype_for(machine, gemms, dtype);
  GemmProblem asked =
      gemms.request.on_right ? transposed(gemms.dense.front()) : gemms.dense.front();
  asked.dtype = own;
  asked.a_pattern = gemms.request.pattern;
  gemms.support = sparsity_support(machine.config, asked, policy);
  gemms.storable =
      gemms.support.is_in_windows(asked.a_pattern) ? asked.a_pattern : gemms.support.hardware();
  const std::string& dense_because = gemms.request.dense_because;
  if (!dense_because.empty() && !gemms.storable.is_dense()) gemms.support = {{}, dense_because};
  const bool is_sparse = !gemms.support.patterns.empty();
  for (GemmProblem& dense : gemms.dense) {
    dense.dtype = dtype;
    GemmProblem gemm = is_sparse && gemms.request.on_right ? transposed(dense) : dense;
    gemm.dtype = own;
    if (is_sparse) gemm.a_pattern = gemms.request.pattern;
    gemms.gemms.push_back(gemm);
  }
  if (is_sparse) split_dense_rows(gemms.request.dense_share, gemms.gemms);
  const bool asks = !gemms.request.pattern.is_dense();
  if (asks && !is_sparse) add_reason(gemms.reason, gemms.support.reason);
  return gemms;
}

PruningContext pruning_context(const MachineSpec& machine, const Scheme& scheme, const Layer& layer,
                               const std::vector<Phase>& phases, std::int64_t batch,
                               const Experiment& experiment) {
  PruningContext context;
  context.batch = batch;
  context.dtype = experiment.dtype;
  context.kernels = experiment.pruning_kernels;
  for (const Phase phase : phases) {
    const SchemeGemms gemms = scheme_gemms(machine, scheme, layer, phase, batch, experiment.dtype,
                                           policy_of(experiment, machine.config));
    if (gemms.gemms.empty()) continue;
    const Pattern asked = gemms.request.pattern;
    const bool in_windows = gemms.support.is_in_windows(asked);
    context.uses.at(static_cast<std::size_t>(phase)) = {
        .exists = true,
        .pruned = prunes(scheme, layer, phase),
        .stored = in_windows ? asked : gemms.support.hardware(),
        .kept = gemms.storable,
        .dtype = gemms.gemms.front().dtype,
        .copies =
            in_windows ? 2.0 * static_cast<double>(asked.n) / static_cast<double>(asked.m) : 1};
  }
  return context;
}

}  // namespace stcsim
