#pragma once

#include <algorithm>
#include <string_view>

namespace stcsim {

/// Whether two names are the same but for the case of ASCII letters.
[[nodiscard]] constexpr bool same_but_case(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char one, char other) { return lower(one) == lower(other); });
}

}  // namespace stcsim
