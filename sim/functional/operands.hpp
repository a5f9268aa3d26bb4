#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "common/pattern.hpp"
#include "models/functional/functional_kernel.hpp"
#include "sim/functional/plain_matrix.hpp"

namespace stcsim {

/// The numbers of one GEMM: A (M x K, already pruned) and B (K x N).
struct PlainOperands {
  PlainMatrix a;
  PlainMatrix b;
};

/// Random operands of `problem`, the same for the same seed everywhere: integers from -2 to 2 for
/// int8 (so that int8 results rarely saturate) and int4, else roughly normal with mean 0 and
/// variance 1 (a sum of four uniforms), rounded to the operand type. A is pruned to
/// problem.a_pattern.
[[nodiscard]] PlainOperands random_operands(const GemmProblem& problem, std::uint64_t seed);

/// Keeps the n largest magnitudes of every aligned group of m elements of a row, the lower index
/// where magnitudes are equal, and zeroes the rest. Of pairs, the n/2 with the largest sums of
/// magnitudes stay; of blocks, once their elements are pruned, those with the largest. A last,
/// shorter group keeps n as well. Of V:2:m as the pruning library does
/// (pruning/column_selection.hpp).
void prune_by_magnitude(PlainMatrix& matrix, Pattern pattern);

/// The operands as the machine holds them: encoded, laid out in memory and compressed if the
/// kernel's hardware is sparse. Throws ConfigError if A does not satisfy the hardware's pattern.
[[nodiscard]] FunctionalOperands to_machine(const FunctionalKernel& kernel,
                                            const PlainOperands& operands);

/// The numbers in a result tensor of the machine for `problem`.
[[nodiscard]] PlainMatrix from_machine(const GemmProblem& problem, const GlobalTensor& c);

/// Inverts one bit of A's metadata, to show that the check would notice.
/// Throws ConfigError if the operands have no such bit.
void flip_metadata_bit(FunctionalOperands& operands, std::int64_t batch, std::int64_t row,
                       std::int64_t group, std::int64_t bit);

}  // namespace stcsim
