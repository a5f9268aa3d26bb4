#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/kernel_config.hpp"

namespace stcsim {

/// Kernels for GEMMs whose A has a pattern V:2:m: those that gather leave out the columns that are
/// not selected, those that do not see each row's 2:m alone.

/// True if `config` gathers the rows of B that A's selected columns belong to: it says so,
/// `hardware` runs 2:4, every tile lies in one block of V rows, and no operand is an implicit
/// im2col, whose rows are no rows of memory.
[[nodiscard]] bool gathers_columns(const KernelConfig& config, Pattern hardware,
                                   const GemmProblem& problem);

/// Whether `config` may run `problem` as `hardware`, one of the machine's patterns or dense. Of
/// patterns other than V:2:m the caller knows that they fit. CTAs that multiply in pairs need an
/// even number of rows of tiles: one without its partner would lack half of B.
[[nodiscard]] bool may_run(const KernelConfig& config, Pattern hardware,
                           const GemmProblem& problem);

/// The problem that `config` multiplies: `problem`, of its selected columns only if it gathers
/// them.
[[nodiscard]] GemmProblem problem_as_run(const KernelConfig& config, Pattern hardware,
                                         const GemmProblem& problem);

/// Rows of B that some block of A selects, in 1/1024 of those that all blocks select together, each
/// its own: every block is taken to choose 4 of every m at random, so that ceil(M / V) blocks
/// choose m * (1 - (1 - 4/m)^blocks) rows of a group. What all of them bring in from DRAM is that
/// part.
[[nodiscard]] std::int64_t distinct_rows_per_1024(const GemmProblem& problem);

/// Gives the launch of a kernel that gathers its indices and its strips of B. Rows of B are read
/// whole: they are taken to lie along N.
/// @param problem  as it was asked for
void add_gather(const AcceleratorConfig& hardware, const KernelConfig& config,
                const GemmProblem& problem, KernelLaunch& launch);

}  // namespace stcsim
