#pragma once

#include <algorithm>
#include <cctype>
#include <string>
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

/// The letters and digits of a text, in lower case: what is left of a name however it is written.
[[nodiscard]] inline std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char one : text) {
    const auto letter = static_cast<unsigned char>(one);
    if (std::isalnum(letter) != 0) letters += static_cast<char>(std::tolower(letter));
  }
  return letters;
}

}  // namespace stcsim
