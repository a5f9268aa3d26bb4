#include "common/io/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace stcsim {

namespace {

constexpr int kSignificantDigits = 3;

/// Power of ten of the value's first digit once it is rounded to three: 999.6 is 1.00e3, so 3.
int rounded_exponent(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0;
  const std::string scientific = fmt::format("{:.{}e}", value, kSignificantDigits - 1);
  const std::size_t sign = scientific.find('e') + 1;
  int exponent = 0;
  std::from_chars(scientific.data() + sign + 1, scientific.data() + scientific.size(), exponent);
  return scientific[sign] == '-' ? -exponent : exponent;
}

std::string format_scaled(double value, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && rounded_exponent(value) >= 3) {
    value /= 1000.0;
    ++unit;
  }
  return format_significant(value) + " " + std::string(units[unit]);
}

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

std::string format_count(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string format_amount(std::int64_t value) {
  constexpr std::array<std::string_view, 5> kUnits{"", "k", "M", "G", "T"};
  constexpr std::int64_t kShort = 100'000;
  return value < kShort ? format_count(value) : format_scaled(static_cast<double>(value), kUnits);
}

std::string format_significant(double value) {
  const int decimals = std::max(0, kSignificantDigits - 1 - rounded_exponent(value));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_speedup(double ratio) {
  return format_significant(ratio) + "x";
}

std::string format_time_us(double microseconds) {
  constexpr std::string_view kUnits[] = {"us", "ms", "s"};
  return format_scaled(microseconds, kUnits);
}

std::string format_percent(double fraction) {
  return fmt::format("{:.1f} %", 100.0 * fraction);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return format_scaled(static_cast<double>(bytes), kUnits);
}

std::string format_shape(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch_count) {
  std::string shape = fmt::format("{}×{}×{}", m, n, k);
  if (batch_count != 1) shape += fmt::format("×{}", batch_count);
  return shape;
}

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

std::string short_count(std::int64_t count) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  const auto value = static_cast<double>(count);
  for (const auto& [size, name] : kUnits) {
    if (value >= size) return fmt::format("{:.4g} {}", value / size, name);
  }
  return fmt::format("{}", count);
}

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
