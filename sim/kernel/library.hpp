#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

struct FittedKernel;

/// True if the operands' rows are not aligned to the widest access (alignment.hpp), and the library
/// has kernels for such.
[[nodiscard]] bool needs_any_alignment(const LibraryConfig& library, const GemmProblem& problem,
                                       Pattern hardware);

/// True if the library considers `kernel`, fitted to the machine, for `problem`, whatever the
/// alignment of its rows.
[[nodiscard]] bool is_considered(const LibraryKernel& entry, const FittedKernel& kernel,
                                 const MachineConfig& machine, const GemmProblem& problem);

/// The library of that name, null for kOwnKernels.
[[nodiscard]] const LibraryConfig* library_named(const MachineConfig& machine,
                                                 const std::string& name);

/// The stack of that name; "" is the machine's default. Throws ConfigError naming the machine's
/// stacks if it has none of that name.
[[nodiscard]] StackConfig stack_named(const MachineConfig& machine, const std::string& name);

/// The key `stack`, one of the machine's; "" if it is left out.
/// @throws ConfigError at the key for one that the machine does not have
[[nodiscard]] std::string read_stack(MapReader& map, const MachineConfig& machine);

/// For a line of output: "nvidia (dense cublas by heuristic, sparse kernels by search)".
[[nodiscard]] std::string describe(const StackConfig& stack);

}  // namespace stcsim
