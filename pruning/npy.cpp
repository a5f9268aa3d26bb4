#include "pruning/npy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw ConfigError({file.string()}, what);
}

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail(file, "is a directory, not a NumPy file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file, "cannot be read: " + std::generic_category().message(errno));
  std::string bytes;
  std::vector<char> chunk(kChunkBytes);
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())),
         stream.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (!bytes.starts_with(kMagic)) break;  // to be refused, however long it is
    if (bytes.size() > kLargestNpy) {
      fail(file, fmt::format("is larger than {} GiB, the most that is read", kLargestNpy >> 30U));
    }
  }
  return bytes;
}

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

/// Splits a file into the header's text and the data.
struct Parts {
  std::string_view header;
  std::string_view data;
};

Parts split(std::string_view bytes, const std::filesystem::path& file) {
  constexpr std::size_t kVersionEnd = 8;
  if (!bytes.starts_with(kMagic) || bytes.size() < kVersionEnd + 4) {
    fail(file,
         "is not a NumPy file (.npy): it does not begin with \\x93NUMPY, a version and a "
         "header");
  }
  const std::uint32_t major = byte_at(bytes, 6);
  const std::uint32_t minor = byte_at(bytes, 7);
  if ((major != 1 && major != 2) || minor != 0) {
    fail(file, fmt::format("is a NumPy file of version {}.{}, must be 1.0 or 2.0", major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{byte_at(bytes, kVersionEnd + i)} << (8 * i);
  }
  const std::string_view rest = bytes.substr(kVersionEnd + length_bytes);
  if (rest.size() < length) {
    fail(file, fmt::format("ends within its NumPy header of {} bytes", length));
  }
  return {rest.substr(0, length), rest.substr(length)};
}

/// The header of a NumPy file.
struct NpyHeader {
  std::string type;  // as NumPy writes it, "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the dictionary in a header, literals of Python: exactly the keys 'descr',
/// 'fortran_order' and 'shape', in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::filesystem::path& file)
      : text_(text), file_(file) {}

  /// @throws ConfigError naming the file and the place for anything else
  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = text_literal();
      if (!seen.insert(key).second) fail("the key '" + key + "' is there twice");
      expect(':');
      read_value(key, header);
      if (accept('}')) break;
      expect(',');
    }
    skip_blanks();
    if (at_ != text_.size()) fail("something follows the closing brace");
    for (const char* const key : {"descr", "fortran_order", "shape"}) {
      if (!seen.contains(key)) fail(fmt::format("the key '{}' is missing", key));
    }
    return header;
  }

 private:
  void read_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.type = text_literal();
    } else if (key == "fortran_order") {
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      fail("unknown key '" + key + "'; there may be 'descr', 'fortran_order' and 'shape'");
    }
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }

  std::string text_literal() {
    skip_blanks();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'' && !accept('\'')) fail("a quoted text is missing");
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a quoted text does not end");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("'fortran_order' is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(whole_number());
      if (accept(')')) break;
      expect(',');
    }
    return extents;
  }

  std::int64_t whole_number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) fail("'shape' has something that is no extent");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(
        {file_.string()},
        fmt::format("the NumPy header is damaged at its character {}: {}", at_, what));
  }

  std::string_view text_;
  const std::filesystem::path& file_;
  std::size_t at_ = 0;
};

std::size_t bytes_of_number(const NpyHeader& header, const std::filesystem::path& file) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 5> kTypes{
      {{"<f4", 4}, {"<f2", 2}, {"|u1", 1}, {"<i4", 4}, {"<i8", 8}}};
  const auto found = std::ranges::find(kTypes, header.type, &decltype(kTypes)::value_type::first);
  if (found != kTypes.end()) return found->second;
  fail(file, fmt::format("has elements of type '{}', must be '<f4', '<f2', '|u1' (bytes), '<i4' or "
                         "'<i8'; in NumPy: array.astype('<f4')",
                         header.type));
}

std::size_t bytes_per_element(const NpyHeader& header, const std::filesystem::path& file) {
  if (header.type == "<f4") return 4;
  if (header.type == "<f2") return 2;
  fail(file, fmt::format("has elements of type '{}', must be '<f4' (fp32) or '<f2' (fp16); in "
                         "NumPy: array.astype('<f4')",
                         header.type));
}

