#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim {

/// Numbers as people read them. Data files never use these: see json_text.hpp.

/// 1234567 -> "1,234,567".
[[nodiscard]] std::string format_count(std::int64_t value);

/// Up to 99,999 as format_count() has it, above with three significant digits: 1234567 -> "1.23 M".
[[nodiscard]] std::string format_amount(std::int64_t value);

/// Three significant digits without an exponent: 1.7349 -> "1.73", 0.98765 -> "0.988",
/// 1234.5 -> "1234".
[[nodiscard]] std::string format_significant(double value);

/// 1.7349 -> "1.73x".
[[nodiscard]] std::string format_speedup(double ratio);

/// Microseconds as "us", "ms" or "s", three significant digits: 1234.5 -> "1.23 ms".
[[nodiscard]] std::string format_time_us(double microseconds);

/// A fraction as a percentage with one decimal: 0.9734 -> "97.3 %".
[[nodiscard]] std::string format_percent(double fraction);

/// Bytes in decimal units, three significant digits: 1234567 -> "1.23 MB", 999 -> "999 B".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// "768×512×3072", with "×8" appended for a batch of 8.
[[nodiscard]] std::string format_shape(std::int64_t m, std::int64_t n, std::int64_t k,
                                       std::int64_t batch_count);

/// The width of a page that has none.
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

/// Terminal columns a UTF-8 text takes: one per code point. Enough for ×, Δ and accented letters;
/// wide and combining characters are not told apart.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text in at most `width` columns, at least 3: its middle makes way for "…".
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width);

/// The words of a text on lines of at most `width` columns; a longer word has a line of its own.
/// An empty text is one empty line.
[[nodiscard]] std::vector<std::string> wrap_words(std::string_view text, std::size_t width);

/// Every line of `text` that is wider than `width` broken between words, what follows two columns
/// further in than the line.
[[nodiscard]] std::string wrap_lines(std::string_view text, std::size_t width);

/// The text with &, <, > and quotes written so that HTML shows them.
[[nodiscard]] std::string html_text(std::string_view text);

/// "1,234,567" as "1.235 M"; for summaries.
[[nodiscard]] std::string short_count(std::int64_t count);

/// The text as a word of a shell.
[[nodiscard]] std::string shell_word(const std::string& text);

/// "next: stcsim explain ...", the command worth running after an answer, broken as a shell
/// continues a line.
/// @param parts  what stays on one line ("--arch a100"), in order
[[nodiscard]] std::string next_lines(const std::vector<std::string>& parts,
                                     std::size_t width = kAnyWidth);

}  // namespace stcsim
