#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How a command line calls machines and networks of a study whose names are not what it calls
/// them: a machine of a file is the file.
using CalledAs = std::map<std::string, std::string>;

/// A layer in a phase that ran sparse and takes longer than the ideal: the dense cycles times n/m
/// of the hardware's pattern.
struct SparsityLoss {
  /// Of the study it was found in.
  const ResultRow* row = nullptr;
  /// m/n of the hardware's pattern.
  double ideal_gain = 1;
  /// What it takes longer than the ideal, all repeats.
  std::int64_t lost_cycles = 0;
  /// Of what all rows of the scheme lose.
  double share = 0;

  [[nodiscard]] std::int64_t cycles() const { return row->repeat * row->cycles; }
  [[nodiscard]] bool is_slower_than_dense() const { return row->cycles > row->dense_cycles; }
};

/// What a scheme loses against the ideal on a machine, in the training step of a network or in the
/// pass after training.
struct SchemeLosses {
  /// Of all rows that ran sparse; one that is faster than the ideal (a narrower data type than the
  /// dense baseline's) loses nothing.
  std::int64_t lost_cycles = 0;
  /// Up to five, the largest loss first; rows that lose the same in the study's order.
  std::vector<SparsityLoss> worst;
  /// The call that simulates the reasons of the worst row, in parts that belong together
  /// ("--arch a100").
  std::vector<std::string> explain;

  /// The worst, whose names are those of all.
  [[nodiscard]] const ResultRow& row() const { return *worst.front().row; }
};

/// In the study's order; without the schemes of which nothing ran sparse or lost anything, and
/// without the dense baseline. Points into `study`.
/// @throws std::invalid_argument if something is lost and resolved_config is not the text of a JSON
///         object
[[nodiscard]] std::vector<SchemeLosses> study_losses(const StudyResult& study,
                                                     const CalledAs& called_as = {});

/// Where sparsity loses: a table for each scheme of each machine, network and pass, the one that
/// loses most first, each with the call that says more. "" if nothing is lost.
[[nodiscard]] std::string losses_tables(const StudyResult& study, std::size_t width = kAnyWidth,
                                        const CalledAs& called_as = {});

/// The same for programs: an array with an object per machine, network, pass and scheme.
[[nodiscard]] nlohmann::ordered_json losses_json(const StudyResult& study);

inline constexpr std::string_view kFoldedSchema = "stcsim.study_folded/1";

/// A row, and the schemes under which all else of it is the same.
struct FoldedRow {
  const ResultRow* row = nullptr;
  std::vector<std::string> schemes;

  /// "asp;sr-ste"
  [[nodiscard]] std::string scheme_names(std::string_view between = ";") const;
};

/// In order of first appearance. They point into `rows`.
[[nodiscard]] std::vector<FoldedRow> folded_rows(const std::vector<ResultRow>& rows);

/// A document of stcsim.study/2 without its repeats, stcsim.study_folded/1: `results` has `keys`,
/// the different `rows` as lists of values ({} where a row has no such key), and the `order` in
/// which each scheme has them; a row's launch is the number of one of `launches` (kernel, traffic,
/// counters, buckets).
[[nodiscard]] nlohmann::ordered_json folded_study(const nlohmann::ordered_json& study);

/// The study that was folded, key for key; any other document as it is.
/// @param file  for messages
/// @throws ConfigError if its parts do not belong together
[[nodiscard]] nlohmann::ordered_json unfolded_study(nlohmann::ordered_json document,
                                                    const std::string& file);

/// What a reader of the tables has to know, one line each: which phases of which scheme ran dense,
/// on how many layers (repeats counted) and why; what limited those that ran sparse; how sure the
/// search for kernels is. Equal notes of a scheme are one line:
///   "mvue: forward, dgrad ran dense on a100, resnet50 (53 layers): 4:8 does not fit 2:4 hardware".
/// "" if there is nothing to say.
[[nodiscard]] std::string study_notes(const StudyResult& study);

/// What is said in any case: sampled GEMMs, checked values, and what failed.
[[nodiscard]] std::string closing_notes(const StudyResult& study);

/// A line per network and machine for schemes of which nothing ran sparse in phases that they
/// prune: "fst, slope: no product of forward, dgrad ran sparse on a100, resnet50: none of its
/// layers is pruned". "" if there are none, or if points of the study failed.
[[nodiscard]] std::string dense_notes(const StudyResult& study);

/// A line for each scheme, machine and network where most of what a step gains is not the GEMMs'
/// but the optimizer's; "" if there is none.
[[nodiscard]] std::string optimizer_notes(const StudyResult& study);

/// A line for each network and machine on how dear pruning may be, from steps as they ran:
///   "pruning on a100, resnet50: bdwp gains until it takes 1.41 times as long; sdgp-2:4 gains where
///   it takes 2.30 times less".
/// Left out: schemes that would gain with pruning ten times as dear, and those that lose if it
/// takes no time at all. "" if none is left.
[[nodiscard]] std::string pruning_notes(const StudyResult& study);

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
/// (study_lines.hpp), where sparsity loses (losses_tables()), layers, and the notes
/// (study_notes()). At the end what failed, which option shows more, and the next command.
[[nodiscard]] std::string study_report(const StudyResult& study, const ReportOptions& options);

/// A study in Markdown, from headings of the second level on: per machine and network a table of
/// every scheme's speedup in each phase, over the GEMMs and over the whole step, with and without
/// what the scheme spends itself; below it where the dense step spends its time; at the end the
/// notes (study_notes()).
[[nodiscard]] std::string study_markdown(const StudyResult& study);

inline constexpr std::string_view kStudySchema = "stcsim.study/2";

/// What a row of the document below has beside its kernel, counters and buckets.
[[nodiscard]] nlohmann::ordered_json row_figures(const ResultRow& row);

/// The study as JSON; docs/reference/results.md lists the keys. Same study, same bytes.
/// @throws std::invalid_argument if resolved_config is not the text of a JSON object
/// @throws SimulationError if a number is NaN or infinite
[[nodiscard]] std::string study_to_json(const StudyResult& study);
/// The same without repeats (folded_study()).
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
