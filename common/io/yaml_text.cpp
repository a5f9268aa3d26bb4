#include "common/io/yaml_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

/// Checks one line, given without its line feed.
void check_line(std::string_view line, const SourceLocation& start) {
  bool indentation = true;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const auto fail = [&](const std::string& message) {
      throw ConfigError({start.file, start.line, static_cast<int>(at) + 1}, message);
    };
    if (byte == '\t' && indentation) fail("tab in the indentation, use spaces");
    if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F) {
      fail(fmt::format("control character 0x{:02x}, must be text", byte));
    }
    indentation = indentation && byte == ' ';
  }
}

}  // namespace

std::string read_config_text(const std::filesystem::path& path) {
  return read_text_file(path, "a configuration file");
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
