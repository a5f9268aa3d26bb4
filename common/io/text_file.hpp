#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace stcsim {

/// The largest text file that is read: tables, topologies, curves, results and golden files alike.
inline constexpr std::size_t kLargestTextFile = std::size_t{64} << 20U;
/// A configuration, of whose every value the place is kept.
inline constexpr std::size_t kLargestConfig = std::size_t{8} << 20U;

/// Most keys of a map in YAML or JSON: they are looked for one after the other.
inline constexpr std::size_t kMostKeys = 10'000;
/// Most lists and maps around a value of JSON, and brackets open on a line of YAML.
inline constexpr int kMostOpen = 500;

/// What stands for standard input where a file is read, for standard output where one is written.
inline constexpr const char* kStandardStream = "-";

/// The bytes of a file, without the byte order mark that editors put before UTF-8.
/// @param kind what it must be, for the message about one that is too large: "a table"
/// @throws ConfigError "cannot read PATH: reason"
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::string_view kind,
                                         std::size_t largest = kLargestTextFile);

/// A path that can be read again and again: of a pipe, or standard input ("-"), whose bytes come
/// once, that of a copy, which goes with the process. Whatever else reads `path` by this file's
/// functions reads the copy, too.
/// @throws ConfigError as read_text_file() does; for more than 512 MiB
[[nodiscard]] std::filesystem::path readable_again(const std::filesystem::path& path);

/// Refuses bytes that are not UTF-8 (RFC 3629), and zero bytes, at their place; what looks like
/// UTF-16 is named so.
/// @param origin stands for the file in messages
void check_encoding(std::string_view text, const std::string& origin);

/// Refuses control characters (find_control) other than ends of lines and tabs, at their place.
/// @param text UTF-8
/// @param origin as in check_encoding()
void check_controls(std::string_view text, const std::string& origin);

/// Whether all of it is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The first character that acts on a terminal rather than being shown: a control character (C0,
/// DEL, C1), or one that turns the direction of what follows, such as U+202E; 0 if there is none.
[[nodiscard]] char32_t find_control(std::string_view text);

/// A text as a terminal may be given it: blanks instead of such characters, U+FFFD instead of bytes
/// that are not UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace stcsim
