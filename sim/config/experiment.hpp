#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/phase.hpp"
#include "sim/config/machine.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

struct MachineSpec {
  /// Unique in its experiment.
  std::string name;
  MachineConfig config;
};

/// Everything a study needs to know: each network's training step under each scheme on each
/// machine. The dense baseline is not part of the list of schemes unless the user names it.
struct Experiment {
  std::vector<MachineSpec> machines;
  std::vector<Network> networks;
  /// Of the training step; empty if only inference is asked for.
  std::vector<Phase> phases;
  /// Run each network as after training too (for_inference()), beside the step.
  bool inference = false;
  std::vector<Scheme> schemes;
  /// Whose kernels run beside the GEMMs.
  Framework framework;
  DataType dtype = DataType::fp16;
  /// "auto", or the name of a kernel every machine has.
  std::string kernel = "auto";
  /// How many kernels the automatic choice simulates.
  std::optional<std::int64_t> kernel_candidates;
  /// A stack every machine has, whose kernels `auto` chooses from; "" for each machine's default.
  std::string stack;
  /// Simulate normalisation, activation and optimizer too.
  bool stream_kernels = true;
  /// Run every GEMM with values, its sparse operand pruned as the scheme says, and check C.
  bool functional = false;
  /// A part of a GEMM's grid may stand for all of it (KernelPolicy).
  bool sampled = false;
  /// Charge what schemes do themselves: choosing, sampling, compressing, decaying.
  bool scheme_work = true;
  /// The experiment as JSON, keys sorted; machines, networks, schemes and every default written
  /// out: the text reads back as the same experiment. And its SHA-256 in hex.
  std::string resolved_config;
  std::string config_hash;
  /// The clock that somebody locked on all machines, whatever their boards draw; DRAM and launches
  /// keep their times. Nothing: what each board's power allows the dense step of each network.
  std::optional<double> clock_mhz;
  /// Which products of schemes that do not say it run sparse.
  SparseWhere where = SparseWhere::always;
  /// Whether pruning is part of the kernels that move the tensors; the framework's if nothing is
  /// said.
  PruningKernels pruning_kernels = PruningKernels::separate;
};

}  // namespace stcsim
