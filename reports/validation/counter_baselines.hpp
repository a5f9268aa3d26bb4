#pragma once

#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/counter_rows.hpp"
#include "reports/validation/errors.hpp"

namespace stcsim {

/// How far cycles are off that the simulator says (with the kernels that ran), and that somebody
/// says who has none: a roofline, at the launch's clock; the counted GEMM whose M, N and K are
/// nearest (distances of logarithms), times the multiplications; and a regression of the logarithm
/// of the cycles over those of M, N, K and the number of tiles. The last two know the rows
/// `fitting` of the same machine, type and pattern.
struct BaselineErrors {
  ErrorSummary simulated;
  ErrorSummary roofline;
  ErrorSummary nearest;
  ErrorSummary regression;
};

/// Of rows `testing` of 35,000 cycles and more, all machines and types together, where six rows
/// `fitting` and more are of the same kind.
/// @param sparse  of a sparse operand, or of none
[[nodiscard]] BaselineErrors baseline_errors(const std::vector<CounterRow>& rows, bool sparse);

/// A line for dense rows and one for sparse rows, without those that there are none of.
[[nodiscard]] Table baseline_table(const std::vector<CounterRow>& rows);

}  // namespace stcsim
