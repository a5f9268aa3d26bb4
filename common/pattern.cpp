#include "common/pattern.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace stcsim {
namespace {

constexpr std::string_view kPairs = " pairs";

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// Of the granules of `hardware` in its group that starts at `begin`, the most in which `tensor`
/// allows non-zeros.
///
/// Goes through them in ascending order and gives each a non-zero of the first group of `tensor`
/// that has one left: no later granule could use that one better. What one costs is 2 if a pair of
/// the tensor fills a pair of the hardware, else 1: also where a group of the hardware cuts a pair
/// of the tensor in two, because then either all elements can be non-zeros or n/2 whole pairs.
std::int64_t most_used_granules(Pattern tensor, Pattern hardware, std::int64_t begin) {
  const std::int64_t cost = std::min(tensor.granule, hardware.granule);
  std::int64_t used = 0;
  std::int64_t group = -1;
  std::int64_t left = 0;
  for (std::int64_t granule = 0; granule < hardware.m; granule += hardware.granule) {
    for (std::int64_t at = begin + granule; at < begin + granule + hardware.granule; ++at) {
      if (at / tensor.m != group) {
        group = at / tensor.m;
        left = tensor.n;
      }
      if (left == 0) continue;
      left -= cost;
      ++used;
      break;
    }
  }
  return used;
}

}  // namespace

std::int64_t Pattern::position_bits() const {
  if (is_dense()) return 0;
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(m / granule - 1)));
}

std::int64_t Pattern::metadata_bits_per_group() const {
  return n / granule * position_bits();
}

std::string Pattern::to_string() const {
  if (is_dense()) return "dense";
  std::string text = std::to_string(n) + ":" + std::to_string(m);
  if (granule == 2) text += kPairs;
  return text;
}

std::optional<Pattern> pattern_from_string(std::string_view text) {
  if (text == "dense") return kDense;
  Pattern pattern;
  if (text.ends_with(kPairs)) {
    pattern.granule = 2;
    text.remove_suffix(kPairs.size());
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto n = parse_positive(text.substr(0, colon));
  const auto m = parse_positive(text.substr(colon + 1));
  if (!n || !m || *n > *m || *m > kMaxGroup) return std::nullopt;
  if (*n % pattern.granule != 0 || *m % pattern.granule != 0) return std::nullopt;
  pattern.n = *n;
  pattern.m = *m;
  return pattern.is_dense() ? kDense : pattern;
}

bool fits(Pattern tensor, Pattern hardware) {
  const std::int64_t period = std::lcm(tensor.m, hardware.m);
  for (std::int64_t begin = 0; begin < period; begin += hardware.m) {
    if (most_used_granules(tensor, hardware, begin) > hardware.n / hardware.granule) return false;
  }
  return true;
}

}  // namespace stcsim
