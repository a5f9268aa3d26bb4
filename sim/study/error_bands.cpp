#include "sim/study/error_bands.hpp"

#include <algorithm>

#include "common/data_type.hpp"

namespace stcsim {

GemmRegime regime_of(std::int64_t m, std::int64_t n, double time_us) {
  const bool is_short = time_us < kShortUs;
  if (std::min(m, n) <= kFewColumns) return is_short ? GemmRegime::few_short : GemmRegime::few_long;
  return is_short ? GemmRegime::many_short : GemmRegime::many_long;
}

std::string bits_of_type(std::string_view dtype) {
  constexpr std::int64_t kElements = 8;  // whose bytes are the bits of one
  const auto type = data_type_from_string(dtype);
  return type ? std::to_string(bytes_of(*type, kElements)) : "";
}

}  // namespace stcsim
