#include "common/pattern.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace stcsim {
namespace {

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// Most non-zeros `tensor` allows in the elements [begin, begin + length).
std::int64_t most_nonzeros(Pattern tensor, std::int64_t begin, std::int64_t length) {
  std::int64_t count = 0;
  for (std::int64_t at = begin; at < begin + length;) {
    const std::int64_t group_end = (at / tensor.m + 1) * tensor.m;
    const std::int64_t overlap = std::min(group_end, begin + length) - at;
    count += std::min(tensor.n, overlap);
    at += overlap;
  }
  return count;
}

}  // namespace

std::int64_t Pattern::metadata_bits_per_group() const {
  if (is_dense()) return 0;
  return n * static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(m - 1)));
}

std::string Pattern::to_string() const {
  return is_dense() ? "dense" : std::to_string(n) + ":" + std::to_string(m);
}

std::optional<Pattern> pattern_from_string(std::string_view text) {
  if (text == "dense") return kDense;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto n = parse_positive(text.substr(0, colon));
  const auto m = parse_positive(text.substr(colon + 1));
  if (!n || !m || *n > *m || *m > kMaxGroup) return std::nullopt;
  return *n == *m ? kDense : Pattern{*n, *m};
}

bool fits(Pattern tensor, Pattern hardware) {
  const std::int64_t period = std::lcm(tensor.m, hardware.m);
  for (std::int64_t begin = 0; begin < period; begin += hardware.m) {
    if (most_nonzeros(tensor, begin, hardware.m) > hardware.n) return false;
  }
  return true;
}

}  // namespace stcsim
