#pragma once

#include <filesystem>
#include <string>

#include "workloads/files/import.hpp"

namespace stcsim {

/// Reads a list of GEMMs C[m x n] = A[m x k] B[k x n]: a CSV with a header, columns by name in any
/// order.
///
///   m, n, k             required, from 1
///   count               how often it runs (default 1)
///   name                of the product; equal ones get numbers
///   phase               forward, dgrad or wgrad (default forward)
///   batch               products of that shape in one (default 1)
///   pattern             of the sparse operand, n of m kept: "2:4"; in forward only
///   sparse_operand      a or b (default a): which operand the pattern, and schemes, are of
///   dtype               of the operands, the same in all rows; experiments state it
///
/// A row is a layer with a weight A (B if that is the sparse operand), so that schemes prune it;
/// one with a batch is a product of activations.
/// @throws ConfigError with all that is wrong
[[nodiscard]] ImportedNetwork read_gemm_list(const std::filesystem::path& path,
                                             const std::string& name);

}  // namespace stcsim
