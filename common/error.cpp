#include "common/error.hpp"

#include <algorithm>
#include <cctype>

namespace stcsim {

namespace {

constexpr std::string_view kGap = "…";
constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kLongestPath = 255;
constexpr std::size_t kLongestMessage = 2000;
/// PATH_MAX of Linux: a place in such a file stays whole, so that editors find it.
constexpr std::size_t kLongestFile = 4095;

bool continues_character(char letter) {
  return (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U;
}

bool is_letter(char one) {
  return std::isalnum(static_cast<unsigned char>(one)) != 0;
}

/// Cuts what has no blank: paths stand without quotes too.
std::string with_short_words(std::string_view text) {
  std::string cut;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    cut += excerpt(text.substr(at, end - at), kLongestPath);
    if (end < text.size()) cut += ' ';
    at = end + 1;
  }
  return cut;
}

/// The next quote that opens: an apostrophe inside a word does not.
std::size_t find_opening(std::string_view text, std::size_t from) {
  std::size_t at = text.find('\'', from);
  while (at != std::string_view::npos && at > 0 && is_letter(text[at - 1])) {
    at = text.find('\'', at + 1);
  }
  return at;
}

/// The quote that closes the one at `open`; npos if there is none.
std::size_t find_closing(std::string_view text, std::size_t open) {
  if (open == std::string_view::npos) return open;
  std::size_t at = text.find('\'', open + 1);
  while (at != std::string_view::npos && at + 1 < text.size() && is_letter(text[at + 1])) {
    at = text.find('\'', at + 1);
  }
  return at;
}

}  // namespace

std::string SourceLocation::to_string() const {
  std::string text = file.size() <= kLongestFile ? file : excerpt(file, kLongestPath);
  if (line > 0) text += ":" + std::to_string(line);
  if (line > 0 && column > 0) text += ":" + std::to_string(column);
  return text;
}

ConfigError::ConfigError(const std::string& message)
    : std::runtime_error("error: " + cut_to_read(message)) {}

ConfigError::ConfigError(const SourceLocation& where, const std::string& message)
    : std::runtime_error(where.to_string() + ": error: " + cut_to_read(message)) {}

std::string excerpt(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  const std::size_t shown = longest - kGap.size();
  std::size_t head = shown - shown / 3;
  std::size_t tail = text.size() - shown / 3;
  while (head > 0 && continues_character(text[head])) --head;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)).append(kGap).append(text.substr(tail));
}

std::string cut_to_read(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t open = find_opening(message, at);
    const std::size_t close = find_closing(message, open);
    if (close == std::string_view::npos) {
      text += with_short_words(message.substr(at));
      break;
    }
    const std::string_view quote = message.substr(open + 1, close - open - 1);
    const bool is_path = quote.find('/') != std::string_view::npos;
    text.append(with_short_words(message.substr(at, open - at))).append("'");
    text.append(excerpt(quote, is_path ? kLongestPath : kLongestQuote)).append("'");
    at = close + 1;
  }
  return excerpt(text, kLongestMessage);
}

}  // namespace stcsim
