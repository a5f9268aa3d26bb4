#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/gemm.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {

/// Random GEMMs on all shipped machines that have stacks, one machine after the other, each with
/// kBestStack and with every stack. Has to be made before anything runs in the process.
class BestStackCases {
 public:
  /// @param most_macs  of a GEMM
  BestStackCases(std::uint64_t seed, std::int64_t most_macs);

  /// No stack may be faster than kBestStack, nor than the search for it, or for one that simulates
  /// less, said that kernels left out could be.
  void check_next();
  void print_summary() const;
  [[nodiscard]] std::int64_t machines() const { return std::ssize(runners_); }
  /// GEMMs whose fastest kernel is none of the machine's own list.
  [[nodiscard]] std::int64_t of_libraries() const { return of_libraries_; }

 private:
  [[nodiscard]] GemmProblem draw(const MachineConfig& machine);
  void check(MachineRunner& runner, const GemmProblem& problem, bool at_own_clock);

  Dice dice_;
  std::int64_t most_macs_;
  std::vector<std::unique_ptr<MachineRunner>> runners_;
  std::size_t next_ = 0;
  std::int64_t sparse_ = 0;
  std::int64_t below_full_clock_ = 0;
  std::int64_t comparisons_ = 0;
  std::int64_t faster_ = 0;
  std::int64_t of_libraries_ = 0;
};

}  // namespace stcsim::test
