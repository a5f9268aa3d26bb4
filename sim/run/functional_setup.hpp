#pragma once

#include "models/functional/functional_datapath.hpp"
#include "sim/functional/operands.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// Operands, datapath and reference of one GEMM that is run with values.
class FunctionalSetup {
 public:
  FunctionalSetup(const MachineConfig& machine, const GemmProblem& problem,
                  const FittedKernel& kernel, const KernelLaunch& launch,
                  const FunctionalOptions& options);

  [[nodiscard]] Datapath& datapath() { return datapath_; }
  /// After the run: finishes split-K and compares C with the reference.
  [[nodiscard]] FunctionalCheck check();

 private:
  GemmProblem problem_;
  FunctionalKernel kernel_;
  AccumulationOrder order_;
  PlainOperands operands_;
  FunctionalDatapath datapath_;
};

}  // namespace stcsim
