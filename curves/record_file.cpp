#include "curves/record_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <system_error>
#include <utility>

#include "common/error.hpp"

namespace stcsim::curves {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kReflected = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kReflected : 0U);
    table[byte] = crc;
  }
  return table;
}

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

bool has_sum(std::uint32_t crc, std::string_view stored) {
  return masked_crc(crc) == unsigned_of(stored);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
  std::uint32_t crc = ~before;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8U);
  }
  return ~crc;
}

std::uint32_t masked_crc(std::uint32_t crc) {
  constexpr std::uint32_t kMaskDelta = 0xA282EAD8;
  return std::rotr(crc, 15) + kMaskDelta;
}

bool begins_like_records(std::string_view head) {
  return head.size() >= kRecordHead &&
         has_sum(crc32c(head.substr(0, kLengthBytes)), head.substr(kLengthBytes, kSumBytes));
}

RecordFile::RecordFile(const std::filesystem::path& path)
    : path_(path.string()), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
  if (!file_) {
    throw ConfigError("cannot read " + path_ + ": " + std::generic_category().message(errno));
  }
}

RecordFile::RecordFile(std::string_view bytes, std::string name)
    : path_(std::move(name)),
      // Opened for reading, so nothing is written there.
      file_(fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "rb"), &std::fclose) {
  if (!file_) {
    throw ConfigError("cannot read " + path_ + ": " + std::generic_category().message(errno));
  }
}

std::size_t RecordFile::read(char* into, std::size_t count) {
  const std::size_t got = std::fread(into, 1, count, file_.get());
  if (std::ferror(file_.get()) != 0) {
    throw ConfigError("cannot read " + path_ + ": " + std::generic_category().message(errno));
  }
  at_ += got;
  return got;
}

RecordFile::Status RecordFile::next() {
  offset_ = at_;
  std::array<char, kRecordHead> head{};
  const std::size_t got = read(head.data(), head.size());
  if (got == 0) return Status::end;
  if (got < head.size()) return Status::cut;
  const std::string_view bytes(head.data(), head.size());
  if (!begins_like_records(bytes)) return Status::damaged;
  return read_data(unsigned_of(bytes.substr(0, kLengthBytes)));
}

RecordFile::Status RecordFile::read_data(std::uint64_t length) {
  data_.clear();
  std::uint32_t crc = 0;
  std::array<char, 65536> chunk{};
  for (std::uint64_t left = length; left > 0;) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk.size()));
    const std::size_t got = read(chunk.data(), wanted);
    const std::string_view bytes(chunk.data(), got);
    crc = crc32c(bytes, crc);
    if (length <= kLargestRecord) data_ += bytes;
    if (got < wanted) return Status::cut;
    left -= got;
  }
  std::array<char, kSumBytes> sum{};
  if (read(sum.data(), sum.size()) < sum.size()) return Status::cut;
  if (!has_sum(crc, {sum.data(), sum.size()})) return Status::damaged;
  return length <= kLargestRecord ? Status::record : Status::skipped;
}

}  // namespace stcsim::curves
