#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/parts/study_groups.hpp"
#include "reports/run/study_notes.hpp"

namespace stcsim {
namespace {

/// A phase that a scheme prunes, in a network on a machine.
struct PrunedPhase {
  const ResultRow* row;  // the first
  bool ran_sparse = false;
  bool left_out = true;  // none of its layers is the scheme's
};

/// Phases of a scheme that ran dense.
struct DenseNote {
  const ResultRow* row;
  std::vector<RowPhase> phases;
  bool left_out = true;
};

bool same_phase(const ResultRow& a, const ResultRow& b) {
  return a.machine == b.machine && a.network == b.network && a.scheme == b.scheme &&
         a.phase == b.phase;
}

/// Rows of a scheme follow each other, so the phase that is looked for is one of the last.
std::vector<PrunedPhase> pruned_phases(const std::vector<ResultRow>& rows) {
  constexpr std::ptrdiff_t kMostPhases = 4;
  std::vector<PrunedPhase> phases;
  for (const ResultRow& row : rows) {
    const bool left_out = row.not_asked == NotAsked::left_out;
    if (row.pattern.is_dense() && !left_out) continue;
    const auto begin = phases.end() - std::min<std::ptrdiff_t>(kMostPhases, std::ssize(phases));
    auto phase = std::find_if(begin, phases.end(),
                              [&](const PrunedPhase& one) { return same_phase(*one.row, row); });
    if (phase == phases.end()) phase = phases.insert(phases.end(), PrunedPhase{&row});
    phase->ran_sparse = phase->ran_sparse || row.ran_sparse;
    phase->left_out = phase->left_out && left_out;
  }
  return phases;
}

/// One note per scheme, with all its phases that ran dense.
std::vector<DenseNote> notes_of_schemes(const std::vector<ResultRow>& rows) {
  std::vector<DenseNote> notes;
  for (const PrunedPhase& phase : pruned_phases(rows)) {
    if (phase.ran_sparse) continue;
    const ResultRow& row = *phase.row;
    const bool goes_on = !notes.empty() && notes.back().left_out == phase.left_out &&
                         notes.back().row->scheme == row.scheme &&
                         notes.back().row->machine == row.machine &&
                         notes.back().row->network == row.network;
    if (!goes_on) notes.push_back({&row, {}, phase.left_out});
    notes.back().phases.push_back(row.phase);
  }
  // A first layer without dgrad has rows in another order.
  for (DenseNote& note : notes) std::ranges::sort(note.phases);
  return notes;
}

std::string joined(const std::vector<RowPhase>& phases) {
  std::string text;
  for (const RowPhase phase : phases) {
    text.append(text.empty() ? "" : ", ").append(to_string(phase));
  }
  return text;
}

bool are_alike(const DenseNote& a, const DenseNote& b) {
  return a.row->machine == b.row->machine && a.row->network == b.row->network &&
         a.phases == b.phases && a.left_out == b.left_out;
}

constexpr double kMost = 0.5;

double saved_us(const PhaseTotal& part) {
  return part.dense_time_us - part.time_us;
}

/// How many times as long a scheme's own work may take until its step takes as long as a dense one;
/// below 0 if it loses without that work, too.
double break_even_of_pruning(const StudyTotal& total) {
  return (saved_us(total.step) + total.scheme_work.time_us) / total.scheme_work.time_us;
}

/// "bdwp gains until it takes 1.41 times as long"; "" where that is of no interest.
std::string pruning_text(const StudyTotal& total) {
  constexpr double kDearest = 10;
  if (!total.is_complete() || total.scheme_work.time_us <= 0) return "";
  const double factor = break_even_of_pruning(total);
  if (factor <= 1 / kDearest || factor >= kDearest) return "";
  const std::string times = format_significant(factor >= 1 ? factor : 1 / factor);
  return factor >= 1 ? fmt::format("{} gains until it takes {} times as long", total.scheme, times)
                     : fmt::format("{} gains where it takes {} times less", total.scheme, times);
}

}  // namespace

std::string dense_notes(const StudyResult& study) {
  if (!study.failures.empty()) return "";
  const std::vector<DenseNote> notes = notes_of_schemes(study.rows);
  std::string text;
  for (const auto& line : groups_of(notes, are_alike)) {
    std::vector<std::string> schemes;
    for (const DenseNote* const note : line) schemes.push_back(note->row->scheme);
    const DenseNote& first = *line.front();
    text += fmt::format("{}: no product of {} ran sparse on {}, {}{}\n", fmt::join(schemes, ", "),
                        joined(first.phases), first.row->machine, first.row->network,
                        first.left_out ? ": none of its layers is pruned" : "");
  }
  return text;
}

std::string optimizer_notes(const StudyResult& study) {
  std::string text;
  for (const StudyTotal& total : study.totals) {
    const double saved = saved_us(total.step);
    if (!total.is_complete() || saved <= 0) continue;
    const double share = saved_us(total.optimizer) / saved;
    if (share <= kMost) continue;
    const std::string most = share >= 1 ? "all that" : format_percent(share) + " of what";
    text += fmt::format(
        "{}: {} a step of {} gains comes from the optimizer, which has less to update\n",
        total.scheme, most, place_of(total));
  }
  return text;
}

std::string pruning_notes(const StudyResult& study) {
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (const StudyTotal& total : study.totals) {
    const std::string text = pruning_text(total);
    if (text.empty()) continue;
    const std::string place = place_of(total);
    if (places.empty() || places.back().first != place) places.push_back({place, {}});
    places.back().second.push_back(text);
  }
  std::string lines;
  for (const auto& [place, texts] : places) {
    lines += fmt::format("pruning of {}: {}\n", place, fmt::join(texts, "; "));
  }
  return lines;
}

}  // namespace stcsim
