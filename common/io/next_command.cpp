#include "common/io/next_command.hpp"

#include <string_view>

#include <fmt/format.h>

namespace stcsim {

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/+@%=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char character : text) {
    word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return word + "'";
}

std::string next_lines(const std::vector<std::string>& parts, std::size_t width) {
  constexpr std::string_view kBreak = " \\";
  constexpr std::string_view kContinued = "   ";
  std::string text = "next:";
  std::size_t column = text.size();
  for (const std::string& part : parts) {
    const std::size_t length = 1 + display_width(part);
    if (column + length + kBreak.size() > width) {
      text += fmt::format("{}\n{}", kBreak, kContinued);
      column = kContinued.size();
    }
    text += " " + part;
    column += length;
  }
  return text + "\n";
}

}  // namespace stcsim
