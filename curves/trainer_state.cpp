#include "curves/trainer_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/io/text_file.hpp"
#include "curves/file_format.hpp"
#include "curves/log_history.hpp"
#include "curves/python_json.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

/// Numbers of an entry that say how fast it went, or where it was.
bool is_no_metric(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames{"step", "epoch", "total_flos",
                                                   "num_input_tokens_seen"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.ends_with("_runtime") || name.ends_with("_per_second") ||
         name.ends_with("_compilation_time");
}

std::optional<double> value_of(const LogHistory::Entry& entry, std::string_view name) {
  const auto found = std::find_if(entry.begin(), entry.end(),
                                  [name](const auto& field) { return field.first == name; });
  if (found == entry.end() || !std::isfinite(found->second) || found->second < 0) {
    return std::nullopt;
  }
  return found->second;
}

SourceLocation place_in(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

/// Refuses what has no history: no JSON, JSON that is cut, another file.
void parse_history(std::string_view text, const std::string& file, LogHistory& history) {
  const std::string plain = without_bare_nan(text);
  if (!nlohmann::json::sax_parse(plain, &history)) {
    const std::size_t byte = history.error_at() > 0 ? history.error_at() - 1 : 0;
    throw ConfigError(place_in(text, byte, file),
                      byte < text.size() ? "malformed JSON"
                                         : "the JSON text ends too early, so the file was cut");
  }
  if (!history.found()) {
    throw ConfigError(SourceLocation{file},
                      "'log_history' is missing, must be there as in a trainer_state.json");
  }
}

/// The values of all entries over `axis`.
SampleList samples_of(std::string_view text, const std::string& file, Axis axis, NoteList& notes) {
  SampleList list(file);
  int entries = 0;
  std::size_t without_x = 0;
  LogHistory history([&](const LogHistory::Entry& entry) {
    ++entries;
    const std::optional<double> x = value_of(entry, axis_singular(axis));
    if (!x) ++without_x;
    if (!x) return;
    for (const auto& [name, value] : entry) {
      if (!is_no_metric(name)) list.add(list.metric(name, 0), *x, value, 0);
    }
  });
  parse_history(text, file, history);
  if (without_x > 0) {
    notes.add({file}, fmt::format("{} of {} entries without a {}; left out", without_x, entries,
                                  axis_singular(axis)));
  }
  return list;
}

}  // namespace

RunFile read_trainer_state(std::string_view text, const std::string& file,
                           const ReadOptions& options) {
  check_encoding(text, file);
  const Axis axis = options.axis.value_or(Axis::steps);
  if (axis != Axis::steps && axis != Axis::epochs) {
    throw ConfigError(SourceLocation{file},
                      fmt::format("the file counts steps and epochs, not {}", axis_name(axis)));
  }
  NoteList notes;
  const SampleList list = samples_of(text, file, axis, notes);
  std::vector<Curve> curves = list.curves({axis, 0, axis == Axis::epochs}, notes);
  if (curves.empty()) {
    throw ConfigError(SourceLocation{file}, "'log_history' has no value of any metric");
  }
  RunFile found;
  found.runs.push_back(
      {file, std::string(format_name(FileFormat::trainer_state)), std::move(curves), {}});
  found.notes = notes.take(file);
  return found;
}

}  // namespace stcsim::curves
