#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {

/// Bytes of the widest access that both operands of `problem` allow when A is kept as `hardware`:
/// 16, 8, 4, 2 or 1, the largest that divides the length of every row. Rows lie along K or along M
/// and N, as the layouts say; those of a convolution (an implicit-im2col operand) are
/// pixels and filters, whose channels its kernels pad where they are few. Kernels load both
/// operands in the same way, as their names say (CUTLASS: align8, align4, ...).
/// @param and_c  those of C as well: cuBLAS takes align2 for a C whose rows have 2 elements, and
///               align1 for one of 50257, whatever A and B are
[[nodiscard]] std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware, bool and_c);

struct FittedKernel;

/// True if rows of A, B or C are not aligned to the widest access (access_bytes), and the library
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

/// Whose kernels multiply (a library's name, or kOwnKernels), and how one of them is chosen.
struct KernelSource {
  std::string kernels;
  std::string choice;

  friend auto operator<=>(const KernelSource&, const KernelSource&) = default;
};

/// The stack's for `problem` as `hardware`: where that is dense, convolutions have one of their
/// own.
[[nodiscard]] KernelSource source_of(const StackConfig& stack, const GemmProblem& problem,
                                     Pattern hardware);

/// Whose kernels the stack of that name multiplies `problem` with, kOwnKernels among them; of
/// kBestStack those of every stack, the machine's own first.
[[nodiscard]] std::vector<std::string> sources_of(const MachineConfig& machine,
                                                  const std::string& stack,
                                                  const GemmProblem& problem, Pattern hardware);

/// A stack, and patterns that it has kernels for.
struct StackSide {
  std::string stack;
  std::vector<Pattern> hardware;
};

/// What kBestStack simulates of `hardware` beside the search among the machine's own kernels: the
/// sparse side of each stack, then the dense one. Sides that differ in nothing are there once.
[[nodiscard]] std::vector<StackSide> sides_of_stacks(const MachineConfig& machine,
                                                     const GemmProblem& problem,
                                                     const std::vector<Pattern>& hardware);

/// The key `stack`, one of the machine's; "" if it is left out.
/// @throws ConfigError at the key for one that the machine does not have
[[nodiscard]] std::string read_stack(MapReader& map, const MachineConfig& machine);

/// For a line of output: "nvidia (dense cublas by heuristic, sparse kernels by search)", "best (all
/// kernels by search)".
[[nodiscard]] std::string describe(const StackConfig& stack);

/// Dense, and the patterns of a type that the machine runs sparse, that none of its own kernels
/// fits, and mapped ones (mapper.hpp) do.
[[nodiscard]] std::vector<Pattern> patterns_without_kernels(const MachineConfig& machine,
                                                            DataType dtype);

/// A line that says so of a stack that takes the machine's own kernels; "" if there are none, and
/// where the machine has no others.
[[nodiscard]] std::string mapping_note(const MachineConfig& machine, const std::string& stack,
                                       DataType dtype);

/// What a measured kernel's name says of its tiling. Sizes are as the name has them: k in elements
/// of the operands' type, uncompressed.
struct KernelName {
  std::int64_t tile_m = 0;
  std::int64_t tile_n = 0;
  std::int64_t tile_k = 0;
  /// Nothing where the name does not say; as many as fit then.
  std::optional<std::int64_t> stages;
  /// CTAs of a cluster, one above the other (nothing where the name does not say; one by one then)
  /// and side by side.
  std::optional<std::int64_t> cluster_m;
  std::int64_t cluster_n = 1;
  /// It computes C^T = B^T A^T: its rows are the columns of C (cuBLASLt's nvjet kernels, where the
  /// tile's columns are a multiple of wgmma's 64 rows).
  bool is_transposed = false;
  /// Cuts the k axis into slices whose sums another kernel adds; how many, it does not say.
  bool splits_k = false;
  /// Cuts the k axis as it goes along, where tiles do not fill the last wave (cuSPARSELt's
  /// segment_k).
  bool segments_k = false;
};

/// Reads the names of cuBLASLt's kernels for Hopper ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA",
/// columns of C first) and of cuSPARSELt's ("sm90_xmma_sparse_gemm_..._tilesize128x256x64_
/// cgasize2x1x1_..."). Nothing for any other.
[[nodiscard]] std::optional<KernelName> kernel_name(std::string_view name);

/// A GEMM, and the machine with the kernel that ran it.
struct NamedKernelRun {
  MachineConfig machine;
  GemmProblem problem;
  /// Of the machine's list.
  std::string kernel;
};

/// The machine with that kernel: all that the name leaves open is as of the kernel of the stack's
/// library whose tile has the nearest size.
/// @param stack  one of the machine's; "" is its default
/// @throws ConfigError  that says why there is none
[[nodiscard]] NamedKernelRun run_of(const KernelName& name, const GemmProblem& problem,
                                    const MachineConfig& machine, const std::string& stack);

/// Bytes that the SMs get of A and B in the launch that `report` is of: whole tiles, those that
/// fill up the last cluster too. A byte that a cluster shares counts once for each of its SMs.
/// Nothing if the machine does not list the kernel.
[[nodiscard]] std::optional<std::int64_t> received_bytes(const MachineConfig& machine,
                                                         const GemmProblem& problem,
                                                         const KernelReport& report);

}  // namespace stcsim
