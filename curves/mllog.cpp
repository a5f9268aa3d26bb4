#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "curves/read_runs.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

std::optional<double> number_in(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string text_in(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

class MllogReader {
 public:
  MllogReader(std::string file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}

  RunFile read(std::string_view text) {
    int line = 0;
    while (!text.empty()) {
      ++line;
      const std::size_t end = text.find('\n');
      take_line(text.substr(0, end), line, end == std::string_view::npos);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    end_run();
    if (found_.runs.empty()) {
      throw ConfigError(SourceLocation{file_},
                        options_.axis
                            ? fmt::format("no line has a value over {}", axis_name(*options_.axis))
                            : "no line has a value and how much was trained (epoch_num, "
                              "samples_count or step_num)");
    }
    found_.notes = notes_.take(file_);
    return std::move(found_);
  }

 private:
  /// The run as known so far.
  struct State {
    std::map<Axis, SampleList> lists;
    std::optional<double> start_ms;
    std::optional<double> batch;
    std::string stop_status;
    bool stopped = false;
    int line = 0;  // of its start
  };

  void take_line(std::string_view line, int number, bool last) {
    const std::size_t mark = line.find(kMllogMark);
    if (mark == std::string_view::npos) return;
    const std::string_view text = line.substr(mark + kMllogMark.size());
    if (text.size() > kLongestLine) {
      notes_.add({file_, number}, fmt::format("a line of {} bytes; left out", text.size()));
      return;
    }
    const ordered_json event = try_parse_json(text);
    if (!event.is_object()) {
      notes_.add({file_, number}, last ? "the last line is cut; left out"
                                       : "no JSON object behind :::MLLOG; left out");
      return;
    }
    const auto metadata = event.find("metadata");
    static const ordered_json none = ordered_json::object();
    take_event(event, metadata != event.end() && metadata->is_object() ? *metadata : none, number);
  }

  void take_event(const ordered_json& event, const ordered_json& metadata, int line) {
    const std::string key = text_in(event, "key");
    const std::optional<double> time_ms = number_in(event, "time_ms");
    const std::optional<double> value = number_in(event, "value");
    if (key == "run_start") {
      if (!run_.lists.empty() || run_.stopped) end_run();
      if (!run_.start_ms) run_.start_ms = time_ms;
      if (run_.line == 0) run_.line = line;
    } else if (key == "run_stop") {
      run_.stopped = true;
      run_.stop_status = text_in(metadata, "status");
    } else if (key == "global_batch_size") {
      run_.batch = value;
    } else if (key == "submission_benchmark") {
      is_bert_ = text_in(event, "value") == "bert";
    } else if (value) {
      take_value(key, *value, metadata, time_ms, line);
    }
  }

  void take_value(const std::string& key, double value, const ordered_json& metadata,
                  std::optional<double> time_ms, int line) {
    const std::optional<double> epoch = number_in(metadata, "epoch_num");
    const std::optional<double> samples = number_in(metadata, "samples_count");
    const std::optional<double> step = number_in(metadata, "step_num");
    if (!epoch && !samples && !step) return;
    add(Axis::samples, samples ? samples : is_bert_ ? epoch : std::nullopt, key, value, line);
    add(Axis::epochs, is_bert_ ? std::nullopt : epoch, key, value, line);
    add(Axis::steps, step, key, value, line);
    if (time_ms && run_.start_ms) {
      constexpr double kMsPerSecond = 1000;
      add(Axis::seconds, (*time_ms - *run_.start_ms) / kMsPerSecond, key, value, line);
    }
  }

  void add(Axis axis, std::optional<double> x, const std::string& key, double value, int line) {
    if (!x || !(*x >= 0)) return;
    SampleList& list = run_.lists.try_emplace(axis, file_).first->second;
    list.add(list.metric(key, line), *x, value, line);
  }

  void end_run() {
    State run = std::exchange(run_, {});
    const auto list = options_.axis ? run.lists.find(*options_.axis) : run.lists.begin();
    if (list == run.lists.end()) return;
    if (run.stop_status != "success") {
      notes_.add({file_, run.line}, run.stop_status.empty()
                                        ? "a run without an end (run_stop): killed, or still going"
                                        : fmt::format("a run that ended '{}'", run.stop_status));
    }
    std::vector<Curve> curves = list->second.curves({list->first, 0, true}, notes_);
    if (curves.empty()) return;
    if (found_.runs.size() == kMostRuns) {
      throw ConfigError({file_, run.line}, fmt::format("more than {} runs in one file", kMostRuns));
    }
    const std::string name =
        found_.runs.empty() ? file_ : fmt::format("{}#{}", file_, found_.runs.size() + 1);
    found_.runs.push_back(
        {name, std::string(format_name(FileFormat::mllog)), std::move(curves), run.batch});
  }

  std::string file_;
  ReadOptions options_;
  State run_;
  bool is_bert_ = false;
  NoteList notes_;
  RunFile found_;
};

}  // namespace

RunFile read_mllog(std::string_view text, const std::string& file, const ReadOptions& options) {
  check_encoding(text, file);
  return MllogReader(file, options).read(text);
}

}  // namespace stcsim::curves
