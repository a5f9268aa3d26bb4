#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stcsim::test {

/// What `bound_by` says of GEMMs of shipped networks, held against the experiment.
struct Agreement {
  std::int64_t rows = 0;
  /// What is named saves at least 0.8 of what the best does; "unclear", where nothing saves a
  /// tenth.
  std::int64_t agree = 0;
  std::int64_t unclear = 0;
  /// The others, one in a line.
  std::vector<std::string> differ;
};

/// Draws GEMMs of layers, phases, schemes and batches on five shipped machines. This process must
/// not have simulated anything before.
[[nodiscard]] Agreement bound_by_against_experiment(std::uint64_t seed, std::int64_t rows);

/// Expects that at least so many per cent agree, and at most a fifth is unclear; prints the others.
void expect_agreement(std::uint64_t seed, std::int64_t rows, std::int64_t least_percent);

}  // namespace stcsim::test
