#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/io/format.hpp"
#include "reports/losses_report.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How much of a report is printed, and in how many columns.
struct ReportOptions {
  bool layers = false;
  /// Every note; otherwise notes that repeat are one line.
  bool all_notes = true;
  /// Of how many schemes of a network it is said where they lose, those that lose most.
  std::size_t loss_schemes = kAllSchemes;
  std::size_t width = kAnyWidth;
};

/// One table per machine, network and pass: speedup of each scheme in each phase, over the three
/// GEMMs together, the other kernels, the optimizer and the whole step; below it the dense
/// baseline's cycles and times, above it the machine's software. Phases that no scheme has are left
/// out, those that one has not show as "-".
[[nodiscard]] std::string speedup_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// One table per machine and network with a line per result row (numbers of one repeat).
[[nodiscard]] std::string layer_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// The answer (study_answer.hpp), speedup tables, where the time goes (kind_tables.hpp), where
/// sparsity loses (losses_report.hpp), layer tables if asked for, and the notes (study_notes.hpp).
[[nodiscard]] std::string study_report(const StudyResult& study, const ReportOptions& options);

}  // namespace stcsim
