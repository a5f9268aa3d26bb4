#include "common/io/text_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

unsigned unsigned_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Length of the UTF-8 sequence at the front of `text`; 0 if it is not one (RFC 3629, section 4).
std::size_t sequence_length(std::string_view text) {
  const unsigned lead = unsigned_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const auto length = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(lead)));
  for (std::size_t i = 1; i < length; ++i) {
    if ((unsigned_at(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = unsigned_at(text, 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_large = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

/// Where the first byte stands that is not UTF-8; the text's length if there is none.
std::size_t find_foreign(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

/// The character that the first `length` bytes of `text` are.
char32_t character_of(std::string_view text, std::size_t length) {
  if (length == 1) return unsigned_at(text, 0);
  char32_t code = unsigned_at(text, 0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (unsigned_at(text, i) & 0x3FU);
  return code;
}

bool is_control(char32_t code) {
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || turns;
}

SourceLocation place_of(std::string_view text, std::size_t at, const std::string& origin) {
  SourceLocation where{origin, 1, 1};
  for (const char letter : text.substr(0, at)) {
    where.column = letter == '\n' ? 1 : where.column + 1;
    where.line += letter == '\n' ? 1 : 0;
  }
  return where;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path, std::string_view kind,
                           std::size_t largest) {
  const auto fail = [&path](const std::string& why) {
    throw ConfigError("cannot read " + path.string() + ": " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("it is a directory, must be a file");
  // Standard input has its text once, and a command may read it again.
  static std::string of_input;
  const bool is_input = path == kStandardStream;
  if (is_input && !of_input.empty()) return of_input;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(is_input ? "/dev/stdin" : path.c_str(), "rb"), &std::fclose);
  if (!file) fail(std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), got);
    if (text.size() > largest) {
      fail(fmt::format("it is larger than {} MiB, must be {}", largest >> 20U, kind));
    }
  }
  if (std::ferror(file.get()) != 0) fail(std::generic_category().message(errno));
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  if (is_input) of_input = text;
  return text;
}

void check_encoding(std::string_view text, const std::string& origin) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ConfigError({origin, 1, 1}, "the text is UTF-16, must be UTF-8");
  }
  const std::size_t zero = text.find('\0');
  const std::size_t foreign = find_foreign(text.substr(0, zero));
  if (foreign < std::min(zero, text.size())) {
    throw ConfigError(place_of(text, foreign, origin),
                      fmt::format("byte 0x{:02x} is not UTF-8 (is the text Latin-1?), must be text "
                                  "in UTF-8",
                                  unsigned_at(text, foreign)));
  }
  if (zero != std::string_view::npos) {
    throw ConfigError(place_of(text, zero, origin),
                      "byte 0x00 is not text (is it UTF-16?), must be text in UTF-8");
  }
}

bool is_utf8(std::string_view text) {
  return find_foreign(text) == text.size();
}

char32_t find_control(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char32_t code = length == 0 ? U'?' : character_of(text, length);
    if (is_control(code)) return code;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return 0;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      shown += "\uFFFD";
    } else if (is_control(character_of(text, length))) {
      shown += ' ';
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace stcsim
