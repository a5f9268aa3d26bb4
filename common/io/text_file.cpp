#include "common/io/text_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <map>
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

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw ConfigError("cannot read " + path.string() + ": " + why);
}

OpenFile open_file(const std::filesystem::path& path, const std::filesystem::path& shown) {
  OpenFile file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse_file(shown, std::generic_category().message(errno));
  return file;
}

/// Hands on a file's bytes, piece by piece.
template <class Take>
void read_pieces(std::FILE* file, const std::filesystem::path& shown, Take take) {
  std::array<char, 65536> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file)) {
    take(std::string_view(piece.data(), got));
  }
  if (std::ferror(file) != 0) refuse_file(shown, std::generic_category().message(errno));
}

/// Copies of what can be read once, by path.
std::map<std::string, std::filesystem::path>& copies() {
  static std::map<std::string, std::filesystem::path> copies;
  return copies;
}

}  // namespace

std::filesystem::path readable_again(const std::filesystem::path& path) {
  constexpr std::size_t kLargestCopy = std::size_t{512} << 20U;
  const bool is_input = path == kStandardStream;
  std::error_code ignored;
  if (!is_input && !std::filesystem::is_fifo(path, ignored)) return path;
  const auto known = copies().find(path.string());
  if (known != copies().end()) return known->second;
  std::FILE* const copy = std::tmpfile();  // stays open: closing it deletes it
  if (copy == nullptr) refuse_file(path, std::generic_category().message(errno));
  const OpenFile from = open_file(is_input ? "/dev/stdin" : path, path);
  std::size_t size = 0;
  read_pieces(from.get(), path, [&](std::string_view piece) {
    size += piece.size();
    if (size > kLargestCopy) refuse_file(path, "it has more than 512 MiB, must be a file for that");
    if (std::fwrite(piece.data(), 1, piece.size(), copy) != piece.size()) {
      refuse_file(path, std::generic_category().message(errno));
    }
  });
  if (std::fflush(copy) != 0) refuse_file(path, std::generic_category().message(errno));
  return copies()[path.string()] = fmt::format("/proc/self/fd/{}", fileno(copy));
}

std::string read_text_file(const std::filesystem::path& path, std::string_view kind,
                           std::size_t largest) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    refuse_file(path, "it is a directory, must be a file");
  }
  // A command may read standard input again; of others a copy is made where they are recognised.
  const auto copy = copies().find(path.string());
  const OpenFile file = open_file(path == kStandardStream  ? readable_again(path)
                                  : copy != copies().end() ? copy->second
                                                           : path,
                                  path);
  std::string text;
  read_pieces(file.get(), path, [&](std::string_view piece) {
    text.append(piece);
    if (text.size() <= largest) return;
    refuse_file(path, fmt::format("it is larger than {} MiB, must be {}", largest >> 20U, kind));
  });
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
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

void check_controls(std::string_view text, const std::string& origin) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    const char32_t code = character_of(text.substr(at), length);
    if (is_control(code) && code != '\n' && code != '\t' && code != '\r') {
      throw ConfigError(place_of(text, at, origin),
                        fmt::format("control character 0x{:02x}, must be text",
                                    static_cast<std::uint32_t>(code)));
    }
    at += length;
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
