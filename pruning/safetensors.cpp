#include "pruning/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/problems.hpp"
#include "pruning/npy.hpp"

namespace stcsim::pruning {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = std::uint64_t{64} << 20U;

/// Bits of an element of a type; 0 if it is none.
std::uint64_t bits_of_type(const std::string& type) {
  static const std::map<std::string, std::uint64_t, std::less<>> known{
      {"BOOL", 8}, {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
      {"U16", 16}, {"I16", 16}, {"F16", 16}, {"BF16", 16},   {"U32", 32},    {"I32", 32},
      {"F32", 32}, {"U64", 64}, {"I64", 64}, {"F64", 64},    {"F4", 4}};
  const auto found = known.find(type);
  return found == known.end() ? 0 : found->second;
}

bool read_sizes(const ordered_json& list, auto& sizes) {
  if (!list.is_array()) return false;
  for (const ordered_json& size : list) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::uint64_t{1} << 62)
      return false;
    sizes.push_back(size.get<typename std::remove_reference_t<decltype(sizes)>::value_type>());
  }
  return true;
}

/// One entry of the header; what is wrong with it goes to `problems`.
StoredTensor read_tensor(const std::string& name, const ordered_json& entry, Problems& problems) {
  StoredTensor tensor;
  tensor.name = name;
  std::vector<std::uint64_t> offsets;
  const bool is_whole = entry.is_object() && entry.contains("dtype") && entry.contains("shape") &&
                        entry.contains("data_offsets") && entry.at("dtype").is_string() &&
                        read_sizes(entry.at("shape"), tensor.shape) &&
                        read_sizes(entry.at("data_offsets"), offsets) && offsets.size() == 2 &&
                        offsets[0] <= offsets[1];
  if (!is_whole) {
    problems.add(fmt::format("tensor '{}' must have dtype, shape and data_offsets", name));
    return tensor;
  }
  tensor.type = entry.at("dtype").get<std::string>();
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  std::uint64_t bits = bits_of_type(tensor.type);
  if (bits == 0) problems.add(fmt::format("tensor '{}' has type '{}'", name, tensor.type));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  for (const std::int64_t size : tensor.shape) {
    const auto extent = static_cast<std::uint64_t>(size);
    bits = extent != 0 && bits > kMost / extent ? kMost : bits * extent;
  }
  if ((bits + 7) / 8 != tensor.end - tensor.begin) {
    problems.add(fmt::format("tensor '{}' of shape [{}] and type {} has {} bytes", name,
                             fmt::join(tensor.shape, ", "), tensor.type,
                             tensor.end - tensor.begin));
  }
  return tensor;
}

std::string read_header_bytes(const std::filesystem::path& file, std::uint64_t size,
                              Problems& problems) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(kLengthBytes, '\0');
  if (!stream.read(bytes.data(), kLengthBytes)) problems.fail("it is shorter than a header");
  std::uint64_t length = 0;
  for (std::size_t at = kLengthBytes; at-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[at]);
  }
  if (length > kLongestHeader || length + kLengthBytes > size) {
    problems.fail(fmt::format("its header of {} bytes is longer than the file or 64 MiB", length));
  }
  bytes.resize(kLengthBytes + length);
  if (!stream.read(bytes.data() + kLengthBytes, static_cast<std::streamsize>(length))) {
    problems.fail("its header cannot be read");
  }
  return bytes;
}

/// fp32 to fp16, to the nearest, ties to even: scaled so that fp16's last place is that of whole
/// numbers.
std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  // NaN keeps the top of its payload.
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U | (bits >> 13U & 0x3ffU));
  constexpr float kOverflow = 65520;
  if (std::fabs(value) >= kOverflow) return static_cast<std::uint16_t>(sign | 0x7c00U);
  const int exponent = std::max(-14, static_cast<int>(bits >> 23U & 0xffU) - 127);
  const float places = std::nearbyint(std::ldexp(std::fabs(value), 10 - exponent));
  return static_cast<std::uint16_t>((sign | static_cast<std::uint32_t>(exponent + 14) << 10U) +
                                    static_cast<std::uint32_t>(places));
}

std::uint16_t bfloat_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

}  // namespace

SafetensorsHeader read_safetensors_header(const std::filesystem::path& file) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) throw ConfigError({file.string()}, "cannot be read: " + error.message());
  Problems problems(file.string(), "safetensors");
  SafetensorsHeader header{read_header_bytes(file, size, problems), {}};
  const ordered_json map =
      parse_json(std::string_view(header.bytes).substr(kLengthBytes), file.string());
  if (!map.is_object()) problems.fail("its header is no map");
  for (const auto& [name, entry] : map.items()) {
    if (name != "__metadata__") header.tensors.push_back(read_tensor(name, entry, problems));
  }
  std::ranges::stable_sort(header.tensors, {}, &StoredTensor::begin);
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : header.tensors) {
    if (!problems.any() && tensor.begin != at) {
      problems.add(
          fmt::format("tensor '{}' begins at byte {}, must at {}", tensor.name, tensor.begin, at));
    }
    at = tensor.end;
  }
  if (!problems.any() && header.bytes.size() + at != size) {
    problems.add(
        fmt::format("it has {} bytes, its tensors need {}", size, header.bytes.size() + at));
  }
  problems.refuse();
  return header;
}

std::vector<float> decoded(std::string_view bytes, std::string_view type) {
  const std::size_t size = type == "F32" ? 4 : 2;
  std::vector<float> values(bytes.size() / size);
  if (type == "F32") {
    std::memcpy(values.data(), bytes.data(), values.size() * size);
    return values;
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    std::uint16_t word = 0;
    std::memcpy(&word, bytes.data() + at * size, size);
    values[at] = type == "F16" ? half_to_float(word)
                               : std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16U);
  }
  return values;
}

std::string encoded(const std::vector<float>& values, std::string_view type) {
  const std::size_t size = type == "F32" ? 4 : 2;
  std::string bytes(values.size() * size, '\0');
  if (type == "F32") {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::uint16_t word = type == "F16" ? half_of(values[at]) : bfloat_of(values[at]);
    std::memcpy(bytes.data() + at * size, &word, size);
  }
  return bytes;
}

}  // namespace stcsim::pruning
