#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/run/gemm_run.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim::test {

/// What the stages of a tensor core do for one GEMM.
struct StageTotals {
  std::int64_t multiply_cycles = 0;
  std::int64_t select_cycles = 0;
  std::int64_t supply_cycles = 0;
  std::int64_t fragment_bytes = 0;
  std::int64_t metadata_bytes = 0;

  friend bool operator==(const StageTotals&, const StageTotals&) = default;
};
[[nodiscard]] std::string to_string(const StageTotals& totals);

/// A machine that skips, packs or looks in parts, drawn from a seed, and operands with zeros.
struct SelectionCase {
  std::unique_ptr<MachineRunner> runner;
  GemmProblem problem;
  FunctionalOptions operands;
  std::string text;
};
/// A native pattern and how its metadata are coded.
struct SelectorKind {
  Pattern pattern;
  std::string coding;
};
/// @param kind  if given, of that; else drawn, too
[[nodiscard]] SelectionCase draw_selection_case(std::uint64_t seed,
                                                const std::optional<SelectorKind>& kind = {});

/// Operands without a zero in a kept slot or in B, on a machine that looks at them stage by stage
/// and on the same one in closed form.
struct FullGroups {
  SelectionCase by_data;
  std::unique_ptr<MachineRunner> closed;
  /// Whether every lane sees the whole group.
  bool sees_all = true;
};
[[nodiscard]] FullGroups draw_full_groups(std::uint64_t seed);

/// A grid of many waves, whose times the data decide, with zeros in both operands.
[[nodiscard]] SelectionCase draw_many_waves(std::uint64_t seed);

/// What the machine says of a launch.
[[nodiscard]] StageTotals totals_of(const LaunchResult& result);

/// What plain loops over the operands say: no metadata are coded, nothing is moved.
/// @param run  tells the kernel
[[nodiscard]] StageTotals plain_totals(const SelectionCase& drawn, const LaunchResult& run);

}  // namespace stcsim::test
