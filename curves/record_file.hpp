#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace stcsim::curves {

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected): RFC 3720, appendix B.4 has examples.
/// @param before the sum of the bytes before `bytes`, to go on with
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The sum as TFRecord files store it: rotated right by 15 bits, plus a constant, so that the sum
/// of data that holds sums is no accident.
[[nodiscard]] std::uint32_t masked_crc(std::uint32_t crc);

/// Whether a file begins like a TFRecord file: a length and its checksum.
[[nodiscard]] bool begins_like_records(std::string_view head);
/// Bytes that begins_like_records() looks at.
inline constexpr std::size_t kRecordHead = 12;

/// Largest record that is kept; longer ones (graphs, images) are read past.
inline constexpr std::size_t kLargestRecord = std::size_t{16} << 20U;

/// Reads the records of a TFRecord file one after the other: length (8 bytes, little-endian),
/// masked CRC-32C of these, data, masked CRC-32C of the data. Never holds more than one record.
class RecordFile {
 public:
  /// @throws ConfigError if the file cannot be opened
  explicit RecordFile(const std::filesystem::path& path);
  /// Reads bytes in memory, which must outlive it; `name` stands for the file in messages.
  RecordFile(std::string_view bytes, std::string name);

  enum class Status {
    record,   // data() is one
    skipped,  // a record that is larger than kLargestRecord
    end,      // the file is over
    cut,      // it ends in the middle of a record
    damaged   // a checksum is wrong: nothing behind can be trusted
  };
  /// @throws ConfigError if the file cannot be read
  Status next();
  [[nodiscard]] const std::string& data() const { return data_; }
  /// Where the record began, in bytes.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  [[nodiscard]] std::size_t read(char* into, std::size_t count);
  Status read_data(std::uint64_t length);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string data_;
  std::uint64_t offset_ = 0;
  std::uint64_t at_ = 0;
};

}  // namespace stcsim::curves
