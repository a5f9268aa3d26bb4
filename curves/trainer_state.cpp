#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_events.hpp"
#include "common/io/text_file.hpp"
#include "curves/read_runs.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{{
    {"NaN", "\"\" "},
    {"-Infinity", "\"-inf\"   "},
    {"Infinity", "\"inf\"   "},
}};

/// Takes JSON as it is parsed, and of all of it keeps no more than one entry of the document's
/// array `log_history` at a time: its numbers by name. The interface is nlohmann's SAX.
class LogHistory : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Entry = std::vector<std::pair<std::string, double>>;

  /// @param file stands for the file in messages
  /// @param take called for every entry; one of more than kMostKeys values is a ConfigError
  LogHistory(std::string file, std::function<void(const Entry&)> take)
      : file_(std::move(file)), take_(std::move(take)) {}

  /// The document has such an array.
  [[nodiscard]] bool found() const { return found_; }
  /// Where the text is no JSON, in bytes.
  [[nodiscard]] std::size_t error_at() const { return error_at_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value);
  }
  /// A number that is not finite is a text by now (without_bare_nan).
  bool string(string_t& value) override;
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t /*elements*/) override;
  bool end_array() override;
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    error_at_ = at;
    return false;
  }

 private:
  bool number(double value);
  [[nodiscard]] bool in_entry() const { return inside_ && depth_ == kEntryDepth; }

  static constexpr std::int64_t kEntryDepth = 3;  // document, array, entry
  std::string file_;
  std::function<void(const Entry&)> take_;
  Entry entry_;
  std::string key_;
  std::int64_t depth_ = 0;
  bool inside_ = false;  // the array
  bool found_ = false;
  std::size_t error_at_ = 0;
};

bool LogHistory::string(string_t& value) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!in_entry()) return true;
  if (value.empty()) return number(std::numeric_limits<double>::quiet_NaN());
  if (value == "inf") return number(kInfinite);
  if (value == "-inf") return number(-kInfinite);
  return true;
}

bool LogHistory::start_object(std::size_t /*elements*/) {
  ++depth_;
  if (in_entry()) entry_.clear();
  return true;
}

bool LogHistory::key(string_t& name) {
  // Names of what is not wanted need not be kept.
  if (depth_ == 1 || in_entry()) key_ = std::move(name);
  return true;
}

bool LogHistory::end_object() {
  if (in_entry()) take_(entry_);
  --depth_;
  return true;
}

bool LogHistory::start_array(std::size_t /*elements*/) {
  if (depth_ == 1 && key_ == "log_history") inside_ = found_ = true;
  ++depth_;
  return true;
}

bool LogHistory::end_array() {
  --depth_;
  if (depth_ == 1) inside_ = false;
  return true;
}

bool LogHistory::number(double value) {
  if (!in_entry()) return true;
  if (entry_.size() == kMostKeys) {
    throw ConfigError(SourceLocation{file_},
                      fmt::format("an entry of 'log_history' has more than {} values", kMostKeys));
  }
  entry_.emplace_back(key_, value);
  return true;
}

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
  if (!read_json_events<nlohmann::json>(plain, history, file)) {
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
  LogHistory history(file, [&](const LogHistory::Entry& entry) {
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

std::string without_bare_nan(std::string_view text) {
  std::string out(text);
  bool inside_text = false;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (out[at] == '"') inside_text = !inside_text;
    if (inside_text && out[at] == '\\') ++at;
    if (inside_text || (out[at] != 'N' && out[at] != 'I' && out[at] != '-')) continue;
    for (const auto& [word, instead] : kWords) {
      if (!text.substr(at).starts_with(word)) continue;
      std::copy(instead.begin(), instead.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
      at += word.size() - 1;
      break;
    }
  }
  return out;
}

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
