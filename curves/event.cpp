#include <bit>
#include <cstring>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "curves/tensorboard.hpp"

namespace stcsim::curves {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// A field of a message: the bits of a number, or bytes.
struct WireField {
  int number = 0;
  WireFormatLite::WireType type = WireFormatLite::WIRETYPE_VARINT;
  std::uint64_t bits = 0;
  std::string_view bytes{};

  [[nodiscard]] bool is_number(int field) const {
    return number == field && type == WireFormatLite::WIRETYPE_VARINT;
  }
  [[nodiscard]] bool is_bytes(int field) const {
    return number == field && type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  }
};

CodedInputStream stream_of(std::string_view bytes) {
  return CodedInputStream{reinterpret_cast<const std::uint8_t*>(bytes.data()),
                          static_cast<int>(bytes.size())};
}

/// Reads what follows a tag. @return whether it is well-formed
bool read_content(CodedInputStream& input, std::string_view message, WireField& field) {
  switch (field.type) {
    case WireFormatLite::WIRETYPE_VARINT:
      return input.ReadVarint64(&field.bits);
    case WireFormatLite::WIRETYPE_FIXED64:
      return input.ReadLittleEndian64(&field.bits);
    case WireFormatLite::WIRETYPE_FIXED32: {
      std::uint32_t bits = 0;
      const bool well = input.ReadLittleEndian32(&bits);
      field.bits = bits;
      return well;
    }
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
      int length = 0;
      if (!input.ReadVarintSizeAsInt(&length)) return false;
      const auto at = static_cast<std::size_t>(input.CurrentPosition());
      field.bytes = message.substr(at, static_cast<std::size_t>(length));
      return input.Skip(length);
    }
    default:  // groups, which none of the messages has
      return WireFormatLite::SkipField(&input, WireFormatLite::MakeTag(field.number, field.type));
  }
}

/// Calls take(field) for every field of a message.
/// @return whether the message is well-formed, and all that take() returns is true
template <class Take>
bool read_fields(std::string_view message, Take take) {
  CodedInputStream input = stream_of(message);
  while (const std::uint32_t tag = input.ReadTag()) {
    WireField field{WireFormatLite::GetTagFieldNumber(tag), WireFormatLite::GetTagWireType(tag)};
    if (!read_content(input, message, field) || !take(field)) return false;
  }
  return input.ConsumedEntireMessage();
}

/// Appends the number of a repeated field, or its numbers, packed. @return whether they are whole
template <class Number>
bool read_numbers(const WireField& field, std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::string_view left = field.bytes;
  constexpr auto kSingle = sizeof(Number) == sizeof(std::uint32_t)
                               ? WireFormatLite::WIRETYPE_FIXED32
                               : WireFormatLite::WIRETYPE_FIXED64;
  if (field.type == kSingle) {
    left = {reinterpret_cast<const char*>(&field.bits), sizeof(Number)};
  }
  for (; left.size() >= sizeof(Number); left.remove_prefix(sizeof(Number))) {
    Number number{};
    std::memcpy(&number, left.data(), sizeof(number));
    values.push_back(static_cast<double>(number));
  }
  return left.empty();
}

/// The number of a TensorProto that has one; nothing of others.
/// @param well  whether the message is well-formed
std::optional<double> read_tensor(std::string_view message, bool& well) {
  constexpr std::uint64_t kFloat = 1;
  constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  WireField content{0, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, 0, ""};
  std::vector<double> values;
  well = read_fields(message, [&](const WireField& field) {
    if (field.is_number(1)) type = field.bits;
    if (field.is_bytes(4)) content.bytes = field.bytes;
    if (field.number == 5) return read_numbers<float>(field, values);
    return field.number != 6 || read_numbers<double>(field, values);
  });
  if (!content.bytes.empty()) {
    if (!values.empty()) return std::nullopt;
    if (type == kFloat) read_numbers<float>(content, values);
    if (type == kDouble) read_numbers<double>(content, values);
  }
  return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

/// Summary.Value: a tag, and a number or a tensor.
bool read_value(std::string_view message, Event& event) {
  std::string tag;
  std::optional<double> number;
  const bool well = read_fields(message, [&](const WireField& field) {
    bool is_tensor_well = true;
    if (field.is_bytes(1)) tag = field.bytes;
    if (field.number == 2 && field.type == WireFormatLite::WIRETYPE_FIXED32) {
      number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.bits)));
    }
    if (field.is_bytes(8)) number = read_tensor(field.bytes, is_tensor_well);
    return is_tensor_well;
  });
  if (well && number) event.scalars.push_back({std::move(tag), *number});
  return well;
}

}  // namespace

std::optional<Event> parse_event(std::string_view data) {
  constexpr std::uint64_t kStart = 1;
  Event event;
  const bool well = read_fields(data, [&](const WireField& field) {
    if (field.is_number(2)) event.step = static_cast<std::int64_t>(field.bits);
    if (field.is_bytes(5)) {
      return read_fields(field.bytes, [&](const WireField& value) {
        return !value.is_bytes(1) || read_value(value.bytes, event);
      });
    }
    return !field.is_bytes(7) || read_fields(field.bytes, [&](const WireField& status) {
      if (status.is_number(1)) event.session_start = status.bits == kStart;
      return true;
    });
  });
  return well ? std::optional(std::move(event)) : std::nullopt;
}

}  // namespace stcsim::curves
