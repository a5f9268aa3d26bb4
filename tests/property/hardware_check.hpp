#pragma once

#include <cstdint>
#include <string>

namespace stcsim::test {

/// Cases that may cost more: short GEMMs on a machine of which something is wider whose use
/// software does not decide.
struct ShortCases {
  std::int64_t cases = 0;
  std::int64_t dearer = 0;  // by more than the tolerance
  double most_percent = 0;

  void add(const ShortCases& other);
};

/// So much they cost at most, though no rule says so.
inline constexpr double kMostShortPercent = 10.0;
/// And so many of 250 cases.
inline constexpr std::int64_t kMostShort = 5;

/// Draws pairs of machines and some GEMMs for each. Expects that no GEMM takes longer on the wider
/// one by more than 1 % or 64 cycles, whichever is larger, if the fastest of all candidates counts
/// on both; but for the cases that are counted.
[[nodiscard]] ShortCases expect_hardware_never_hurts(std::uint64_t seed, std::int64_t pairs);

/// How much longer than the fastest of all candidates what the ranking leads to takes.
struct Regret {
  std::int64_t cases = 0;
  double sum_percent = 0;
  double most_percent = 0;
  std::string worst;  // case

  void add(double percent, const std::string& what);
  [[nodiscard]] double mean_percent() const;
};

/// What is allowed to it, of small GEMMs on a few SMs.
inline constexpr double kMostMeanRegretPercent = 4.0;
inline constexpr double kMostRegretPercent = 60.0;

/// The same with the kernel that `auto` takes on both: it costs no more than that and the regret on
/// the wider machine. Returns that regret.
[[nodiscard]] Regret expect_ranking_adds_its_regret(std::uint64_t seed, std::int64_t pairs);

}  // namespace stcsim::test
