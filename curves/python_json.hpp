#pragma once

#include <string>
#include <string_view>

namespace stcsim::curves {

/// JSON as Python writes it, with NaN, Infinity and -Infinity turned into texts ("", "inf", "-inf")
/// and blanks, so that every byte keeps its place.
[[nodiscard]] std::string without_bare_nan(std::string_view text);

}  // namespace stcsim::curves
