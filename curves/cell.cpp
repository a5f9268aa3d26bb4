#include "curves/cell.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/letter_case.hpp"

namespace stcsim::curves {

Cell read_cell(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNoValue{"", "NA", "N/A", "null", "None", "-"};
  const bool none = std::any_of(kNoValue.begin(), kNoValue.end(), [text](std::string_view known) {
    return same_but_case(known, text);
  });
  if (none) return {};
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop != end || error != std::errc{}) return {Cell::Kind::text, 0};
  return {Cell::Kind::number, number};
}

}  // namespace stcsim::curves