/// Bytes the shape asks for; nothing if that is beyond what a file can have.
std::optional<std::size_t> data_size(const NpyHeader& header, std::size_t element_bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 4;
  std::size_t size = element_bytes;
  for (const std::int64_t extent : header.shape) {
    if (static_cast<std::size_t>(extent) > kMost / size) return std::nullopt;
    size *= static_cast<std::size_t>(extent);
  }
  return size;
}

void check_shape(const NpyHeader& header, std::size_t element_bytes, std::size_t got,
                 const std::filesystem::path& file) {
  const auto& shape = header.shape;
  if (shape.empty()) fail(file, "has no axis (a single number), must have at least one");
  if (std::ranges::count(shape, 0) > 0) {
    fail(file, "has the shape " + shape_text(shape) + ", every axis needs at least one element");
  }
  const std::optional<std::size_t> wanted = data_size(header, element_bytes);
  if (wanted == got) return;
  fail(file,
       fmt::format("has {} bytes of data, its shape {} of '{}' asks for {}", got, shape_text(shape),
                   header.type, wanted ? std::to_string(*wanted) : "more than any file has"));
}

template <typename Value>
Value value_at(std::string_view data, std::size_t index) {
  Value value{};
  std::memcpy(&value, data.data() + sizeof value * index, sizeof value);
  return value;
}

float element_at(std::string_view data, std::size_t index, std::string_view type) {
  if (type == "<f4") return value_at<float>(data, index);
  if (type == "<f2") return half_to_float(value_at<std::uint16_t>(data, index));
  if (type == "|u1") return value_at<std::uint8_t>(data, index);
  if (type == "<i4") return static_cast<float>(value_at<std::int32_t>(data, index));
  return static_cast<float>(value_at<std::int64_t>(data, index));
}

/// Values of a Fortran-ordered array, whose first axis is contiguous, in C order.
std::vector<float> from_fortran(const std::vector<float>& values,
                                const std::vector<std::int64_t>& shape) {
  std::vector<float> ordered;
  ordered.reserve(values.size());
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t count = 0; count < values.size(); ++count) {
    std::int64_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;)
      offset = offset * shape[axis] + position[axis];
    ordered.push_back(values[static_cast<std::size_t>(offset)]);
    for (std::size_t axis = shape.size(); axis-- > 0 && ++position[axis] == shape[axis];) {
      position[axis] = 0;
    }
  }
  return ordered;
}

TypedNumbers read(const std::filesystem::path& file,
                  std::size_t (*element_bytes_of)(const NpyHeader&, const std::filesystem::path&)) {
  const std::string bytes = read_bytes(file);
  const Parts parts = split(bytes, file);
  const NpyHeader header = HeaderParser(parts.header, file).parse();
  const std::size_t element_bytes = element_bytes_of(header, file);
  check_shape(header, element_bytes, parts.data.size(), file);
  Tensor tensor{header.shape, std::vector<float>(parts.data.size() / element_bytes)};
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    tensor.values[i] = element_at(parts.data, i, header.type);
  }
  if (header.fortran_order) tensor.values = from_fortran(tensor.values, tensor.shape);
  return {std::move(tensor), header.type};
}

template <typename Value>
std::string text_of(std::string_view type, const std::vector<std::int64_t>& shape,
                    std::span<const Value> values) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kPrefix = 10;  // magic, version, length
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}, ", extent);
  extents.resize(extents.size() - (shape.size() == 1 ? 1 : 2));
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, extents);
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  text += header;
  const std::size_t begin = text.size();
  text.resize(begin + values.size_bytes());
  std::memcpy(text.data() + begin, values.data(), values.size_bytes());
  return text;
}

}  // namespace

Tensor read_npy(const std::filesystem::path& file) {
  return read(file, &bytes_per_element).numbers;
}

TypedNumbers read_npy_numbers(const std::filesystem::path& file) {
  return read(file, &bytes_of_number);
}

std::string npy_text(const std::vector<std::int64_t>& shape, std::span<const float> values) {
  return text_of("<f4", shape, values);
}

std::string npy_text(const std::vector<std::int64_t>& shape,
                     std::span<const std::uint32_t> values) {
  return text_of("<u4", shape, values);
}

std::string npy_text(const std::vector<std::int64_t>& shape, std::span<const std::int64_t> values) {
  return text_of("<i8", shape, values);
}

}  // namespace stcsim::pruning
