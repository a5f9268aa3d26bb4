#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/gemm.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim::test {

/// The fastest of all that a GEMM can run as.
struct Fastest {
  std::int64_t cycles = 0;
  Pattern hardware = kDense;
  std::string kernel;  // with all that was chosen with it
};

/// Simulates every native pattern the tensor fits inside and dense, each with every instruction,
/// kernel of the machine's list, number of CTAs per SM, of fragment buffers and of k slices; of
/// those known to be slower only as much as that takes.
[[nodiscard]] Fastest fastest_of_all(MachineRunner& runner, const GemmProblem& problem);

}  // namespace stcsim::test
