#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/compare/result_file.hpp"

namespace stcsim {

/// One key of a resolved configuration that has another value than before, or is new or gone.
struct ConfigChange {
  /// "dtype", or "machine a100: accelerator.l2_cache.read_bytes_per_clk"; entries of lists by their
  /// names where they have one, else by their index.
  std::string key;
  /// As JSON, cut to what can be read; "-" where there is none.
  std::string before;
  std::string now;

  friend bool operator==(const ConfigChange&, const ConfigChange&) = default;
};

/// What differs between two resolved configurations, of experiments or GEMMs, in their order. Where
/// both have one machine, network or scheme, it is the same one under another name.
[[nodiscard]] std::vector<ConfigChange> config_changes(const std::string& before,
                                                       const std::string& now);

/// A step, or the pass after training, of one machine, network and scheme; or a GEMM. Nothing where
/// a side has none.
struct ComparedStep {
  std::optional<StudyTotal> before;
  std::optional<StudyTotal> now;
  /// Further apart than is tolerated, in time, in the dense time or in speedup.
  bool moved = false;

  [[nodiscard]] const StudyTotal& any() const { return now ? *now : *before; }
  /// now / before - 1 of the time; infinite where one is missing.
  [[nodiscard]] double relative() const;
};

/// What moved: kernels that changed alike, folded. Layers of equal shape are one line, and so are
/// schemes that a phase does not depend on.
struct ComparedRow {
  /// One of them; nothing where a side has none.
  std::optional<ResultRow> before;
  std::optional<ResultRow> now;
  std::vector<std::string> layers = {};
  /// Empty: all of the place's, which has several.
  std::vector<std::string> schemes = {};
  /// How many of them run in a step, in the mean, schemes counted once.
  double per_step = 0;
  /// What it adds to a step.
  double change_us = 0;
  /// |change_us| of the sum of all.
  double share = 0;

  [[nodiscard]] const ResultRow& any() const { return now ? *now : *before; }
};

/// Two results, held against each other.
struct Comparison {
  /// Their names, versions and kind; of `now` the configuration's hash too.
  ComparedResult before;
  ComparedResult now;
  double rtol = 0;
  /// Without instructions' measured intervals that hold no more because of what differs.
  std::vector<ConfigChange> config;
  /// All of them, in the order of `before`, new ones last.
  std::vector<ComparedStep> steps;
  /// Those that moved, the largest share first.
  std::vector<ComparedRow> rows;
  /// Rows of both, and those that did not move.
  std::size_t figures = 0;
  std::size_t same = 0;

  /// Whether nothing moved.
  [[nodiscard]] bool is_equal() const;
};

/// Rows pair up by machine, network, layer, phase, scheme and op, those of equal names in their
/// order. Where each side has one machine (network, scheme) only, and they differ, they are taken
/// for the same: "a100 -> h100_sxm".
/// @param rtol of cycles, times and speedups, relative to before; 0 compares cycles exactly. Times
///   and speedups are compared to nine digits at least: processors differ in the last ones. What
///   one side alone has has always moved.
/// @throws ConfigError unless rtol is finite and not negative
[[nodiscard]] Comparison compare_results(ComparedResult before, ComparedResult now,
                                         double rtol = 0);

/// What changed in the answer: "equal: ...", or of the step that changed most, preferably a sparse
/// one, its time and speedup before and now.
[[nodiscard]] std::string comparison_answer(const Comparison& comparison);

/// The answer; the values of the configuration that differ; steps if there are several; what moved,
/// largest share first; how much else there is.
/// @param all_rows  not the first dozen of those that moved
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all_rows,
                                          std::size_t width = kAnyWidth);
/// The same as Markdown, every value that differs in a list.
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison, bool all_rows);

inline constexpr std::string_view kComparisonSchema = "stcsim.compare/1";
/// docs/reference/results.md lists the keys.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// For systems that collect tests: a test case per step, failed if it or any of its rows moved.
[[nodiscard]] std::string comparison_junit(const Comparison& comparison);

/// now / before - 1; infinite where `before` alone is 0.
[[nodiscard]] double relative_change(double before, double now);

/// A line per step.
[[nodiscard]] Table compared_steps_table(const std::vector<ComparedStep>& steps);
/// A line for each of the first `count` of a comparison's rows; machine, network and scheme where
/// there are several.
[[nodiscard]] Table compared_rows_table(const Comparison& comparison, std::size_t count);

}  // namespace stcsim
