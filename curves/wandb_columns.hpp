#pragma once

#include "curves/csv_dialect.hpp"

namespace stcsim::curves {

/// Whether a header is that of a chart of Weights & Biases: "RUN - METRIC" with "RUN -
/// METRIC__MIN" beside it.
[[nodiscard]] bool has_wandb_columns(const CsvScanner::Record& header);

/// The columns "RUN - METRIC" and their runs. A run's name may hold " - " itself: it ends at the
/// last one. Left out are __MIN and __MAX and metrics of W&B's own ("_step").
void take_wandb_columns(const CsvScanner::Record& header, CsvDialect& dialect);

}  // namespace stcsim::curves
