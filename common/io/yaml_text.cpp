#include "common/io/yaml_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

/// The UTF-8 character at `at`.
std::string_view character_at(std::string_view line, std::size_t at) {
  const auto continues = [&](std::size_t next) {
    return next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0U) == 0x80U;
  };
  std::size_t end = at + 1;
  while (continues(end)) ++end;
  return line.substr(at, end - at);
}

/// Checks one line, given without its line feed.
void check_line(std::string_view line, const SourceLocation& start) {
  bool indentation = true;
  int open = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = character_at(line, at);
    const auto fail = [&](const std::string& message) {
      throw ConfigError({start.file, start.line, static_cast<int>(at) + 1}, message);
    };
    if (character == "\t" && indentation) fail("tab in the indentation, use spaces");
    const char32_t control = find_control(character);
    if (control != 0 && control != '\t' && control != '\r') {
      fail(fmt::format("control character 0x{:02x}, must be text", static_cast<unsigned>(control)));
    }
    if (character == "[" || character == "{") ++open;
    if (character == "]" || character == "}") --open;
    // The parser would keep all of the line, as what is in brackets may be a key.
    if (open > kMostOpen) fail(fmt::format("more than {} brackets are open here", kMostOpen));
    indentation = indentation && character == " ";
    at += character.size();
  }
}

}  // namespace

std::string read_config_text(const std::filesystem::path& path) {
  return read_text_file(path, "a configuration file", kLargestConfig);
}

void check_config_text(const std::string& text, const std::string& origin) {
  check_encoding(text, origin);
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    check_line(std::string_view(text).substr(begin, end - begin), {origin, line, 1});
    begin = end + 1;
  }
}

}  // namespace stcsim
