#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/gemm.hpp"
#include "reports/evidence/paper_verdict.hpp"

namespace stcsim {

/// What of a study stands beside a publication's figure.
enum class ClaimQuantity : std::uint8_t {
  /// dgrad's part of the time of all GEMMs of the scheme, in percent.
  dgrad_share,
  /// Of the dense GEMMs' time, in percent; choosing what to keep is not charged.
  gemm_time_saved,
  /// Of the dense step's time, in percent; what the scheme spends itself is charged.
  step_time_saved,
  /// Dense time / time of the GEMMs of forward and dgrad together, of wgrad, and of all three.
  forward_dgrad_gain,
  wgrad_gain,
  gemm_gain,
  /// Dense time / time of the training step with what the scheme spends itself, and of the pass
  /// after training.
  step_gain,
  inference_gain,
  /// Of one GEMM on one machine: time of what it is held against / its time, and its cycles.
  kernel_gain,
  kernel_cycles
};
inline constexpr std::size_t kClaimQuantities = 10;

[[nodiscard]] std::string_view to_string(ClaimQuantity quantity);
/// Its unit, and the figure of no effect.
[[nodiscard]] PaperQuantity figure_of(ClaimQuantity quantity);
/// Of one GEMM.
[[nodiscard]] bool is_of_gemm(ClaimQuantity quantity);
/// Of a whole step or pass: everything beside the GEMMs is part of it, and there is an interval.
[[nodiscard]] bool is_of_step(ClaimQuantity quantity);

/// What is simulated for a figure of one GEMM.
struct GemmClaim {
  GemmProblem problem;
  /// A machine's own name, and its file.
  std::string machine;
  std::string machine_file;
  /// Software of the machine; "" for its default.
  std::string stack;
  /// What its time is held against: the same GEMM with this pattern of A.
  Pattern against = kDense;
  /// What people should know of the comparison; "" if nothing.
  std::string note;
};

/// A figure that a publication gives for a scheme, or for one GEMM.
struct Claim {
  std::string source;
  /// In words: "reduction of training time".
  std::string says;
  /// The scheme's own name, and the pattern it is asked for; "" for its own.
  std::string scheme;
  std::string pattern;
  /// The simulated network's own name; where it is not the publication's, `setting` says which that
  /// was.
  std::string network;
  /// Their files.
  std::string scheme_file;
  std::string network_file;
  ClaimQuantity quantity = ClaimQuantity::step_gain;
  PublishedFigure published;
  /// Part of the published figure by which the simulated one may differ.
  double tolerance = kUsualTolerance;
  /// How the publication has it: "measured", "estimated", "counted".
  std::string obtained;
  /// What of ours was set with the published figure in view; "" if nothing was.
  std::string fitted;
  std::string setting;
  /// A data type as an experiment has it; "" for the experiment's own, fp16.
  std::string dtype;
  /// Then scheme, pattern and network are not known.
  std::optional<GemmClaim> gemm = {};
  /// Why it is not held against a simulation; "" if it is: then all fields above are known.
  std::string not_compared;

  /// The scheme's name in results: "sdgp-1:4".
  [[nodiscard]] std::string scheme_name() const {
    return pattern.empty() ? scheme : scheme + "-" + pattern;
  }
};

}  // namespace stcsim
