#pragma once

#include <cstdint>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"
#include "sim/functional/plain_matrix.hpp"

namespace stcsim {

/// What a kernel that gathers columns is given instead of an A with a pattern V:2:m.
struct SelectedColumns {
  /// M x (4 * ceil(K / m)): of each row the columns its block has selected, 0 where a short group
  /// has none.
  PlainMatrix a;
  /// Of every batch entry, block of rows and column of `a` the column of A that it is, which is the
  /// row of B that it is multiplied by; -1 if none.
  std::vector<std::int64_t> rows_of_b;
};

/// @param a  satisfies `pattern`, V:2:m
[[nodiscard]] SelectedColumns select_columns(const PlainMatrix& a, Pattern pattern);

/// Prunes `matrix` to V:2:m by magnitude (pruning/column_selection.hpp).
void prune_to_columns(PlainMatrix& matrix, Pattern pattern);

}  // namespace stcsim
