#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

/// Layers by name, with how often each occurs.
using LayerSet = std::map<std::string, std::int64_t>;

struct Note {
  const ResultRow* row;  // the first it is about
  std::vector<std::pair<std::string, LayerSet>> phases;
};

/// A layer that a scheme leaves out on purpose needs no explanation; its row says so.
bool has_note(const ResultRow& row) {
  if (row.not_asked == NotAsked::left_out && !row.has_kernel_note) return false;
  return !row.reason.empty() || (!row.pattern.is_dense() && !row.ran_sparse);
}

bool same_note(const ResultRow& a, const ResultRow& b) {
  return a.scheme == b.scheme && a.machine == b.machine && a.network == b.network &&
         a.ran_sparse == b.ran_sparse && a.reason == b.reason;
}

LayerSet& layers_of(Note& note, std::string_view phase) {
  for (auto& [name, layers] : note.phases) {
    if (name == phase) return layers;
  }
  return note.phases.emplace_back(phase, LayerSet{}).second;
}

std::vector<Note> collect(const std::vector<ResultRow>& rows) {
  std::vector<Note> notes;
  for (const ResultRow& row : rows) {
    if (!has_note(row)) continue;
    auto found =
        std::ranges::find_if(notes, [&](const Note& note) { return same_note(*note.row, row); });
    if (found == notes.end()) found = notes.insert(notes.end(), Note{&row, {}});
    layers_of(*found, to_string(row.phase))[row.layer] = row.repeat;
  }
  return notes;
}

std::string count_of(const LayerSet& layers) {
  std::int64_t count = 0;
  for (const auto& [name, repeat] : layers) count += repeat;
  return std::to_string(count) + (count == 1 ? " layer" : " layers");
}

std::string line_of(const Note& note, const std::string& phases, const LayerSet& layers,
                    bool with_network) {
  const ResultRow& row = *note.row;
  return fmt::format("{}: {} ran {} on {}{} ({}){}\n", row.scheme, phases,
                     row.ran_sparse ? "sparse" : "dense", row.machine,
                     with_network ? ", " + row.network : "", count_of(layers),
                     row.reason.empty() ? "" : ": " + row.reason);
}

/// One line for all phases in which the same layers are concerned.
std::string lines_of(const Note& note, bool with_network) {
  std::vector<std::pair<std::string, LayerSet>> merged;
  for (const auto& [phase, layers] : note.phases) {
    const auto found = std::ranges::find_if(
        merged, [&same = layers](const auto& entry) { return entry.second == same; });
    if (found == merged.end()) {
      merged.emplace_back(phase, layers);
    } else {
      found->first += ", " + phase;
    }
  }
  std::string lines;
  for (const auto& [phases, layers] : merged) lines += line_of(note, phases, layers, with_network);
  return lines;
}

/// "sampled: 3 of 161 GEMMs; their cycles are known to 0.85 % or better"; "" if none might be.
std::string sampled_gemms_line(const StudyResult& study) {
  std::int64_t gemms = 0;
  std::int64_t sampled = 0;
  double width = 0;
  for (const ResultRow& row : study.rows) {
    if (!row.sampled) continue;
    ++gemms;
    const std::int64_t between = row.sampled->cycles_high - row.sampled->cycles_low;
    if (between == 0) continue;
    ++sampled;
    width = std::max(width, static_cast<double>(between) / static_cast<double>(row.cycles));
  }
  if (gemms == 0) return "";
  std::string line = fmt::format("sampled: {} of {} GEMMs", sampled, gemms);
  if (sampled > 0)
    line += fmt::format("; their cycles are known to {} or better", format_percent(width));
  return line + "\n";
}

/// "search: kernels of 161 of 322 GEMMs were searched for; 150 of these are surely the fastest, for
/// the others no kernel left out saves more than 2.4 % of the time, in all 0.8 %"; "" if none were.
std::string searched_gemms_line(const StudyResult& study) {
  std::int64_t gemms = 0;
  std::int64_t searched = 0;
  std::int64_t exact = 0;
  double most = 0;
  double cycles = 0;
  double spared = 0;
  for (const ResultRow& row : study.rows) {
    if (!row.is_gemm()) continue;
    ++gemms;
    if (!row.regret_at_most) continue;
    ++searched;
    if (*row.regret_at_most == 0) ++exact;
    most = std::max(most, *row.regret_at_most);
    const auto of_row = static_cast<double>(row.repeat * row.cycles);
    cycles += of_row;
    spared += *row.regret_at_most * of_row;
  }
  if (searched == 0) return "";
  const std::string line =
      fmt::format("search: kernels of {} of {} GEMMs were searched for; ", searched, gemms);
  if (exact == searched) return line + "every one is the fastest\n";
  const std::string exact_ones =
      exact > 0 ? fmt::format("{} of these are surely the fastest, for the others ", exact) : "";
  return line + exact_ones +
         fmt::format("no kernel left out saves more than {} of the time, in all {}\n",
                     format_percent(most), format_percent(spared / cycles));
}

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

std::string study_notes(const StudyResult& study) {
  std::string text = dense_notes(study) + optimizer_notes(study) + pruning_notes(study);
  const bool with_network = std::ranges::any_of(
      study.rows, [&](const ResultRow& row) { return row.network != study.rows.front().network; });
  for (const Note& note : collect(study.rows)) text += lines_of(note, with_network);
  return text + searched_gemms_line(study);
}

std::string closing_notes(const StudyResult& study) {
  std::string text = sampled_gemms_line(study);
  if (study.checked_gemms > 0) {
    text += "values: C of " + std::to_string(study.checked_gemms) +
            (study.checked_gemms == 1 ? " GEMM" : " different GEMMs") +
            " checked, as the reference computes it\n";
  }
  for (const std::string& failure : study.failures) text += "failed: " + failure + "\n";
  return text;
}

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
    constexpr double kHalf = 0.5;
    if (share <= kHalf) continue;
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
