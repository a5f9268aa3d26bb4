#include "pruning/generated_input.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>

#include "common/error.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 32;

/// The extents in "4x5x6", or nothing if malformed or too many elements.
std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extent < 1 || extent > kMostElements / elements) {
      return std::nullopt;
    }
    elements *= extent;
    shape.push_back(extent);
    if (stop == end) return shape;
    if (*stop != 'x') return std::nullopt;
    at = stop + 1;
  }
}

void fill_normal(std::vector<float>& values, RandomStream stream) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(stream.uniform(i)));
    const double angle = 2 * std::numbers::pi * stream.uniform(i + 1);
    values[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < values.size()) values[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

void fill_uniform(std::vector<float>& values, RandomStream stream) {
  stream.fill(0, values);
  for (float& value : values) value = 2 * value - 1;
}

}  // namespace

bool is_generated_input(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char letter) { return std::isalpha(letter) != 0; });
}

Tensor generated_input(std::string_view text, std::uint64_t seed, Purpose purpose) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const auto shape = parse_shape(text.substr(std::min(colon, text.size() - 1) + 1));
  if (!shape || (kind != "normal" && kind != "uniform" && kind != "constant")) {
    throw ConfigError("the generated input is '" + std::string(text) +
                      "', must be normal:SHAPE, uniform:SHAPE or constant:SHAPE with a shape of at "
                      "most 2^32 elements, e.g. normal:1024x1024");
  }
  Tensor tensor{*shape, std::vector<float>(static_cast<std::size_t>(element_count(*shape)), 1.0F)};
  const RandomStream stream(seed, purpose);
  if (kind == "normal") fill_normal(tensor.values, stream);
  if (kind == "uniform") fill_uniform(tensor.values, stream);
  return tensor;
}

}  // namespace stcsim::pruning
