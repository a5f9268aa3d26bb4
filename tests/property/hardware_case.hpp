#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/run/machine_runner.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {

/// A machine, and the same with one pattern more or one number that is twice as good.
struct HardwarePair {
  std::string what;
  /// Software may leave the addition unused: kernels exist that do what they do without it.
  bool is_optional = false;
  /// The L2 cache is larger, so that other slices are displaced.
  bool is_cache_size = false;
  /// Latencies and the like are the A100's.
  bool is_like_a100 = false;
  std::unique_ptr<MachineRunner> base;
  std::unique_ptr<MachineRunner> wider;
};

/// A part of the A100 with one to three native patterns and a few of its kernels, some of which
/// fit. Every number of which the fields' tables say that more is faster, but not the numbers of
/// SMs and sub-cores, is the A100's, half of it or twice as much; on every other machine so is
/// every other number. One of the former is doubled.
[[nodiscard]] HardwarePair random_hardware_pair(Dice& dice);

/// From this on, a GEMM's main loop is long beside its beginning and its end.
inline constexpr std::int64_t kLongK = 1000;

/// Half of them long, half of them shorter. Around and between the tiles' edges.
[[nodiscard]] GemmProblem random_hardware_problem(Dice& dice);

/// 1 % or 64 cycles more, whichever is larger.
[[nodiscard]] std::int64_t with_tolerance(std::int64_t cycles);

[[nodiscard]] std::string describe(const GemmProblem& problem);

}  // namespace stcsim::test
