#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/base/arguments.hpp"
#include "cli/gemm/gemm_table.hpp"
#include "common/gemm.hpp"
#include "common/io/yaml_node.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "sim/config/experiment.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/gemm_run.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// What `stcsim gemm` was asked for.
struct GemmOptions {
  MachineConfig machine;
  GemmProblem problem;
  /// What it is compared with.
  GemmProblem dense;
  /// Of --layer: what it is, and why it is not what the scheme asks for; "" otherwise.
  std::string layer_title;
  std::string layer_reason;
  /// How the scheme of --layer prunes, for functional mode; "" is by the largest magnitudes.
  std::string prune;
  KernelPolicy policy;
  /// Whether it runs sparse also where dense is faster.
  SparseWhere where = SparseWhere::always;
  /// Set in functional mode.
  std::optional<FunctionalOptions> functional;
  TimingMethod method;
  bool fast_forward = true;
  /// Whether it is simulated with the machine's other software too.
  bool with_spread = true;
  /// Cycles of the launch of which --timeline is to show an SM; 0: none.
  Cycles traced;
  /// The explanation is to follow.
  bool is_explained = false;
  /// Machine, problem and policy as canonical JSON, and its SHA-256 in hex.
  std::string resolved_config;
  std::string config_hash;

  /// Whose kernels it is chosen from, in a line; "" of a kernel that is named.
  [[nodiscard]] std::string software() const;
};

/// The options given that say which GEMM, on what and with which kernels, for another command.
[[nodiscard]] std::vector<std::string> same_gemm(const Arguments& arguments);

/// Any options of gemm_table.hpp; a command need not have all of them.
/// @throws ConfigError for values out of range and options that would have no effect
[[nodiscard]] GemmOptions read_gemm_options(const Arguments& arguments);
/// The same on a machine as its file has it; --arch is a name in messages only.
[[nodiscard]] GemmOptions read_gemm_options(const Arguments& arguments, YamlNode machine);
/// The same of a GEMM that was recorded (GemmOptions::resolved_config), with other values of the
/// machine.
/// @param origin stands for the file in messages
/// @throws ConfigError if the configuration does not say enough: of values, or of a layer
[[nodiscard]] GemmOptions recorded_gemm_options(const std::string& resolved_config,
                                                const std::string& origin,
                                                const std::vector<std::string>& overrides);
/// The same on a machine that has been read; --arch and --set are names in messages only, and no
/// configuration is resolved.
/// @param layer  takes what --layer asked for; may be null
[[nodiscard]] GemmOptions gemm_options_on(const MachineSpec& machine, const Arguments& arguments,
                                          nlohmann::ordered_json* layer = nullptr);

}  // namespace stcsim
