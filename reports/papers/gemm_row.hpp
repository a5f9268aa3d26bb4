#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/evidence/verdict.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// One GEMM, launched over and over on each column's machine with the software that it lists first.
struct GemmRow {
  GemmProblem problem;
  /// The same in another pattern or type; dense if nothing is said. Of kernel_gain only.
  GemmProblem against;
  Quantity quantity = Quantity::kernel_gain;
};

/// Reads the map `gemm` of a row.
[[nodiscard]] GemmRow read_gemm_row(MapReader& map);

/// The GEMMs to simulate for it: one, or two.
[[nodiscard]] std::vector<GemmProblem> gemms_of(const GemmRow& row);

/// @param runs  of gemms_of()
[[nodiscard]] PaperAnswer answer_of(const GemmRow& row, const PaperColumn& column,
                                    const MachineConfig& machine,
                                    std::span<const std::shared_ptr<const GemmRun>> runs);

}  // namespace stcsim
