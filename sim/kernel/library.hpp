#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Bytes of the widest access that both operands of `problem` allow when A is kept as `hardware`:
/// 16, 8, 4, 2 or 1, the largest that divides the length of every row. Rows lie along K or along M
/// and N, as the layouts say; those of a convolution (an implicit-im2col operand) are
/// pixels and filters, whose channels its kernels pad where they are few. Kernels load both
/// operands in the same way, as their names say (CUTLASS: align8, align4, ...).
[[nodiscard]] std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware);

struct FittedKernel;

/// True if the operands' rows are not aligned to the widest access (access_bytes), and the library
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

/// Whose kernels the stack of that name multiplies with, kOwnKernels among them; of kBestStack
/// those of every stack, the machine's own first.
[[nodiscard]] std::vector<std::string> sources_of(const MachineConfig& machine,
                                                  const std::string& stack, bool is_dense);

/// A stack, and patterns that it has kernels for.
struct StackSide {
  std::string stack;
  std::vector<Pattern> hardware;
};

/// What kBestStack simulates of `hardware` beside the search among the machine's own kernels: the
/// sparse side of each stack, then the dense one. Sides that differ in nothing are there once.
[[nodiscard]] std::vector<StackSide> sides_of_stacks(const MachineConfig& machine,
                                                     const std::vector<Pattern>& hardware);

/// The key `stack`, one of the machine's; "" if it is left out.
/// @throws ConfigError at the key for one that the machine does not have
[[nodiscard]] std::string read_stack(MapReader& map, const MachineConfig& machine);

/// For a line of output: "nvidia (dense cublas by heuristic, sparse kernels by search)", "best (all
/// kernels by search)".
[[nodiscard]] std::string describe(const StackConfig& stack);

/// Dense, and the patterns of a type that the machine runs sparse, that none of its own kernels
/// fits: MachineConfig::fallback_kernels stand in.
[[nodiscard]] std::vector<Pattern> patterns_without_kernels(const MachineConfig& machine,
                                                            DataType dtype);

/// A line that says so of a stack that takes the machine's own kernels; "" if there are none.
[[nodiscard]] std::string fallback_note(const MachineConfig& machine, const std::string& stack,
                                        DataType dtype);

/// The way the kernel of a GEMM is picked, and is simulated.
struct KernelPolicy {
  /// "auto", or the name of a kernel of the machine.
  std::string kernel = "auto";
  /// The number of best-ranked kernels that `auto` simulates; none given: as kernel_choice.hpp
  /// says.
  std::optional<std::int64_t> candidates = {};
  /// Whose kernels `auto` chooses from, and how: a stack of the machine; "" is its default one.
  std::string stack = kBestStack;
  /// A part of a kernel's grid may stand for all of it (sim/run/wave_sampling.hpp).
  bool sampled = false;

  friend auto operator<=>(const KernelPolicy&, const KernelPolicy&) = default;
};

/// The GEMM that a sparse one is compared with.
[[nodiscard]] GemmProblem dense_of(GemmProblem gemm);
/// The policy for its kernel: a kernel that is named is the sparse GEMM's.
[[nodiscard]] KernelPolicy policy_of_dense(const KernelPolicy& policy);

/// True if a sparse GEMM runs dense where that is faster: with the machine's best kernels only. The
/// software of a stack that names its libraries runs what it is asked for.
[[nodiscard]] bool may_run_dense(const MachineConfig& machine, const KernelPolicy& policy);

}  // namespace stcsim
