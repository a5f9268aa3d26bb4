#pragma once

#include <cstdint>
#include <string>

namespace stcsim::test {

/// So many times: sets a number of a shipped machine to some value, small, huge, prime or any, and
/// does with it what `stcsim gemm` does. Expects a result, or a refusal that says what would be
/// right; never that the simulation fails.
void expect_results_or_refusals(std::uint64_t seed, std::int64_t cases);

/// Runs GEMMs and stream kernels one after the other on so many random machines and expects that
/// none of them, nor the sequence as a whole, is faster than what it moves and multiplies allows.
void expect_physics_on_random_machines(std::uint64_t seed, std::int64_t machines);

/// Cases that may cost more: something is wider whose use software does not decide, and the GEMM is
/// short or the machine has other latencies than the A100 (docs/machine.md says why).
struct CountedCases {
  std::int64_t cases = 0;
  std::int64_t dearer = 0;  // by more than the tolerance
  double most_percent = 0;

  void add(const CountedCases& other);
};

/// So much they cost at most, though no rule says so.
inline constexpr double kMostCountedPercent = 10.0;
/// And so many of 250 cases.
inline constexpr std::int64_t kMostDearer = 5;

/// Draws pairs of machines and some GEMMs for each. Expects that no GEMM takes longer on the wider
/// one by more than 1 % or 64 cycles, whichever is larger, if the fastest of all candidates counts
/// on both; but for the cases that are counted.
[[nodiscard]] CountedCases expect_hardware_never_hurts(std::uint64_t seed, std::int64_t pairs);

/// How much longer than the fastest of all candidates what the ranking leads to takes.
struct Regret {
  std::int64_t cases = 0;
  double sum_percent = 0;
  double most_percent = 0;
  std::string worst;  // case

  void add(double percent, const std::string& what);
  [[nodiscard]] double mean_percent() const;
};

/// What is allowed to it, of small GEMMs on a few SMs: in the mean of 250, and of one.
inline constexpr double kMostMeanRegretPercent = 1.0;
inline constexpr double kMostRegretPercent = 50.0;

/// The same with the kernel that `auto` takes on both: it costs no more than that and the regret on
/// the wider machine. Returns that regret.
[[nodiscard]] Regret expect_ranking_adds_its_regret(std::uint64_t seed, std::int64_t pairs);

}  // namespace stcsim::test
