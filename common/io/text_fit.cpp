#include "common/io/text_fit.hpp"

#include <algorithm>

namespace stcsim {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kIndent = "  ";

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Where the code point of that number begins; the end if there is none.
std::size_t offset_of(std::string_view text, std::size_t code_point) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (continues_code_point(text[at])) continue;
    if (code_point-- == 0) break;
  }
  return at;
}

void wrap_line(std::string& wrapped, std::string_view line, std::size_t width) {
  if (display_width(line) <= width) {
    wrapped.append(line) += '\n';
    return;
  }
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  std::string indent(line.substr(0, start));
  const std::size_t taken = std::min(width, indent.size() + kIndent.size());
  for (const std::string& part : wrap_words(line.substr(start), width - taken)) {
    wrapped.append(indent).append(part) += '\n';
    indent = std::string(line.substr(0, start)).append(kIndent);
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_code_point));
}

std::string cut_middle(std::string_view text, std::size_t width) {
  const std::size_t length = display_width(text);
  if (length <= width) return std::string(text);
  const std::size_t kept = width - 1;
  std::string cut(text.substr(0, offset_of(text, (kept + 1) / 2)));
  cut += kEllipsis;
  return cut.append(text.substr(offset_of(text, length - kept / 2)));
}

std::vector<std::string> wrap_words(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines;
}

std::string wrap_lines(std::string_view text, std::size_t width) {
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrap_line(wrapped, text.substr(0, end), width);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return wrapped;
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

}  // namespace stcsim
