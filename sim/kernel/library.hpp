#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

struct FittedKernel;

/// True if the library considers `kernel`, fitted to the machine, for `problem`.
[[nodiscard]] bool is_considered(const LibraryKernel& entry, const FittedKernel& kernel,
                                 const MachineConfig& machine, const GemmProblem& problem);

/// The library of that name. Throws ConfigError naming the machine's libraries if it has none.
[[nodiscard]] const LibraryConfig& library_named(const MachineConfig& machine,
                                                 const std::string& name);

}  // namespace stcsim
