#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/format.hpp"
#include "reports/run/study_losses.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How much of a report is printed, and in how many columns.
struct ReportOptions {
  /// Phases, parts of the step, memory, losses and layers.
  bool layers = false;
  bool notes = false;
  std::size_t width = kAnyWidth;
  /// As of next_of_study().
  std::vector<std::string> otherwise = {};
  CalledAs called_as = {};
};

/// Per machine, network and pass what each scheme changes: the mean step of a training, its gain
/// and where a measured one lies, energy, GEMMs and, as wide as the page is, phases and pruning; a
/// line for the schemes that change nothing. Below, what the columns are.
[[nodiscard]] std::string summary_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// One table per machine, network and pass: speedup of each scheme in each phase, over the three
/// GEMMs together, the other kernels, the optimizer and a sparse step; below it the dense
/// baseline's cycles and times, above it the machine's software. Phases that no scheme has are left
/// out, those that one has not show as "-".
[[nodiscard]] std::string speedup_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// "next: ...": why the fastest scheme loses what it loses. Where none loses anything it is
/// `otherwise`, in parts as of next_lines(); a run of all schemes if that is not said.
[[nodiscard]] std::string next_of_study(const StudyResult& study, std::size_t width,
                                        const std::vector<std::string>& otherwise = {},
                                        const CalledAs& called_as = {});

/// One table per machine and network with a line per different result row (numbers of one repeat),
/// under which schemes it is so.
[[nodiscard]] std::string layer_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// The answer (study_lines.hpp) and what each scheme changes; if asked for, where the time goes
/// (study_lines.hpp), where sparsity loses (study_losses.hpp), layers, and the notes
/// (study_notes.hpp). At the end what failed, which option shows more, and the next command.
[[nodiscard]] std::string study_report(const StudyResult& study, const ReportOptions& options);

/// A study in Markdown, from headings of the second level on: per machine and network a table of
/// every scheme's speedup in each phase, over the GEMMs and over the whole step, with and without
/// what the scheme spends itself; below it where the dense step spends its time; at the end the
/// notes (study_notes.hpp).
[[nodiscard]] std::string study_markdown(const StudyResult& study);

inline constexpr std::string_view kStudySchema = "stcsim.study/2";

/// What a row of the document below has beside its kernel, counters and buckets.
[[nodiscard]] nlohmann::ordered_json row_figures(const ResultRow& row);

/// The study as a JSON document; docs/configuration.md lists the keys. Same study, same bytes.
/// @throws std::invalid_argument if resolved_config is not the text of a JSON object
/// @throws SimulationError if a number is NaN or infinite
[[nodiscard]] std::string study_to_json(const StudyResult& study);
/// The same without repeats (study_folded.hpp).
[[nodiscard]] std::string study_to_folded_json(const StudyResult& study);

/// The study's rows as CSV: the keys of the JSON document's 'results', flattened (see csv.hpp).
[[nodiscard]] std::string results_to_csv(const StudyResult& study);
/// The same, but what is the same under several schemes is one row: "asp;sr-ste".
[[nodiscard]] std::string results_to_folded_csv(const StudyResult& study);

/// The study's totals as CSV: the keys of 'totals', e.g. "forward.cycles".
[[nodiscard]] std::string totals_to_csv(const StudyResult& study);

/// Steps on several GPUs: of each network and machine what every scheme gains, what does not fit
/// first, a table by scheme and number of GPUs, and from how many on a scheme gains nothing.
/// @param study  with parallel totals
[[nodiscard]] std::string parallel_report(const StudyResult& study, std::size_t width);

/// Per machine and network whose layers state what their products took on a GPU (Layer::measured):
/// every product's measured time beside the dense one that is simulated, all repeats, the longest
/// first, and their sums. "" where no layer does.
[[nodiscard]] std::string measured_tables(const StudyResult& study, std::size_t width = kAnyWidth);

}  // namespace stcsim
