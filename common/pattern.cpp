#include "common/pattern.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace stcsim {
namespace {

constexpr std::string_view kPairs = " pairs";
constexpr std::string_view kOutputs = " outputs";

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// The most granules of `hardware`, in its group that starts at `begin`, in which `tensor` allows
/// non-zeros.
///
/// Goes through them in ascending order and gives each a non-zero of the first group of `tensor`
/// that has one left: no later granule could use that one better. What one costs is 2 if a pair of
/// the tensor fills a pair of the hardware, else 1: also where a group of the hardware cuts a pair
/// of the tensor in two, because then either all elements can be non-zeros or n/2 whole pairs.
std::int64_t most_used_granules(Pattern tensor, Pattern hardware, std::int64_t begin) {
  const std::int64_t cost = hardware.granule % tensor.granule == 0 ? tensor.granule : 1;
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

std::int64_t bits_of_positions(std::int64_t positions) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(positions - 1)));
}

/// "n:m" with 1 <= n <= m <= kMaxGroup.
std::optional<Pattern> parse_flat(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto n = parse_positive(text.substr(0, colon));
  const auto m = parse_positive(text.substr(colon + 1));
  if (!n || !m || *n > *m || *m > kMaxGroup) return std::nullopt;
  return Pattern{*n, *m};
}

std::optional<Pattern> parse_composed(std::string_view blocks, std::string_view inside) {
  const auto outer = parse_flat(blocks);
  const auto inner = parse_flat(inside);
  if (!outer || !inner || inner->is_dense() || outer->m * inner->m > kMaxGroup) return std::nullopt;
  if (outer->is_dense()) return inner;
  return Pattern{outer->n * inner->n, outer->m * inner->m, inner->m, inner->n};
}

/// @param rows  what stands before the first colon
std::optional<Pattern> parse_blocks_of_rows(std::string_view rows, std::string_view in_each) {
  const auto block_rows = parse_positive(rows);
  auto pattern = parse_flat(in_each);
  if (!block_rows || *block_rows > kMaxBlockRows || !pattern) return std::nullopt;
  const Pattern selected = kOfSelectedColumns;
  if (pattern->n != selected.n || pattern->m < selected.m) return std::nullopt;
  if (*pattern != selected) pattern->block_rows = *block_rows;
  return pattern;
}

/// Compares groups of granules, whatever is kept inside them; `tensor` is not composed.
bool granules_fit(Pattern tensor, Pattern hardware) {
  const std::int64_t period = std::lcm(tensor.m, hardware.m);
  for (std::int64_t begin = 0; begin < period; begin += hardware.m) {
    if (most_used_granules(tensor, hardware, begin) > hardware.of_granules().n) return false;
  }
  return true;
}

bool flat_fits(Pattern tensor, Pattern hardware) {
  if (!granules_fit(tensor, hardware)) return false;
  return !hardware.is_composed() ||
         granules_fit(tensor, {hardware.kept_of_block, hardware.granule});
}

}  // namespace

std::int64_t Pattern::position_bits() const {
  return is_dense() ? 0 : bits_of_positions(m / granule);
}

std::int64_t Pattern::metadata_bits_per_group() const {
  const std::int64_t inside = is_composed() ? n * bits_of_positions(granule) : 0;
  return of_granules().n * position_bits() + inside;
}

std::string Pattern::to_string() const {
  if (is_dense()) return "dense";
  if (is_composed()) {
    return of_granules().to_string() + "x" + Pattern{kept_of_block, granule}.to_string();
  }
  std::string text = selects_columns() ? std::to_string(block_rows) + ":" : "";
  text += std::to_string(n) + ":" + std::to_string(m);
  if (granule == 2) text += kPairs;
  if (of_outputs) text += kOutputs;
  return text;
}

std::optional<Pattern> pattern_from_string(std::string_view text) {
  if (text == "dense") return kDense;
  if (text.ends_with(kOutputs)) {
    std::optional<Pattern> outputs = parse_flat(text.substr(0, text.size() - kOutputs.size()));
    if (outputs) outputs->of_outputs = !outputs->is_dense();
    return outputs && outputs->is_dense() ? kDense : outputs;
  }
  const std::size_t times = text.find('x');
  if (times != std::string_view::npos) {
    return parse_composed(text.substr(0, times), text.substr(times + 1));
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
    return parse_blocks_of_rows(text.substr(0, colon), text.substr(colon + 1));
  }
  std::int64_t granule = 1;
  if (text.ends_with(kPairs)) {
    granule = 2;
    text.remove_suffix(kPairs.size());
  }
  std::optional<Pattern> pattern = parse_flat(text);
  if (!pattern || pattern->n % granule != 0 || pattern->m % granule != 0) return std::nullopt;
  pattern->granule = granule;
  return pattern->is_dense() ? kDense : pattern;
}

std::optional<Pattern> operand_pattern_from_string(std::string_view text) {
  const std::optional<Pattern> pattern = pattern_from_string(text);
  return pattern && pattern->of_outputs ? std::nullopt : pattern;
}

bool fits(Pattern tensor, Pattern hardware) {
  tensor = tensor.of_rows();
  if (tensor == hardware) return true;
  if (tensor.of_outputs != hardware.of_outputs) return false;
  if (!tensor.is_composed()) return flat_fits(tensor, hardware);
  if (flat_fits({tensor.n, tensor.m}, hardware)) return true;
  if (flat_fits({tensor.kept_of_block, tensor.granule}, hardware)) return true;
  const bool has_same_blocks = hardware.is_composed() && hardware.granule == tensor.granule;
  return has_same_blocks && tensor.kept_of_block <= hardware.kept_of_block &&
         flat_fits(tensor.of_granules(), hardware.of_granules());
}

}  // namespace stcsim
