#include "common/io/yaml_text.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20U;

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Length of the UTF-8 sequence at the front of `text`; 0 if it is not one (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const auto length = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(lead)));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_large = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

/// Checks one line, given without its line feed.
void check_line(std::string_view line, const SourceLocation& start) {
  bool indentation = true;
  std::size_t at = 0;
  const auto here = [&] {
    SourceLocation location = start;
    location.column = static_cast<int>(at) + 1;
    return location;
  };
  while (at < line.size()) {
    const unsigned byte = byte_at(line, at);
    if (byte == '\t' && indentation) {
      throw ConfigError(here(), "tab in the indentation, use spaces");
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F) {
      throw ConfigError(here(), fmt::format("control character 0x{:02x}, must be text", byte));
    }
    const std::size_t length = utf8_length(line.substr(at));
    if (length == 0) {
      throw ConfigError(here(), fmt::format("byte 0x{:02x} is not UTF-8, must be text", byte));
    }
    indentation = indentation && byte == ' ';
    at += length;
  }
}

}  // namespace

std::string read_config_text(const std::filesystem::path& path) {
  const auto fail = [&path](const std::string& why) {
    throw ConfigError("cannot read " + path.string() + ": " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("it is a directory, must be a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail(std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), got);
    if (text.size() > kLargestFile) fail("it is larger than 64 MiB, must be a configuration file");
  }
  if (std::ferror(file.get()) != 0) fail(std::generic_category().message(errno));
  return text;
}

void check_config_text(const std::string& text, const std::string& origin) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    check_line(std::string_view(text).substr(begin, end - begin), {origin, line, 1});
    begin = end + 1;
  }
}

}  // namespace stcsim
