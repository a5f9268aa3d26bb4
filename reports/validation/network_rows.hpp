#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/phase.hpp"
#include "reports/evidence/quantity.hpp"
#include "reports/validation/errors.hpp"
#include "reports/validation/gemm_run.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Times of a whole network, and what sparsity gains.
struct NetworkFigures {
  std::optional<double> dense_us;
  std::optional<double> sparse_us;
  /// Dense time / sparse time.
  Interval speedup;

  friend bool operator==(const NetworkFigures&, const NetworkFigures&) = default;
};

/// Figures that somebody measured for a network on a real GPU.
struct MeasuredNetwork {
  SourceLocation where;
  std::string source;
  std::string gpu;
  /// As published: network, its configuration, phase, pattern, type.
  std::string network;
  std::string config;
  std::string phase;
  std::string pattern;
  std::string types;
  NetworkFigures measured;
  /// The way it is simulated: network file, scheme, phases, type, batch sizes (several for a
  /// range).
  std::string model;
  std::string scheme;
  /// Whose kernels run beside the GEMMs.
  std::string framework = "ideal";
  /// Whose kernels multiply; "" for the framework's.
  std::string stack;
  /// Steps whose gradients are added up before each update.
  std::int64_t accumulation = 1;
  std::vector<Phase> phases;
  /// Run as after training: for_inference() of the network.
  bool inference = false;
  DataType dtype = DataType::fp16;
  std::vector<std::int64_t> batches;
  Scope scope = Scope::step;
  /// Why the row cannot be simulated, whatever the machine; "" if it can.
  std::string unusable;
  /// Updates the parameters; nothing: what the network file says.
  std::optional<Optimizer> optimizer = {};
  /// The clock of the card that was measured, where it is known; nothing: the machine's.
  std::optional<double> clock_mhz = {};
  /// When the software that was measured came out, where that is known.
  std::optional<std::int64_t> software_year = {};
};

/// A measured row beside what the simulator predicts for it. Times are given if it has one batch
/// size; the speedup is the range over all.
struct NetworkRow {
  MeasuredNetwork measured;
  std::string machine;
  NetworkFigures simulated;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

/// Reads a table of measured networks. Columns as published: source, gpu, dtype (a missing one is
/// taken as fp16), network, config, phase, dense, sparse, unit (s, ms, us, or samples per second:
/// seq/s, images/s, img/s), speedup ("1.5", "1.3-1.5", "up to 1.3"), pattern. Columns that say how
/// to simulate it: model (a network file's name), batch (sizes with ';' between them), phases
/// (inference, or names with ';' between them), scheme, scope (step, passes, sparse_gemms,
/// sparse_layers, best_layer, scheme_work), not_simulated (why it is not). May be left
/// out: framework (whose kernels run beside the GEMMs; ideal if empty), accumulation (steps for
/// each update of the parameters), optimizer (the network's if empty),
/// clock_mhz (of the card that was measured; the machine's if
/// empty), software_year, `note`.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredNetwork> read_measured_networks(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

/// Times of a scope in the rows of one network under one scheme, and their ratio. Empty if
/// no row belongs to the scope.
[[nodiscard]] NetworkFigures figures_of(const std::vector<ResultRow>& rows, Scope scope,
                                        double share_of_training, double clock_mhz);

/// Simulates every row that can be, in worker processes, each GEMM with the kernel that is
/// estimated to be the fastest. The others are returned with the reason why they were skipped.
/// @param machines by the name of the GPU in the table; a GPU that is not there is skipped
/// @throws ConfigError at the row for a network or scheme that does not exist
[[nodiscard]] std::vector<NetworkRow> validate_networks(
    const std::vector<MeasuredNetwork>& networks,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options);

}  // namespace stcsim
