#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace stcsim::test {

/// TensorBoard's event files byte by byte, as the protocol buffers' encoding and TensorFlow's
/// record_writer.cc lay them down; independent of the reader.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
  return text;
}

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7U) text += static_cast<char>((value & 127U) | 128U);
  return text + static_cast<char>(value);
}

inline std::string field(std::uint64_t number, std::uint64_t type) {
  return varint(number << 3U | type);
}
inline std::string number_field(std::uint64_t number, std::uint64_t value) {
  return field(number, 0) + varint(value);
}
inline std::string double_field(std::uint64_t number, double value) {
  return field(number, 1) + little_endian(std::bit_cast<std::uint64_t>(value), 8);
}
inline std::string float_bytes(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value), 4);
}
inline std::string float_field(std::uint64_t number, float value) {
  return field(number, 5) + float_bytes(value);
}
inline std::string bytes_field(std::uint64_t number, const std::string& bytes) {
  return field(number, 2) + varint(bytes.size()) + bytes;
}

/// CRC-32C bit by bit.
inline std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}
inline std::string masked_sum(const std::string& bytes) {
  const std::uint32_t crc = slow_crc(bytes);
  return little_endian((crc >> 15U | crc << 17U) + 0xA282EAD8U, 4);
}

inline std::string record(const std::string& data) {
  const std::string length = little_endian(data.size(), 8);
  return length + masked_sum(length) + data + masked_sum(data);
}

/// The first record of a file.
inline std::string version_record() {
  return record(double_field(1, 1600000000.0) + bytes_field(3, "brain.Event:2"));
}

/// An event as PyTorch's SummaryWriter.add_scalar() writes it: simple_value.
inline std::string scalar_record(std::uint64_t step, const std::string& tag, float value) {
  return record(double_field(1, 1600000000.5) + number_field(2, step) +
                bytes_field(5, bytes_field(1, bytes_field(1, tag) + float_field(2, value))));
}

/// One as TensorFlow 2's tf.summary.scalar() writes it: a tensor of no dimension and the plugin's
/// name.
inline std::string tensor_record(std::uint64_t step, const std::string& tag, float value) {
  const std::string tensor =
      number_field(1, 1) + bytes_field(2, "") + bytes_field(4, float_bytes(value));
  const std::string metadata = bytes_field(1, bytes_field(1, "scalars"));
  return record(double_field(1, 1600000000.5) + number_field(2, step) +
                bytes_field(5, bytes_field(1, bytes_field(1, tag) + bytes_field(8, tensor) +
                                                  bytes_field(9, metadata))));
}

/// SessionLog START, which PyTorch's SummaryWriter(purge_step=...) writes.
inline std::string start_record(std::uint64_t step) {
  return record(double_field(1, 1600000001.0) + number_field(2, step) +
                bytes_field(7, number_field(1, 1)));
}

}  // namespace stcsim::test
