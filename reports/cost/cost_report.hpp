#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "sim/cost/launch_cost.hpp"
#include "sim/cost/machine_area.hpp"

namespace stcsim {

/// What a GEMM costs by another table, of the dense one's: the only figure that can be compared.
struct OtherCost {
  std::string table;
  std::int64_t node_nm = 0;
  double of_dense = 0;
};

/// A GEMM's energy, beside its dense baseline's.
struct GemmCost {
  GemmReport run;
  LaunchCost cost;
  std::optional<LaunchCost> dense;
  /// By every shipped table that knows the type, its own included; empty if dense.
  std::vector<OtherCost> others;

  /// Of the multiply-accumulates whose products count: of kept values, nothing padded.
  [[nodiscard]] double pj_per_useful_mac() const;
};

/// A machine's area, beside the A100's by the same table.
struct AreaComparison {
  CostTable table;
  MachineArea area;
  MachineArea a100;
};

/// What `stcsim gemm --energy` prints.
struct CostReport {
  std::string machine;
  CostTable table;
  std::optional<GemmCost> gemm;
  std::optional<AreaComparison> area;
  /// As in StudyResult.
  std::string resolved_config;
  std::string config_hash;
};

/// "0.61 J", "12.3 mJ", "45.6 uJ", three significant digits.
[[nodiscard]] std::string format_joules(double joules);

/// What is assumed, a line each.
[[nodiscard]] std::vector<std::string> cost_assumptions(const CostReport& report);

[[nodiscard]] std::string cost_text(const CostReport& report, std::size_t width = kAnyWidth);

inline constexpr const char* kCostSchema = "stcsim.cost/1";
[[nodiscard]] std::string cost_to_json(const CostReport& report);
/// A row for every action of every unit, then one for every part.
[[nodiscard]] std::string cost_to_csv(const CostReport& report);

}  // namespace stcsim
