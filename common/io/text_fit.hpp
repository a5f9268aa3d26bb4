#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim {

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

}  // namespace stcsim
