#include "reports/run/study_notes.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/parts/study_groups.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

/// Layers by name, with how often each occurs.
using LayerSet = std::map<std::string, std::int64_t>;

struct Note {
  const ResultRow* row;  // the first it is about
  std::vector<std::pair<std::string, LayerSet>> phases;
};

/// A layer that a scheme leaves out on purpose needs no explanation; its row says so.
bool is_left_out(const ResultRow& row) {
  return row.not_asked == NotAsked::left_out && !row.has_kernel_note;
}

bool has_note(const ResultRow& row) {
  if (is_left_out(row)) return false;
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
    auto found = std::find_if(notes.begin(), notes.end(),
                              [&](const Note& note) { return same_note(*note.row, row); });
    if (found == notes.end()) found = notes.insert(notes.end(), Note{&row, {}});
    layers_of(*found, to_string(row.phase))[row.layer] = row.repeat;
  }
  return notes;
}

bool several_networks(const std::vector<ResultRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ResultRow& row) { return row.network != rows.front().network; });
}

std::string count_of(const LayerSet& layers) {
  std::int64_t count = 0;
  for (const auto& [name, repeat] : layers) count += repeat;
  return std::to_string(count) + (count == 1 ? " layer" : " layers");
}

std::string line_of(const Note& note, const std::string& phases, const LayerSet& layers,
                    bool with_network) {
  const ResultRow& row = *note.row;
  std::string line = row.scheme + ": " + phases + (row.ran_sparse ? " ran sparse" : " ran dense");
  line += " on " + row.machine;
  if (with_network) line += ", " + row.network;
  line += " (" + count_of(layers) + ")";
  if (!row.reason.empty()) line += ": " + row.reason;
  return line + "\n";
}

/// A line of the notes, and what it is about.
struct NoteLine {
  const ResultRow* row;
  std::string text;
};

/// One line for all phases in which the same layers are concerned.
void add_lines(std::vector<NoteLine>& lines, const Note& note, bool with_network) {
  std::vector<std::pair<std::string, LayerSet>> merged;
  for (const auto& [phase, layers] : note.phases) {
    const auto found =
        std::find_if(merged.begin(), merged.end(),
                     [&same = layers](const auto& entry) { return entry.second == same; });
    if (found == merged.end()) {
      merged.emplace_back(phase, layers);
    } else {
      found->first += ", " + phase;
    }
  }
  for (const auto& [phases, layers] : merged) {
    lines.push_back({note.row, line_of(note, phases, layers, with_network)});
  }
}

std::vector<NoteLine> note_lines(const StudyResult& study) {
  const bool with_network = several_networks(study.rows);
  std::vector<NoteLine> lines;
  for (const Note& note : collect(study.rows)) add_lines(lines, note, with_network);
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

std::string first_notes(const StudyResult& study) {
  return dense_notes(study) + optimizer_notes(study) + pruning_notes(study);
}

}  // namespace

std::string study_notes(const StudyResult& study) {
  std::string text = first_notes(study);
  for (const NoteLine& line : note_lines(study)) text += line.text;
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

}  // namespace stcsim
