#include "pruning/random_stream.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;
/// Counters worked on at once.
constexpr std::size_t kLanes = 32;

struct Counters {
  std::array<std::uint32_t, kLanes> words[4];
};

inline std::uint32_t high_half(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}

/// Ten rounds on every lane.
STCSIM_CLONES
void run_rounds(Counters& counters, std::uint32_t key0, std::uint32_t key1) {
  auto& [a, b, c, d] = counters.words;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t high0 = high_half(kMultiplier0, a[lane]);
      const std::uint32_t high1 = high_half(kMultiplier1, c[lane]);
      const std::uint32_t low0 = kMultiplier0 * a[lane];
      const std::uint32_t low1 = kMultiplier1 * c[lane];
      a[lane] = high1 ^ b[lane] ^ key0;
      b[lane] = low1;
      c[lane] = high0 ^ d[lane] ^ key1;
      d[lane] = low0;
    }
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
}

std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

inline float to_uniform(std::uint32_t word) {
  constexpr float kUnit = 1.0F / (1U << 23);
  return (static_cast<float>(static_cast<std::int32_t>(word >> 9)) + 0.5F) * kUnit;
}

/// The uniforms of every lane's four words, in order.
STCSIM_CLONES
void write_uniforms(const Counters& counters, float* uniforms) {
  const auto& [a, b, c, d] = counters.words;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    uniforms[4 * lane] = to_uniform(a[lane]);
    uniforms[4 * lane + 1] = to_uniform(b[lane]);
    uniforms[4 * lane + 2] = to_uniform(c[lane]);
    uniforms[4 * lane + 3] = to_uniform(d[lane]);
  }
}

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

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const auto [a, b, c, d] = counter;
    counter = {high_half(kMultiplier1, c) ^ b ^ key[0], kMultiplier1 * c,
               high_half(kMultiplier0, a) ^ d ^ key[1], kMultiplier0 * a};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint32_t RandomStream::word(std::uint64_t index) const {
  const std::uint64_t block = index / 4;
  const auto words =
      philox({low_word(block), high_word(block), draw_, static_cast<std::uint32_t>(purpose_)},
             {low_word(seed_), high_word(seed_)});
  return words.at(index % 4);
}

double RandomStream::uniform(std::uint64_t index) const {
  return (static_cast<double>(word(index)) + 0.5) * 0x1p-32;
}

void RandomStream::fill(std::uint64_t first, std::span<float> uniforms) const {
  std::array<float, 4 * kLanes> buffer{};
  std::uint64_t block = first / 4;
  std::size_t skip = first % 4;
  while (!uniforms.empty()) {
    Counters counters{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      counters.words[0][lane] = low_word(block + lane);
      counters.words[1][lane] = high_word(block + lane);
      counters.words[2][lane] = draw_;
      counters.words[3][lane] = static_cast<std::uint32_t>(purpose_);
    }
    run_rounds(counters, low_word(seed_), high_word(seed_));
    write_uniforms(counters, buffer.data());
    const std::size_t count = std::min(buffer.size() - skip, uniforms.size());
    std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(skip), count, uniforms.begin());
    uniforms = uniforms.subspan(count);
    block += kLanes;
    skip = 0;
  }
}

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
