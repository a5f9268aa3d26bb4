#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "curves/read_runs.hpp"
#include "curves/record_file.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

constexpr std::size_t kMostFiles = 10'000;

class EventReader {
 public:
  EventReader(std::string name, const ReadOptions& options)
      : name_(std::move(name)), options_(options), epochs_(name_), steps_(name_) {
    const Axis axis = options_.axis.value_or(Axis::steps);
    if (axis != Axis::steps && axis != Axis::epochs) {
      throw ConfigError(
          SourceLocation{name_},
          fmt::format("event files count steps (Keras' epochs), not {}", axis_name(axis)));
    }
  }

  void read(RecordFile records, const std::string& file) {
    for (int number = 1;; ++number) {
      switch (records.next()) {
        case RecordFile::Status::record:
          take_record(records.data(), file, number);
          break;
        case RecordFile::Status::skipped:
          ++skipped_;
          break;
        case RecordFile::Status::end:
          return;
        case RecordFile::Status::cut:
          notes_.add({file, number}, fmt::format("the last record, at byte {}, is cut; left out",
                                                 records.offset()));
          return;
        case RecordFile::Status::damaged:
          notes_.add({file, number},
                     fmt::format("the record at byte {} has a wrong checksum; it and all behind it "
                                 "left out",
                                 records.offset()));
          return;
      }
    }
  }

  RunFile finish() {
    if (skipped_ > 0) {
      notes_.add({name_}, fmt::format("{} records of more than {} MiB (graphs, images); left out",
                                      skipped_, kLargestRecord >> 20U));
    }
    std::vector<Curve> curves;
    if (options_.axis != Axis::steps) curves = epochs_.curves({Axis::epochs, 1, false}, notes_);
    if (options_.axis != Axis::epochs) {
      std::vector<Curve> more = steps_.curves({Axis::steps, 0, false}, notes_);
      std::move(more.begin(), more.end(), std::back_inserter(curves));
    }
    if (curves.empty()) {
      constexpr const char* kNothing = "the event files have no scalar value";
      if (notes_.empty()) throw ConfigError(SourceLocation{name_}, kNothing);
      throw ConfigError(notes_.front().where, fmt::format("{}: {}", kNothing, notes_.front().text));
    }
    RunFile found;
    found.runs.push_back({name_, std::string(format_name(FileFormat::tensorboard)),
                          std::move(curves), std::nullopt});
    found.notes = notes_.take(name_);
    return found;
  }

 private:
  void take_record(const std::string& data, const std::string& file, int number) {
    const std::optional<Event> event = parse_event(data);
    if (!event) {
      notes_.add({file, number}, "the record is no event of TensorBoard's; left out");
      return;
    }
    if (event->session_start) {
      epochs_.drop_from(static_cast<double>(event->step));
      steps_.drop_from(static_cast<double>(event->step));
    }
    for (const Event::Scalar& scalar : event->scalars) {
      SampleList& list = scalar.tag.starts_with("epoch_") ? epochs_ : steps_;
      list.add(list.metric(scalar.tag, number), static_cast<double>(event->step), scalar.value,
               number);
    }
  }

  std::string name_;
  ReadOptions options_;
  SampleList epochs_;
  SampleList steps_;
  std::size_t skipped_ = 0;
  NoteList notes_;
};

}  // namespace

std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().find("tfevents") != std::string::npos) {
      files.push_back(at->path());
    }
    if (files.size() > kMostFiles) {
      throw ConfigError(
          fmt::format("'{}' has more than {} event files", directory.string(), kMostFiles));
    }
  }
  if (error) throw ConfigError("cannot read " + directory.string() + ": " + error.message());
  if (files.empty()) {
    throw ConfigError(
        fmt::format("'{}' is a directory without event files (*tfevents*), must be a "
                    "file of curves or a directory with them",
                    directory.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

RunFile read_event_files(const std::vector<std::filesystem::path>& files, const std::string& name,
                         const ReadOptions& options) {
  EventReader reader(name, options);
  for (const std::filesystem::path& file : files) reader.read(RecordFile(file), file.string());
  return reader.finish();
}

RunFile read_event_bytes(std::string_view bytes, const std::string& name,
                         const ReadOptions& options) {
  EventReader reader(name, options);
  reader.read(RecordFile(bytes, name), name);
  return reader.finish();
}

}  // namespace stcsim::curves
