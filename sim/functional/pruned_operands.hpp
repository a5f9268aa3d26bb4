#pragma once

#include <cstdint>
#include <string_view>

#include "common/gemm.hpp"
#include "sim/functional/operands.hpp"

namespace stcsim {

/// Random operands of `problem` like those of random_operands(), but A pruned along K to
/// problem.a_pattern by a scheme of the pruning library, each batch entry with a seed of its own,
/// and rounded to the operand type. B's columns calibrate a scheme that trains. A scheme that
/// permutes K permutes the rows of B with it, so that C is that of the pruned operands either way.
/// Throws ConfigError if the scheme is unknown or does not fit the problem.
[[nodiscard]] PlainOperands pruned_operands(const GemmProblem& problem, std::uint64_t seed,
                                            std::string_view scheme);

/// Like random_operands(), but A is `a`, rounded to the operand type, and pruned by `scheme` unless
/// that is "". Throws ConfigError if `a` is not batch x M x K, if it is not to be pruned and does
/// not satisfy problem.a_pattern, and as pruned_operands().
[[nodiscard]] PlainOperands given_operands(const GemmProblem& problem, PlainMatrix a,
                                           std::uint64_t seed, std::string_view scheme);

}  // namespace stcsim
