#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/run/machine_runner.hpp"

namespace stcsim::test {

/// Work for a machine that shows what its parts do.
struct ProbeLaunch {
  std::string name;
  /// Time it takes, us, of a loop of instructions by multiply-accumulate. Throws ConfigError if the
  /// machine cannot run it.
  std::function<double(MachineRunner&)> time;
};

/// Libraries of a kernel each that a machine has to have for its probes, and stacks that run them,
/// as its file would say them. Of the first, so many CTAs fit into an SM that nothing but their
/// number limits them; of the second, as many as shared memory holds, to a few hundred bytes; the
/// third wants more registers than a thread has, the fourth most of an SM's shared memory. Tiles
/// are whole instructions of the machine. (Among its own kernels they would be ranked for every
/// GEMM, which takes longer than to simulate it.)
[[nodiscard]] std::string probe_libraries(const MachineConfig& machine);
inline constexpr const char* kProbeStacks =
    "[{name: one_warp, dense: one_warp, sparse: kernels},"
    " {name: ten_stages, dense: ten_stages, sparse: kernels},"
    " {name: registers, dense: registers, sparse: kernels},"
    " {name: most_memory, dense: most_memory, sparse: kernels}]";

/// Dense and sparse GEMMs of every type and pattern that the machine has, with split-K, of sizes
/// around the tiles' edges, large and small ones, stream kernels, and loops of every instruction.
/// What is fast and what shows most comes first. The machine has probe_libraries
/// and kProbeStacks.
[[nodiscard]] std::vector<ProbeLaunch> probe_launches(const MachineConfig& machine);

}  // namespace stcsim::test
