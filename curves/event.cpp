#include <bit>
#include <limits>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "curves/read_runs.hpp"

namespace stcsim::curves {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// A field's number and how it is coded, as one figure.
constexpr std::uint32_t tag_of(std::uint32_t field, WireFormatLite::WireType type) {
  return field << 3U | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t varint(std::uint32_t field) {
  return tag_of(field, WireFormatLite::WIRETYPE_VARINT);
}
constexpr std::uint32_t bits64(std::uint32_t field) {
  return tag_of(field, WireFormatLite::WIRETYPE_FIXED64);
}
constexpr std::uint32_t bits32(std::uint32_t field) {
  return tag_of(field, WireFormatLite::WIRETYPE_FIXED32);
}
constexpr std::uint32_t bytes(std::uint32_t field) {
  return tag_of(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

bool read_float(CodedInputStream& input, double& value) {
  std::uint32_t bits = 0;
  if (!input.ReadLittleEndian32(&bits)) return false;
  value = static_cast<double>(std::bit_cast<float>(bits));
  return true;
}

bool read_double(CodedInputStream& input, double& value) {
  std::uint64_t bits = 0;
  if (!input.ReadLittleEndian64(&bits)) return false;
  value = std::bit_cast<double>(bits);
  return true;
}

bool read_text(CodedInputStream& input, std::string& text) {
  std::uint32_t length = 0;
  return input.ReadVarint32(&length) &&
         length <= static_cast<std::uint32_t>(std::numeric_limits<int>::max()) &&
         input.ReadString(&text, static_cast<int>(length));
}

/// Calls take(tag) for every field of a message; one that takes none of it is skipped.
/// @param take returns false if the field is malformed, nothing if it is not wanted
template <class Take>
bool read_fields(CodedInputStream& input, Take take) {
  while (const std::uint32_t tag = input.ReadTag()) {
    const std::optional<bool> taken = take(tag);
    if (!taken.value_or(true)) return false;
    if (!taken && !WireFormatLite::SkipField(&input, tag)) return false;
  }
  return input.ConsumedEntireMessage();
}

/// The same for a message inside a message.
template <class Take>
bool read_message(CodedInputStream& input, Take take) {
  std::uint32_t length = 0;
  if (!input.ReadVarint32(&length) || input.BytesUntilLimit() < 0 ||
      length > static_cast<std::uint32_t>(input.BytesUntilLimit())) {
    return false;
  }
  const CodedInputStream::Limit limit = input.PushLimit(static_cast<int>(length));
  const bool well = read_fields(input, take);
  input.PopLimit(limit);
  return well;
}

/// TensorProto of one number: its type, and where the number is.
struct Tensor {
  static constexpr std::uint64_t kFloat = 1;
  static constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  std::string content;
  std::vector<double> values;

  [[nodiscard]] std::optional<double> scalar() const {
    if (values.size() == 1 && content.empty()) return values.front();
    if (!values.empty()) return std::nullopt;
    double value = 0;
    CodedInputStream input(reinterpret_cast<const std::uint8_t*>(content.data()),
                           static_cast<int>(content.size()));
    if (type == kFloat && content.size() == 4 && read_float(input, value)) return value;
    if (type == kDouble && content.size() == 8 && read_double(input, value)) return value;
    return std::nullopt;
  }
};

/// The number of a repeated field, which may stand alone or, packed, with others.
template <class Read>
bool read_packed(CodedInputStream& input, std::vector<double>& values, Read read) {
  std::uint32_t length = 0;
  if (!input.ReadVarint32(&length) || input.BytesUntilLimit() < 0 ||
      length > static_cast<std::uint32_t>(input.BytesUntilLimit())) {
    return false;
  }
  const CodedInputStream::Limit limit = input.PushLimit(static_cast<int>(length));
  bool well = true;
  while (well && input.BytesUntilLimit() > 0) {
    double value = 0;
    well = read(input, value);
    if (well) values.push_back(value);
  }
  input.PopLimit(limit);
  return well;
}

bool read_tensor(CodedInputStream& input, Tensor& tensor) {
  const auto one = [&](auto read) -> std::optional<bool> {
    double value = 0;
    if (!read(input, value)) return false;
    tensor.values.push_back(value);
    return true;
  };
  return read_message(input, [&](std::uint32_t tag) -> std::optional<bool> {
    switch (tag) {
      case varint(1):
        return input.ReadVarint64(&tensor.type);
      case bytes(4):
        return read_text(input, tensor.content);
      case bits32(5):
        return one(read_float);
      case bytes(5):
        return read_packed(input, tensor.values, read_float);
      case bits64(6):
        return one(read_double);
      case bytes(6):
        return read_packed(input, tensor.values, read_double);
      default:
        return std::nullopt;
    }
  });
}

/// Summary.Value: a tag, and a number or a tensor.
bool read_value(CodedInputStream& input, Event& event) {
  Event::Scalar scalar;
  std::optional<double> number;
  const bool well = read_message(input, [&](std::uint32_t tag) -> std::optional<bool> {
    switch (tag) {
      case bytes(1):
        return read_text(input, scalar.tag);
      case bits32(2): {
        double value = 0;
        if (!read_float(input, value)) return false;
        number = value;
        return true;
      }
      case bytes(8): {
        Tensor tensor;
        if (!read_tensor(input, tensor)) return false;
        number = tensor.scalar();
        return true;
      }
      default:
        return std::nullopt;
    }
  });
  if (well && number) {
    scalar.value = *number;
    event.scalars.push_back(std::move(scalar));
  }
  return well;
}

bool read_summary(CodedInputStream& input, Event& event) {
  return read_message(input, [&](std::uint32_t tag) -> std::optional<bool> {
    if (tag != bytes(1)) return std::nullopt;
    return read_value(input, event);
  });
}

bool read_session_log(CodedInputStream& input, Event& event) {
  constexpr std::uint64_t kStart = 1;
  return read_message(input, [&](std::uint32_t tag) -> std::optional<bool> {
    if (tag != varint(1)) return std::nullopt;
    std::uint64_t status = 0;
    if (!input.ReadVarint64(&status)) return false;
    event.session_start = status == kStart;
    return true;
  });
}

}  // namespace

std::optional<Event> parse_event(std::string_view data) {
  CodedInputStream input(reinterpret_cast<const std::uint8_t*>(data.data()),
                         static_cast<int>(data.size()));
  const CodedInputStream::Limit limit = input.PushLimit(static_cast<int>(data.size()));
  Event event;
  const bool well = read_fields(input, [&](std::uint32_t tag) -> std::optional<bool> {
    switch (tag) {
      case bits64(1):
        return read_double(input, event.wall_time);
      case varint(2): {
        std::uint64_t step = 0;
        if (!input.ReadVarint64(&step)) return false;
        event.step = static_cast<std::int64_t>(step);
        return true;
      }
      case bytes(3):
        return read_text(input, event.file_version);
      case bytes(5):
        return read_summary(input, event);
      case bytes(7):
        return read_session_log(input, event);
      default:
        return std::nullopt;
    }
  });
  input.PopLimit(limit);
  if (!well) return std::nullopt;
  return event;
}

}  // namespace stcsim::curves
