#include "curves/tensorboard.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/crc.hpp>
#include <fmt/format.h>

#include "common/error.hpp"
#include "curves/sample_list.hpp"

namespace stcsim::curves {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kSumBytes = 4;

/// Little-endian.
std::uint64_t unsigned_of(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

using Crc32c = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

/// Whether a sum (Castagnoli's) is stored as TFRecord files do: little-endian, rotated right by 15
/// bits, plus a constant, so that the sum of data that holds sums is no accident.
bool is_stored_as(const Crc32c& crc, std::string_view stored) {
  constexpr std::uint32_t kMaskDelta = 0xA282EAD8;
  return std::rotr(crc.checksum(), 15) + kMaskDelta == unsigned_of(stored);
}

/// Reads the records of a TFRecord file one after the other: length (8 bytes, little-endian),
/// masked CRC-32C of these, data, masked CRC-32C of the data. Never holds more than one record.
class RecordReader {
 public:
  explicit RecordReader(std::istream& file) : file_(file) {}

  enum class Status {
    record,   // data() is one
    skipped,  // a record that is larger than kLargestRecord
    end,      // the file is over
    cut,      // it ends in the middle of a record
    damaged   // a checksum is wrong: nothing behind can be trusted
  };
  Status next() {
    offset_ = at_;
    const std::string head = read(kRecordHead);
    if (head.empty()) return Status::end;
    if (head.size() < kRecordHead) return Status::cut;
    if (!begins_like_records(head)) return Status::damaged;
    const std::uint64_t length = unsigned_of(head.substr(0, kLengthBytes));
    Crc32c crc;
    data_.clear();
    for (std::uint64_t left = length; left > 0;) {
      const std::string bytes = read(std::min<std::uint64_t>(left, kChunk));
      if (bytes.size() < std::min<std::uint64_t>(left, kChunk)) return Status::cut;
      crc.process_bytes(bytes.data(), bytes.size());
      if (length <= kLargestRecord) data_ += bytes;
      left -= bytes.size();
    }
    const std::string sum = read(kSumBytes);
    if (sum.size() < kSumBytes) return Status::cut;
    if (!is_stored_as(crc, sum)) return Status::damaged;
    return length <= kLargestRecord ? Status::record : Status::skipped;
  }
  [[nodiscard]] const std::string& data() const { return data_; }
  /// Where the record began, in bytes.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  static constexpr std::uint64_t kChunk = 65536;

  /// So many bytes, or those up to the file's end.
  std::string read(std::uint64_t count) {
    std::string bytes(count, '\0');
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(file_.gcount()));
    at_ += bytes.size();
    return bytes;
  }

  std::istream& file_;
  std::string data_;
  std::uint64_t offset_ = 0;
  std::uint64_t at_ = 0;
};

class EventReader {
 public:
  EventReader(std::string name, const ReadOptions& options)
      : name_(std::move(name)), axis_(options.axis), epochs_(name_), steps_(name_) {
    if (!axis_ || *axis_ == Axis::steps || *axis_ == Axis::epochs) return;
    throw ConfigError(
        SourceLocation{name_},
        fmt::format("event files count steps (Keras' epochs), not {}", to_string(*axis_)));
  }

  void read(std::istream& stream, const std::string& file) {
    using Status = RecordReader::Status;
    RecordReader records(stream);
    int number = 1;
    Status status = records.next();
    for (; status == Status::record || status == Status::skipped; status = records.next()) {
      if (status == Status::record) take_record(records.data(), file, number);
      if (status == Status::skipped) ++skipped_;
      ++number;
    }
    if (status == Status::cut) {
      notes_.add({file, number},
                 fmt::format("the last record, at byte {}, is cut; left out", records.offset()));
    } else if (status == Status::damaged) {
      notes_.add({file, number}, fmt::format("the record at byte {} has a wrong checksum; it and "
                                             "all behind it left out",
                                             records.offset()));
    }
  }

  RunFile finish() {
    if (skipped_ > 0) {
      notes_.add({name_}, fmt::format("{} records of more than {} MiB (graphs, images); left out",
                                      skipped_, kLargestRecord >> 20U));
    }
    std::vector<Curve> curves;
    const auto take = [&](const SampleList& list, const SampleList::Shape& shape) {
      if (axis_ && *axis_ != shape.axis) return;
      std::ranges::move(list.curves(0, list.size(), shape, notes_), std::back_inserter(curves));
    };
    take(epochs_, {Axis::epochs, 1, false});
    take(steps_, {Axis::steps, 0, false});
    std::vector<Run> runs;
    if (!curves.empty()) {
      runs.push_back({name_, std::string(to_string(FileFormat::tensorboard)), std::move(curves)});
    }
    return notes_.with_runs(std::move(runs), name_, "the event files have no scalar value");
  }

 private:
  void take_record(const std::string& data, const std::string& file, int number) {
    const std::optional<Event> event = parse_event(data);
    if (!event) {
      notes_.add({file, number}, "the record is no event of TensorBoard's; left out");
      return;
    }
    const auto step = static_cast<double>(event->step);
    if (event->session_start) {
      epochs_.drop_from(step);
      steps_.drop_from(step);
    }
    for (const Event::Scalar& scalar : event->scalars) {
      SampleList& list = scalar.tag.starts_with("epoch_") ? epochs_ : steps_;
      list.add(list.metric(scalar.tag, number), step, scalar.value, number);
    }
  }

  std::string name_;
  std::optional<Axis> axis_;
  SampleList epochs_;
  SampleList steps_;
  std::size_t skipped_ = 0;
  NoteList notes_;
};

}  // namespace

bool begins_like_records(std::string_view head) {
  if (head.size() < kRecordHead) return false;
  Crc32c crc;
  crc.process_bytes(head.data(), kLengthBytes);
  return is_stored_as(crc, head.substr(kLengthBytes, kSumBytes));
}

std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().find("tfevents") != std::string::npos) {
      files.push_back(at->path());
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
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (file) reader.read(file, path.string());
    if (!file.is_open() || file.bad()) {
      throw ConfigError("cannot read " + path.string() + ": " +
                        std::generic_category().message(errno));
    }
  }
  return reader.finish();
}

RunFile read_event_file(std::istream& file, const std::string& name, const ReadOptions& options) {
  EventReader reader(name, options);
  reader.read(file, name);
  return reader.finish();
}

}  // namespace stcsim::curves
