#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/gemm.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/evidence/paper_answer.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {

enum class GemmQuantity : std::uint8_t {
  /// Time of what it is held against / its time.
  gain,
  /// Dense multiplications counted, two operations each.
  tflops,
  us
};

/// One GEMM, launched over and over on each column's machine with the software that it lists first.
struct GemmRow {
  GemmProblem problem;
  /// The same in another pattern or type; dense if nothing is said. Of `gain` only.
  GemmProblem against;
  GemmQuantity quantity = GemmQuantity::gain;
};

/// Reads the map `gemm` of a row.
[[nodiscard]] GemmRow read_gemm_row(MapReader& map);
[[nodiscard]] PaperQuantity quantity_of(const GemmRow& row);

/// What has to be simulated for it: one GEMM, or two.
[[nodiscard]] std::vector<GemmProblem> gemms_of(const GemmRow& row);

/// @param runs  of gemms_of()
[[nodiscard]] PaperAnswer answer_of(const GemmRow& row, const PaperColumn& column,
                                    const MachineConfig& machine,
                                    std::span<const std::shared_ptr<const GemmRun>> runs);

}  // namespace stcsim
